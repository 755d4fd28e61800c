#include "pipeline/judge_setup.hpp"

#include "base/locations.hpp"

namespace assay {

namespace {

/// A shipped standard by name, or a file by path.
std::filesystem::path standard_path(const std::string& name) {
  const bool is_path = name.find('/') != std::string::npos || name.ends_with(".json");
  return is_path ? std::filesystem::path(name) : share_folder() / "standards" / (name + ".json");
}

}  // namespace

Result<JudgeSetup> JudgeSetup::load(Registry& registry, const std::string& standard_name, const std::string& overrides_json,
                                    const std::vector<ComparisonConfig>& configs) {
  Result<Standard> standard = Standard::load(standard_path(standard_name), overrides_json);
  if (!standard) return standard.failure();
  std::vector<Instance> comparisons;
  std::vector<ComparisonHandle> handles;
  for (const ComparisonConfig& comparison : configs) {
    const bool configured = comparison.config_json != "{}";
    Result<Instance> instance =
        registry.create(comparison.component, ASSAY_KIND_COMPARISON,
                        configured ? comparison.config_json : standard->comparison_config(comparison.component));
    if (!instance) return instance.failure();
    const auto* table = instance->extension<assay_comparison>(ASSAY_EXT_COMPARISON);
    if (table == nullptr)
      return plugin_failure("use component '" + comparison.component + "': it has no capability '" ASSAY_EXT_COMPARISON "'");
    handles.push_back({comparison.component, table, instance->get()});
    comparisons.push_back(std::move(*instance));
  }
  Result<Judge> judge = Judge::create(*standard, handles);
  if (!judge) return judge.failure();
  return JudgeSetup{standard->name(), standard->wants_nudge(), std::move(comparisons), std::move(*judge)};
}

}  // namespace assay
