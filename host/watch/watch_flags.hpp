// The user's file and the command line as one document for the watch.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace assay {

/// Settings of the command line; absent ones leave the file as it is.
struct WatchFlags {
  std::optional<std::string> budget;
  std::optional<std::string> stage;
  std::optional<std::string> handler;
  std::optional<std::string> inputs;
  std::optional<std::string> rows;
  std::vector<std::string> perturbations;  ///< component names; they replace the configured list
  std::vector<std::string> only;
  std::vector<std::string> skip;
  std::vector<std::string> modules;
  std::vector<std::string> formats;
};

/// JSON text for WatchConfig::load. file: ours, or a MindStudio Probe config.json; empty: none.
/// errors  kInput: the file can't be read, or is a peer's with a field that the peer refuses
Result<std::string> watch_document(const std::filesystem::path& file, const WatchFlags& flags);

}  // namespace assay
