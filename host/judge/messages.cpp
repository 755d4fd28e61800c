#include "judge/messages.hpp"

#include <cmath>
#include <cstdio>

#include "base/text.hpp"

namespace assay {

namespace {

std::string count_text(double value) { return std::to_string(static_cast<std::int64_t>(value)); }

/// How the value missed the condition.
std::string_view missed(Relation relation) {
  switch (relation) {
    case Relation::kAbove: return "is not above";
    case Relation::kAtLeast: return "is below";
    case Relation::kBelow: return "is not below";
    case Relation::kAtMost: return "is above";
  }
  return "";
}

}  // namespace

std::string short_number(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.4g", value);
  return buffer;
}

std::string rule_message(const RuleOutcome& outcome, const Measured& metrics, const std::optional<WorstElement>& worst) {
  const Rule& rule = *outcome.rule;
  std::vector<std::string> parts;
  if (!rule.says.empty()) parts.push_back(rule.says);
  if (rule.pass && metrics.get(rule.metric)) {
    parts.push_back(outcome.decision.metric + " " + short_number(outcome.decision.value) + " " +
                    std::string(missed(rule.pass->relation)) + " " + short_number(outcome.decision.limit));
  } else {
    parts.push_back(outcome.decision.metric + " has no value");
  }
  const auto rtol = metrics.get("rtol_to_pass");
  if (rtol && std::isfinite(*rtol) && metrics.get("class_mismatch_count").value_or(0) == 0)
    parts.push_back("rtol " + short_number(*rtol) + " would pass");
  const auto differing = metrics.get("mismatch_count");
  const auto count = metrics.get("numel");
  if (differing && count) parts.push_back(count_text(*differing) + "/" + count_text(*count) + " elements differ");
  if (worst) {
    std::string text = "worst at " + format_shape(worst->index) + ": actual " + worst->actual + ", expected " + worst->expected;
    if (worst->ulp) text += ", " + short_number(*worst->ulp) + " ulp";
    parts.push_back(std::move(text));
  }
  return join(parts, "; ");
}

std::string non_finite_note(const Measured& metrics) {
  std::vector<std::string> parts;
  const auto add = [&](const char* metric, const char* what) {
    if (const auto count = metrics.get(metric); count && *count > 0) parts.push_back(count_text(*count) + " " + what);
  };
  add("nan_actual", "nan");
  add("pos_inf_actual", "inf");
  add("neg_inf_actual", "-inf");
  return parts.empty() ? "" : join(parts, " and ") + " on both sides, at the same places";
}

}  // namespace assay
