// A judge as a configuration asks for it, with the comparisons that it borrows.
//
//   Result<JudgeSetup> setup = JudgeSetup::load(registry, config.standard, config.overrides_json, config.comparisons);
//   setup->judge.judge(judgement);
#pragma once

#include <string>
#include <vector>

#include "config/pipeline_config.hpp"
#include "judge/judge.hpp"
#include "loader/registry.hpp"

namespace assay {

struct JudgeSetup {
  std::string standard;  ///< its own name
  bool wants_nudge = false;
  std::vector<Instance> comparisons;  ///< must outlive the judge
  Judge judge;

  /// standard  a name in configs/standards or a path
  /// errors    those of Standard::load, Registry::create, Judge::create
  static Result<JudgeSetup> load(Registry& registry, const std::string& standard, const std::string& overrides_json,
                                 const std::vector<ComparisonConfig>& comparisons);
};

}  // namespace assay
