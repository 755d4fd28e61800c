// What the watch does, from layers: configs/pipelines/watch.json, then the user's document (ours, or a MindStudio Probe config.json
// with a `free_benchmark` section).
//
//   Result<WatchConfig> config = WatchConfig::load(R"({"budget": "5%", "stage": "both"})", "configuration");
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "perturb/perturb_config.hpp"
#include "perturb/perturbation_stages.hpp"

namespace assay {

/// Numbers that are asked for: all, or those in some ranges.
class NumberRanges {
 public:
  /// "3" or "2-5". errors  kInput: neither
  Status add(std::string_view text);
  void add(std::int64_t number) { ranges_.emplace_back(number, number); }
  [[nodiscard]] bool holds(std::int64_t number) const;

 private:
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges_;
};

enum class WatchInputs {
  kFirst,   ///< the first eligible tensor
  kRotate,  ///< another one in each step
  kEach,    ///< one run for each
  kAll      ///< all at once
};

enum class CallSites { kNone, kFindings, kAll };

struct WatchConfig {
  std::vector<PerturbationStage> stages;
  WatchInputs inputs = WatchInputs::kRotate;
  bool forward = true;
  bool backward = true;
  PerturbHandler handler = PerturbHandler::kCheck;
  int preheat_steps = 15;
  std::size_t preheat_samples = 20;
  bool compat = false;  ///< the peer's perturbations and comparisons
  std::string stability;
  std::optional<double> budget;    ///< share of a step's time; nothing: check everything
  std::uint64_t memory_limit = 0;  ///< bytes that a check may take; beyond it the operator is skipped
  std::vector<std::string> only;   ///< globs over "Functional.linear.3", "Functional.linear", "aten::linear", module names
  std::vector<std::string> skip;
  std::vector<std::string> contains;  ///< parts of the full name "Functional.linear.3.forward"
  std::vector<std::string> modules;   ///< globs over the names of modules ("layers.0.*"); empty: all
  std::vector<std::string> namespaces;
  NumberRanges steps;
  NumberRanges ranks;
  CallSites call_sites = CallSites::kFindings;
  bool all_rows = false;
  bool msprobe_file = false;
  bool jsonl = false;
  std::uint64_t seed = 0;
  std::string json;       ///< the merged document, indented
  std::string dump_path;  ///< of a peer's config: where its file goes; empty otherwise

  /// text     a JSON document; "" stands for {}
  /// origin   names it in messages
  /// errors   kInput: every problem at once, as origin + JSON pointer
  static Result<WatchConfig> load(std::string_view text, const std::string& origin);

  [[nodiscard]] bool selects(const std::string& stem, const std::string& api, const std::string& op,
                             const std::string& full_name) const;
};

/// Whether the document is a MindStudio Probe config.json.
bool is_msprobe_config(const rapidjson::Value& document);

/// The `free_benchmark` section as a document of ours. errors  kInput: a field the peer would refuse, named by its pointer
Result<rapidjson::Document> watch_layer_of(const rapidjson::Value& msprobe, const std::string& origin);

}  // namespace assay
