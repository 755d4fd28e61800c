#include "judge/tensor_judge.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "judge/codes.hpp"
#include "judge/elements.hpp"
#include "judge/messages.hpp"
#include "judge/rounding.hpp"

namespace assay {

namespace {

OutputVerdict fail(const char* code, std::string message) {
  OutputVerdict out;
  out.verdict = Verdict::kError;
  out.reason = code;
  out.message = std::move(message);
  return out;
}

bool in_one_family(const Standard::Body& standard, assay_dtype actual, assay_dtype expected) {
  if (standard.dtype_families.empty()) return true;
  return std::any_of(standard.dtype_families.begin(), standard.dtype_families.end(),
                     [&](const DTypeSet& family) { return family.contains(actual) && family.contains(expected); });
}

/// The expected tensor as it is compared; nothing: the types don't match.
std::optional<Tensor> matched(const Standard::Body& standard, const Tensor& actual, const Tensor& expected) {
  if (standard.round_expected) {
    if (auto rounded = round_to(expected, actual.dtype())) return rounded;
  } else if (actual.dtype() == expected.dtype()) {
    return expected;
  }
  if (standard.dtype_mismatch == MismatchPolicy::kCompare && in_one_family(standard, actual.dtype(), expected.dtype())) {
    return expected;
  }
  return std::nullopt;
}

std::optional<WorstElement> find_worst(const Measured& metrics, const Tensor& actual, const Tensor& expected) {
  const auto index = metrics.get("worst_index");
  if (!index || *index < 0 || *index >= static_cast<double>(actual.numel())) return std::nullopt;
  return worst_element(actual.view(), expected.view(), static_cast<std::int64_t>(*index));
}

const Kind* active_kind(const JudgeContext& context, KindName name) {
  for (const Kind* kind : context.plan.kinds) {
    if (kind->kind == name) return kind;
  }
  return nullptr;
}

}  // namespace

OutputVerdict judge_values(const JudgeContext& context, const Tensor& actual, const Tensor& expected) {
  OutputVerdict out;
  std::vector<std::string> refusals;
  auto values =
      context.metrics.compute(actual.abi(), expected.abi(), context.judgement.api, context.judgement.max_threads, refusals);
  if (!values) {
    out.verdict = Verdict::kSkip;
    out.reason = code::kComparisonFailed;
    out.message = "no comparison takes this output: " + values.failure().message;
    return out;
  }
  out.metrics = std::move(*values);
  const Measured metrics(out.metrics);
  const OperatorClass& op_class = context.plan.op_class;
  const auto length = [&] { return context.shape.length(op_class.length, actual.view()); };
  RuleContext rules;
  rules.dtype = actual.dtype();
  rules.accumulator = *dtype_from_name(context.standard.accumulates_in);
  rules.growth = op_class.growth;
  rules.length = length;
  rules.input_scale = [&] { return context.shape.input_scale(op_class.input_scale, actual.view(), length()); };
  const RuleOutcome outcome = run_rules(context.plan.rules, metrics, rules);

  out.worst = find_worst(metrics, actual, expected);
  out.verdict = outcome.verdict;
  if (outcome.rule != nullptr) {
    out.reason = outcome.rule->code;
    out.decision = outcome.decision;
    out.message = rule_message(outcome, metrics, out.worst);
  } else {
    out.message = non_finite_note(metrics);
    if (!out.message.empty() && context.shape.inputs_are_finite()) out.message += ", none in the inputs";
  }
  return out;
}

OutputVerdict judge_tensors(const JudgeContext& context, std::size_t position, const Tensor& actual, const Tensor& expected) {
  static_cast<void>(position);
  const std::string label = context.plan.op_class.name;
  if (actual.shape() != expected.shape()) {
    return fail(code::kShapeDiffers, "shape " + format_shape(actual.shape()) + ", expected " + format_shape(expected.shape()));
  }
  const std::optional<Tensor> reference = matched(context.standard, actual, expected);
  if (!reference) {
    return fail(code::kDTypeDiffers,
                "dtype " + std::string(dtype_name(actual.dtype())) + ", expected " + std::string(dtype_name(expected.dtype())));
  }
  if (active_kind(context, KindName::kUninitialised) != nullptr) {
    OutputVerdict out;
    out.verdict = Verdict::kPass;
    out.reason = code::kUninitialised;
    out.message = "memory that nothing was written to: shape and dtype agree, values mean nothing";
    out.judged_as = "uninitialised";
    return out;
  }
  if (actual.numel() == 0) {
    OutputVerdict out;
    out.verdict = context.standard.empty;
    out.judged_as = label;
    if (out.verdict != Verdict::kPass) out.reason = code::kEmpty;
    out.message = "no elements";
    return out;
  }
  OutputVerdict out = judge_values(context, actual, *reference);
  out.judged_as = label;
  return out;
}

}  // namespace assay
