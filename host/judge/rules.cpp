#include "judge/rules.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace assay {

namespace {

bool uses_length(const Limit& limit) {
  return std::any_of(limit.entries.begin(), limit.entries.end(), [](const auto& e) { return e.formula.accumulated_eps != 0; });
}

double limit_of(const Condition& condition, const RuleContext& context) {
  const double length = uses_length(condition.limit) ? context.length() : 1;
  return evaluate(condition.limit, context.dtype, context.accumulator, length, context.growth);
}

/// The verdict of one rule that is not content, or nothing.
std::optional<RuleOutcome> judge_by(const Rule& rule, double value, const Measured& metrics, const RuleContext& context) {
  const double limit = limit_of(*rule.pass, context);
  if (holds(rule.pass->relation, value, limit)) return std::nullopt;
  if (!rule.over_input_scale.empty()) {
    const std::optional<double> error = metrics.get(rule.over_input_scale);
    const double scale = error ? context.input_scale() : 0;
    if (scale > 0 && !(value <= *error / scale)) value = *error / scale;
    if (holds(rule.pass->relation, value, limit)) return std::nullopt;
  }
  RuleOutcome outcome{rule.otherwise, &rule, {rule.metric, value, limit}};
  if (rule.warning && holds(rule.warning->relation, value, limit_of(*rule.warning, context))) outcome.verdict = Verdict::kWarning;
  return outcome;
}

}  // namespace

RuleOutcome run_rules(const std::vector<const Rule*>& rules, const Measured& metrics, const RuleContext& context) {
  RuleOutcome kept;
  for (const Rule* rule : rules) {
    if (!rule->dtypes.contains(context.dtype)) continue;
    const std::optional<double> value = metrics.get(rule->metric);
    if (!value) {
      if (rule->missing != WhenMissing::kIgnore) {
        return {rule->missing == WhenMissing::kSkip ? Verdict::kSkip : Verdict::kError,
                rule,
                {rule->metric, std::numeric_limits<double>::quiet_NaN(), 0}};
      }
      continue;
    }
    if (rule->accept && holds(rule->accept->relation, *value, limit_of(*rule->accept, context))) return kept;
    if (!rule->pass || (rule->nan_passes && std::isnan(*value))) continue;
    if (const auto outcome = judge_by(*rule, *value, metrics, context)) {
      if (outcome->verdict == Verdict::kError) return *outcome;
      if (kept.rule == nullptr) kept = *outcome;
    }
  }
  return kept;
}

}  // namespace assay
