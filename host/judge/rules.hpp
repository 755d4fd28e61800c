// Runs a standard's rules over the metrics of one pair of tensors.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "judge/metric_set.hpp"
#include "judge/standard_model.hpp"

namespace assay {

/// What the limits of one pair depend on. The functions are called only where a rule asks.
struct RuleContext {
  assay_dtype dtype{};
  assay_dtype accumulator{};
  double growth = 0.5;
  std::function<double()> length;
  std::function<double()> input_scale;
};

struct RuleOutcome {
  Verdict verdict = Verdict::kPass;
  const Rule* rule = nullptr;  ///< null: every rule is content
  Decision decision;           ///< of `rule`
};

/// Rules in order: the first error ends the run, `accept` ends it without one, the first warning is kept.
RuleOutcome run_rules(const std::vector<const Rule*>& rules, const Measured& metrics, const RuleContext& context);

}  // namespace assay
