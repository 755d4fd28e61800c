#include "loader/host_table.hpp"

#include <cstring>
#include <exception>

#include "assay/abi/plugin.h"
#include "assay/sdk/parallel.hpp"
#include "base/log.hpp"
#include "base/text.hpp"

namespace assay {

namespace {

spdlog::level::level_enum log_level(std::int32_t level) {
  switch (level) {
    case ASSAY_LOG_TRACE: return spdlog::level::trace;
    case ASSAY_LOG_DEBUG: return spdlog::level::debug;
    case ASSAY_LOG_INFO: return spdlog::level::info;
    case ASSAY_LOG_WARN: return spdlog::level::warn;
    default: return spdlog::level::err;
  }
}

const char* misbehaviour(std::int32_t level) {
  switch (level) {
    case ASSAY_LOG_HOST_MISBEHAVING: return "host misbehaves: ";
    case ASSAY_LOG_PLUGIN_MISBEHAVING: return "plugin misbehaves: ";
    default: return "";
  }
}

void write_log(const assay_host*, std::int32_t level, const char* component, const char* message) {
  try {
    const std::string room = component != nullptr && *component != '\0' ? escape_control(component) : "plugin";
    log(room)->log(log_level(level), "{}{}", misbehaviour(level), escape_control(message != nullptr ? message : ""));
  } catch (const std::exception&) {
    // A line that can't be written must not become an exception in the plugin that wrote it.
  }
}

const void* extension(const assay_host*, const char* id) {
  return std::strcmp(id, ASSAY_EXT_PARALLEL) == 0 ? detail::host_threads().load() : nullptr;
}

}  // namespace

const assay_host* host_table() {
  static const assay_host host = {sizeof(assay_host), ASSAY_ABI_MAJOR, ASSAY_ABI_MINOR, 0,        "assay",
                                  ASSAY_VERSION,      nullptr,         write_log,       extension};
  return &host;
}

void offer_threads(const assay_parallel* table) { detail::host_threads() = table; }

}  // namespace assay
