#include "judge/tensor_judge.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "judge/arguments.hpp"
#include "judge/codes.hpp"
#include "judge/conditioning.hpp"
#include "judge/elements.hpp"
#include "judge/index_judge.hpp"
#include "judge/messages.hpp"
#include "judge/random_judge.hpp"
#include "judge/rounding.hpp"
#include "judge/user_tolerance.hpp"

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

void find_worst(const Measured& metrics, const Selection& selection, OutputVerdict& out) {
  const auto element = [&](double index) -> std::optional<WorstElement> {
    // What a plugin says is checked: -1 stands for none.
    if (!(index >= 0) || index >= static_cast<double>(selection.actual().numel())) return std::nullopt;
    return selection.element(static_cast<std::int64_t>(index));
  };
  const auto first = metrics.get("worst_index");
  if (!first) return;
  out.worst = element(*first);
  for (const double index : metrics.all("worst_indices")) {
    if (index == *first) continue;
    if (auto found = element(index)) out.next_worst.push_back(std::move(*found));
  }
}

/// The first kind for this output whose conditions hold; null: judged by value.
const Kind* active_kind(const JudgeContext& context, const Tensor& output) {
  for (const Kind* kind : context.plan.kinds) {
    if (kind->kind != KindName::kFactors && applies(*kind, context.judgement, &output)) return kind;
  }
  return nullptr;
}

bool names_index_output(const Kind& kind, std::size_t position) {
  return kind.kind == KindName::kIndices &&
         std::find(kind.index_outputs.begin(), kind.index_outputs.end(), position) != kind.index_outputs.end();
}

OutputVerdict judge_uninitialised() {
  OutputVerdict out;
  out.verdict = Verdict::kPass;
  out.reason = code::kUninitialised;
  out.message = "memory that nothing was written to: shape and dtype agree, values mean nothing";
  out.judged_as = "uninitialised";
  return out;
}

OutputVerdict judge_empty(const Standard::Body& standard) {
  OutputVerdict out;
  out.verdict = standard.empty;
  if (out.verdict != Verdict::kPass) out.reason = code::kEmpty;
  out.message = "no elements";
  return out;
}

/// Puts a verdict that was reached another way over the one by value; the metrics stay.
void replace(OutputVerdict& out, OutputVerdict by) {
  by.metrics = std::move(out.metrics);
  if (!by.worst) {
    by.worst = std::move(out.worst);
    by.next_worst = std::move(out.next_worst);
  }
  out = std::move(by);
}

void judge_by_kind(const JudgeContext& context, const Kind& kind, std::size_t position, const Tensor& actual,
                   const Tensor& expected, OutputVerdict& out) {
  if (kind.kind == KindName::kIndices) {
    if (!names_index_output(kind, position) || !is_integer(actual.dtype()) || out.verdict != Verdict::kError) return;
    if (auto verdict = judge_indices(context, kind, actual, expected)) {
      verdict->judged_as = "indices";
      replace(out, std::move(*verdict));
    }
  } else if (auto verdict = judge_random(context, kind, actual, expected)) {
    out.worst.reset();
    out.next_worst.clear();
    replace(out, std::move(*verdict));
  }
}

void judge_by_override(const JudgeContext& context, const Selection& selection, OutputVerdict& out) {
  const Override* const changed = context.plan.changed;
  if (changed == nullptr || !changed->rtol) return;
  OutputVerdict agreed;
  agreed.verdict = Verdict::kPass;
  agreed.message = "within rtol " + short_number(*changed->rtol) + " and atol " + short_number(changed->atol) + " of the pipeline";
  replace(out, exceeds_tolerance(selection, *changed->rtol, changed->atol).value_or(std::move(agreed)));
}

/// The elements that the override lets count.
OutputVerdict judge_part(const JudgeContext& context, const Override& wanted, const Tensor& actual, const Tensor& expected) {
  const Result<Selection> selection = Selection::make(wanted, context.judgement, actual, expected);
  if (!selection) return fail(code::kShapeDiffers, "the pipeline's choice of elements doesn't fit: " + selection.failure().message);
  if (wanted.region ? wanted.region->elsewhere_exact : wanted.mask->elsewhere_exact) {
    if (auto elsewhere = differs_elsewhere(*selection)) return std::move(*elsewhere);
  }
  if (selection->actual().numel() == 0) return judge_empty(context.standard);
  OutputVerdict out = judge_values(context, *selection);
  judge_by_override(context, *selection, out);
  return out;
}

}  // namespace

OutputVerdict judge_values(const JudgeContext& context, const Selection& selection) {
  const Tensor& actual = selection.actual();
  const Tensor& expected = selection.expected();
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

  find_worst(metrics, selection, out);
  out.verdict = outcome.verdict;
  if (outcome.rule != nullptr) {
    out.reason = outcome.rule->code;
    out.decision = outcome.decision;
    out.message = rule_message(outcome, metrics, out.worst);
  } else {
    out.message = non_finite_note(metrics);
    if (metrics.get("nan_actual").value_or(0) > 0 && !context.shape.inputs_have_nan()) {
      out.message += "; the nan comes from inputs without nan";
    }
  }
  return out;
}

OutputVerdict judge_tensors(const JudgeContext& context, std::size_t position, const Tensor& actual, const Tensor& expected) {
  if (actual.shape() != expected.shape()) {
    return fail(code::kShapeDiffers, "shape " + format_shape(actual.shape()) + ", expected " + format_shape(expected.shape()));
  }
  const Kind* const kind = active_kind(context, actual);
  std::optional<Tensor> reference = matched(context.standard, actual, expected);
  if (!reference && kind != nullptr && names_index_output(*kind, position) && is_integer(actual.dtype()) &&
      is_integer(expected.dtype())) {
    reference = expected;  // frameworks choose different widths for indices
  }
  if (!reference) {
    return fail(code::kDTypeDiffers,
                "dtype " + std::string(dtype_name(actual.dtype())) + ", expected " + std::string(dtype_name(expected.dtype())));
  }
  if (kind != nullptr && kind->kind == KindName::kUninitialised) return judge_uninitialised();
  if (actual.numel() == 0) return judge_empty(context.standard);

  const Override* const changed = context.plan.changed;
  if (changed != nullptr && (changed->region || changed->mask)) return judge_part(context, *changed, actual, *reference);
  const Selection all(actual, *reference);
  OutputVerdict out = judge_values(context, all);
  if (kind != nullptr) judge_by_kind(context, *kind, position, actual, *reference, out);
  judge_by_override(context, all, out);
  if (out.verdict >= Verdict::kWarning && out.judged_as != "random")
    excuse_by_conditioning(context, position, actual, expected, out);
  return out;
}

}  // namespace assay
