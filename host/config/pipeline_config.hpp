// What a run does, from three layers: the shipped pipeline, the user's file, the command line. Each overrides the one before.
//
//   Result<PipelineConfig> config = PipelineConfig::load("check", user_file, flags);
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "dump/inputs.hpp"

namespace assay {

/// Where one side's outputs come from.
struct SourceConfig {
  enum class Kind {
    kAuto,      ///< recorded where the dump has tensors, else the adapter of its framework
    kRecorded,  ///< the outputs in the dump
    kAdapter
  };
  Kind kind = Kind::kAuto;
  std::string adapter;  ///< component id, "assay.torch"
  std::string precision = "as-recorded";
  std::string config_json = "{}";  ///< of the component
};

struct ComparisonConfig {
  std::string component;
  std::string config_json = "{}";
};

/// Settings of the command line; absent ones leave the configuration as it is.
struct ConfigFlags {
  std::optional<std::string> target;     ///< "recorded", "torch", a component id
  std::optional<std::string> reference;  ///< an adapter
  std::optional<std::string> precision;  ///< of the reference
  std::optional<std::string> standard;
  std::optional<std::string> inputs;
  std::optional<std::uint64_t> seed;
  std::optional<unsigned> threads;
  std::vector<std::string> api;
  std::vector<std::string> skip;
  std::vector<std::string> formats;
  bool dedup = false;
  std::optional<unsigned> sample;
};

struct PipelineConfig {
  SourceConfig target;
  SourceConfig reference;
  std::vector<ComparisonConfig> comparisons;
  std::string standard;        ///< a name in configs/standards or a path
  std::string overrides_json;  ///< merged over the standard; empty: none
  InputRule inputs = InputRule::kAssay;
  std::uint64_t seed = 0;
  unsigned threads = 1;
  std::vector<std::string> only;  ///< globs over "Functional.linear", "Functional.linear.3"; empty: all
  std::vector<std::string> skip;
  bool dedup = false;   ///< check calls that differ in nothing but the numbers in their tensors once
  unsigned sample = 0;  ///< calls of each API; 0: all
  std::vector<std::string> formats;
  std::string json;  ///< the merged document, indented

  /// pipeline   name of a shipped pipeline ("check")
  /// user_file  empty: none
  /// errors     kInput: every problem of every layer at once, as file + JSON pointer
  static Result<PipelineConfig> load(const std::string& pipeline, const std::filesystem::path& user_file, const ConfigFlags& flags);

  /// Whether an API is asked for, by its stem ("Functional.linear.3") and API name.
  [[nodiscard]] bool selects(const std::string& stem, const std::string& api) const;
};

/// "torch" -> "assay.torch", "torch@1.13" -> "assay.torch@1.13"; an id with a dot stays as it is.
std::string component_id(const std::string& name);

}  // namespace assay
