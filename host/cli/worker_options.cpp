#include "cli/worker_options.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "worker/limits.hpp"

namespace assay {

namespace {

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(1000 * std::clamp(seconds, 0.0, 1e9)));
}

}  // namespace

void add_worker_options(po::options_description& options) {
  auto add = options.add_options();
  add("jobs,j", po::value<unsigned>()->value_name("N"), "worker processes (1); 0 runs everything in this process, for debuggers");
  add("timeout", po::value<double>()->value_name("SECONDS"), "limit for one direction of one call (300; more for large ones)");
  add("memory", po::value<std::string>()->value_name("SIZE"), "what the calls of one worker may allocate: 512M, 4G (no limit)");
  add("devices", po::value<std::string>()->value_name("ID,..."), "accelerators, shared out among the workers");
  add("max-time", po::value<double>()->value_name("SECONDS"), "stop after this time with what is done; --resume goes on");
  add(kWorkerOption, "serve a supervising assay over the pipes at descriptors 3 and 4; set by assay itself");
}

unsigned worker_count(const po::variables_map& values) { return get_optional<unsigned>(values, "jobs").value_or(1); }

Result<std::optional<std::uint64_t>> memory_limit(const po::variables_map& values) {
  const std::optional<std::string> text = get_optional<std::string>(values, "memory");
  if (!text) return std::optional<std::uint64_t>();
  Result<std::uint64_t> bytes = parse_size(*text);
  if (!bytes) return bytes.failure();
  return std::optional<std::uint64_t>(*bytes);
}

SupervisorOptions supervisor_options(const po::variables_map& values, const std::string& command, const Arguments& arguments) {
  SupervisorOptions options;
  options.workers = worker_count(values);
  options.timeout = milliseconds(get_optional<double>(values, "timeout").value_or(300));
  options.max_time = milliseconds(get_optional<double>(values, "max-time").value_or(0));
  for (const std::string_view device : split(get_optional<std::string>(values, "devices").value_or(""), ',')) {
    if (!device.empty()) options.devices.emplace_back(device);
  }
  options.arguments = {command};
  options.arguments.insert(options.arguments.end(), arguments.begin(), arguments.end());
  options.arguments.push_back(std::string("--") + kWorkerOption);
  return options;
}

}  // namespace assay
