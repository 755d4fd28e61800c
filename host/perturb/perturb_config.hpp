// What `assay perturb` does, from three layers: configs/pipelines/perturb.json, the user's file, the command line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "config/pipeline_config.hpp"
#include "perturb/choose_inputs.hpp"
#include "perturb/perturbation_chain.hpp"

namespace assay {

/// Settings of the command line; absent ones leave the configuration as it is.
struct PerturbFlags {
  std::optional<std::string> engine;
  std::optional<std::string> precision;
  std::vector<std::string> perturbations;  ///< component names; they replace the configured list
  std::optional<std::string> inputs;
  std::optional<std::string> stage;
  std::optional<std::string> handler;
  std::optional<std::string> compat;
  std::optional<std::string> stability;
  std::optional<std::string> made_inputs;
  std::optional<unsigned> seeds;
  std::optional<std::uint64_t> seed;
  std::optional<unsigned> threads;
  std::vector<std::string> api;
  std::vector<std::string> skip;
  std::vector<std::string> formats;
};

enum class PerturbHandler {
  kCheck,   ///< compare the two results
  kFix,     ///< take the perturbed result in place of the original
  kPreheat  ///< learn thresholds over several passes first, then compare with them
};

struct PerturbConfig {
  SourceConfig engine;
  std::vector<PerturbationStage> stages;
  InputChoice inputs = InputChoice::kEach;
  bool forward = true;
  bool backward = true;
  PerturbHandler handler = PerturbHandler::kCheck;
  int preheat_steps = 15;
  std::size_t preheat_samples = 20;
  bool compat = false;    ///< the peer's choices and comparisons
  std::string stability;  ///< a name in configs/standards or a path
  InputRule made_inputs = InputRule::kAssay;
  unsigned seeds = 1;
  std::uint64_t seed = 0;
  unsigned threads = 1;
  std::vector<std::string> only;
  std::vector<std::string> skip;
  std::vector<std::string> formats;
  std::string json;  ///< the merged document, indented

  /// user_file  empty: none
  /// errors     kInput: every problem of a layer at once, as file + JSON pointer
  static Result<PerturbConfig> load(const std::filesystem::path& user_file, const PerturbFlags& flags);

  /// Whether an API is asked for, by its stem ("Functional.linear.3") and API name.
  [[nodiscard]] bool selects(const std::string& stem, const std::string& api) const;
};

}  // namespace assay
