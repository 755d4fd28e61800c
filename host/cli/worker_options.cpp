#include "cli/worker_options.hpp"

namespace assay {

void add_worker_options(po::options_description& options) {
  auto add = options.add_options();
  add("jobs,j", po::value<unsigned>()->value_name("N"), "worker processes (1); 0 runs everything in this process, for debuggers");
  add("timeout", po::value<double>()->value_name("SECONDS"), "limit for one direction of one call (300)");
  add(kWorkerOption, "serve a supervising assay over the pipes at descriptors 3 and 4; set by assay itself");
}

unsigned worker_count(const po::variables_map& values) { return get_optional<unsigned>(values, "jobs").value_or(1); }

SupervisorOptions supervisor_options(const po::variables_map& values, const std::string& command, const Arguments& arguments) {
  SupervisorOptions options;
  options.workers = worker_count(values);
  options.timeout =
      std::chrono::milliseconds(static_cast<std::int64_t>(1000 * get_optional<double>(values, "timeout").value_or(300)));
  options.arguments = {command};
  options.arguments.insert(options.arguments.end(), arguments.begin(), arguments.end());
  options.arguments.push_back(std::string("--") + kWorkerOption);
  return options;
}

}  // namespace assay
