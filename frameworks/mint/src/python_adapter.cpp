#include "python_adapter.hpp"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "installation.hpp"

namespace assay::bridge {
namespace {

constexpr double kDefaultLimitSeconds = 300;
constexpr std::int64_t kDefaultKeepMib = 256;

std::uint64_t mebibytes(const Config& config, const char* key, std::int64_t fallback) {
  const std::int64_t value = config.get<std::int64_t>(key, fallback);
  if (value < 0 || value > (std::int64_t{1} << 30))
    throw Error(ASSAY_INVALID_ARGUMENT, std::string("'") + key + "' is " + std::to_string(value) + ", expected 0 to 2^30");
  return static_cast<std::uint64_t>(value) << 20;
}

Seconds seconds(const Config& config, const char* key) {
  const double value = config.get<double>(key, kDefaultLimitSeconds);
  if (!(value > 0 && value <= 1e6))
    throw Error(ASSAY_INVALID_ARGUMENT, std::string("'") + key + "' must be above 0 and at most 1e6");
  return Seconds(value);
}

std::string settings_json(const std::string& map_text, const std::string& map_name, std::uint64_t keep,
                          std::uint64_t memory_limit) {
  rapidjson::Document settings(rapidjson::kObjectType);
  auto& memory = settings.GetAllocator();
  rapidjson::Document map(&memory);
  map.Parse<rapidjson::kParseIterativeFlag>(map_text.c_str());
  if (map.HasParseError() || !map.IsObject())
    throw Error(ASSAY_INVALID_ARGUMENT, "module map '" + map_name + "' is not a JSON object");
  settings.AddMember("map", map, memory);
  settings.AddMember("keep_bytes", keep, memory);
  settings.AddMember("memory_limit_bytes", memory_limit, memory);
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  settings.Accept(writer);
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace

PythonAdapter::PythonAdapter(const Context& context, const Defaults& defaults) {
  ClientOptions options;
  options.subject = "the python server";
  options.call_limit = seconds(context.config, "call_timeout_s");
  options.start_limit = seconds(context.config, "start_timeout_s");
  options.memory_limit = mebibytes(context.config, "memory_limit_mib", 0);
  options.keep_bytes = mebibytes(context.config, "keep_mib", kDefaultKeepMib);
  const std::string map = context.config.get<std::string>("map", defaults.map);
  options.settings = settings_json(read_module_map(map), map, options.keep_bytes, options.memory_limit);
  const std::string python = find_python(context.config.get<std::string>("python", ""), defaults.python_variables).string();
  // faulthandler: a crash leaves the Python stack in the log.
  options.command = {python, "-u", "-X", "faulthandler", server_script().string()};
  try {
    client_ = std::make_unique<Client>(context.log, std::move(options));
  } catch (const Error& error) {
    // A python that can't even start is a missing framework to the user, not a defect of the adapter.
    throw Error(error.code() == ASSAY_INTERNAL ? ASSAY_UNSUPPORTED : error.code(), error.what());
  }
}

}  // namespace assay::bridge
