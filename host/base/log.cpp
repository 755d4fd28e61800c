#include "base/log.hpp"

#include <spdlog/cfg/helpers.h>
#include <spdlog/sinks/stdout_color_sinks.h>

#include <cstdlib>

namespace assay {

std::shared_ptr<spdlog::logger> log(const std::string& room) {
  static const auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
  if (auto existing = spdlog::get(room)) return existing;
  auto logger = std::make_shared<spdlog::logger>(room, sink);
  logger->set_pattern("%^%l%$ %n: %v");
  try {
    spdlog::initialize_logger(logger);
  } catch (const spdlog::spdlog_ex&) {
    // Another thread was first; spdlog::get finds its logger.
    return spdlog::get(room);
  }
  logger->set_pattern("%^%l%$ %n: %v");
  return logger;
}

void set_up_logging(const std::string& default_level) {
  const char* levels = std::getenv("ASSAY_LOG");
  spdlog::set_level(spdlog::level::from_str(default_level));
  if (levels != nullptr) spdlog::cfg::helpers::load_levels(levels);
}

}  // namespace assay
