// The host's log: spdlog on stderr (stdout is for results), levels by ASSAY_LOG=info,loader=debug.
#pragma once

#include <spdlog/spdlog.h>

#include <memory>
#include <string>

namespace assay {

/// The logger of a room ("loader", "dump", "pipeline", or a component's id); created on first use. [any-thread]
std::shared_ptr<spdlog::logger> log(const std::string& room);

/// Reads ASSAY_LOG and applies `default_level` where it says nothing. Called once by the executable.
void set_up_logging(const std::string& default_level);

}  // namespace assay
