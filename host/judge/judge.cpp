#include "judge/judge.hpp"

#include <algorithm>

#include "assay/sdk/error.hpp"
#include "base/text.hpp"
#include "judge/arguments.hpp"
#include "judge/codes.hpp"
#include "judge/factor_judge.hpp"
#include "judge/pairing.hpp"
#include "judge/scalars.hpp"
#include "judge/tensor_judge.hpp"

namespace assay {

struct Judge::Body {
  Body(Standard s, std::vector<ComparisonHandle> comparisons)
      : standard(std::move(s)), metrics(std::move(comparisons)), plans(standard) {}

  Standard standard;
  MetricSet metrics;
  mutable PlanBook plans;
};

namespace {

OutputVerdict verdict_of(Verdict verdict, const char* code, std::string message) {
  OutputVerdict out;
  out.verdict = verdict;
  out.reason = code;
  out.message = std::move(message);
  return out;
}

OutputVerdict judge_scalars(const JudgeContext& context, const Value& actual, const Value& expected) {
  if (context.standard.scalars == ScalarPolicy::kError) {
    return verdict_of(Verdict::kError, code::kNotComparable,
                      "a Python " + std::string(value_kind(actual)) + " is not compared by this standard");
  }
  if (equal_values(actual, expected)) return verdict_of(Verdict::kPass, "", "");
  if (context.standard.scalars == ScalarPolicy::kTolerance && is_number(actual)) {
    const assay_dtype type = context.shape.narrowest_type();
    const auto a = number_as_tensor(actual, type);
    const auto e = number_as_tensor(expected, type);
    if (a && e) return judge_values(context, Selection(*a, *e));
  }
  return verdict_of(Verdict::kError, code::kValueDiffers, "value " + value_text(actual) + ", expected " + value_text(expected));
}

OutputVerdict judge_pair(const JudgeContext& context, std::size_t position, const LeafPair& pair) {
  const bool backward = context.judgement.direction == "backward";
  if (pair.actual == nullptr) {
    return verdict_of(Verdict::kError, code::kMissingOutput, "output is missing, expected " + value_text(*pair.expected));
  }
  if (pair.expected == nullptr) {
    return verdict_of(Verdict::kError, code::kExtraOutput, "the reference has no such output, got " + value_text(*pair.actual));
  }
  const auto* actual = pair.actual->get_if<Tensor>();
  const auto* expected = pair.expected->get_if<Tensor>();
  if (actual != nullptr && expected != nullptr) return judge_tensors(context, position, *actual, *expected);
  const bool actual_none = pair.actual->is<None>();
  const bool expected_none = pair.expected->is<None>();
  if (actual_none && expected_none) return {};
  if (backward && (actual_none || expected_none)) {
    return verdict_of(context.standard.one_sided_gradient, code::kOneSidedGradient,
                      std::string("only the ") + (actual_none ? "reference" : "target") + " gives this gradient");
  }
  if (pair.actual->data.index() != pair.expected->data.index()) {
    return verdict_of(Verdict::kError, code::kKindDiffers,
                      "output is " + value_text(*pair.actual) + ", expected " + value_text(*pair.expected));
  }
  return judge_scalars(context, *pair.actual, *pair.expected);
}

bool counts(const Plan& plan, std::size_t position) {
  if (plan.changed == nullptr || !plan.changed->outputs) return true;
  const auto& outputs = *plan.changed->outputs;
  return std::find(outputs.begin(), outputs.end(), position) != outputs.end();
}

}  // namespace

std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kNone: return "";
    case Verdict::kSkip: return "skip";
    case Verdict::kPass: return "pass";
    case Verdict::kWarning: return "warning";
    case Verdict::kError: return "error";
  }
  return "";
}

Result<Judge> Judge::create(Standard standard, std::vector<ComparisonHandle> comparisons) {
  auto body = std::make_shared<Body>(std::move(standard), std::move(comparisons));
  const Standard::Body& rules = body->standard.body();
  std::vector<std::string> problems;
  const std::vector<std::string> known = body->metrics.scalar_names();
  for (const std::string& name : body->standard.metrics()) {
    if (body->metrics.has(name)) continue;
    const auto similar = similar_names(name, known);
    problems.push_back("judge by standard '" + rules.name + "': no comparison gives its metric '" + name + "'" +
                       (similar.empty() ? "" : " (similar: " + join(similar, ", ") + ")") +
                       "; name it in the comparison's configuration");
  }
  if (!problems.empty()) return input_failure(join(problems, "\n"));
  Judge judge;
  judge.body_ = std::move(body);
  return judge;
}

std::vector<std::string> Judge::metric_names() const { return body_->metrics.scalar_names(); }

std::string Judge::precision_of(std::string_view api, std::string_view direction) const {
  return body_->standard.precision_of(api, direction);
}

std::vector<JudgedOutput> Judge::judge(const Judgement& judgement) const {
  const Plan& plan = body_->plans.plan(judgement.api, judgement.direction);
  const CallShape shape(judgement);
  const JudgeContext context{body_->standard.body(), body_->metrics, plan, judgement, shape};
  const std::vector<LeafPair> pairs = pair_outputs(judgement.actual, judgement.expected);
  std::vector<JudgedOutput> out;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    JudgedOutput row{pairs[i].path, pairs[i].actual, pairs[i].expected, {}};
    if (!counts(plan, i)) {
      row.verdict = verdict_of(Verdict::kSkip, code::kNotCounted, "left out by the pipeline's overrides");
    } else {
      try {
        row.verdict = judge_pair(context, i, pairs[i]);
      } catch (const Error& error) {
        row.verdict = verdict_of(Verdict::kSkip, code::kComparisonFailed, error.what());
      }
    }
    out.push_back(std::move(row));
  }
  for (const Kind* kind : plan.kinds) {
    if (kind->kind == KindName::kFactors && applies(*kind, judgement, nullptr)) judge_factors(context, *kind, pairs, out);
  }
  for (JudgedOutput& row : out) {
    if (row.verdict.judged_as.empty() && row.verdict.verdict != Verdict::kNone) row.verdict.judged_as = plan.op_class.name;
  }
  return out;
}

}  // namespace assay
