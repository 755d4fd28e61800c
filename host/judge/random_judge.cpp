#include "judge/random_judge.hpp"

#include <cmath>

#include "base/text.hpp"
#include "judge/arguments.hpp"
#include "judge/codes.hpp"
#include "judge/elements.hpp"
#include "judge/messages.hpp"
#include "judge/statistics.hpp"

namespace assay {

namespace {

OutputVerdict verdict_of(Verdict verdict, const char* code, std::string message) {
  OutputVerdict out;
  out.verdict = verdict;
  out.reason = code;
  out.message = std::move(message);
  out.judged_as = "random";
  return out;
}

/// Severity of an event of that probability: inside pass_sigma, inside warning_sigma, beyond.
Verdict severity(const Kind& kind, double p_value) {
  if (p_value >= two_sided_tail(kind.pass_sigma)) return Verdict::kPass;
  return p_value >= two_sided_tail(kind.warning_sigma) ? Verdict::kWarning : Verdict::kError;
}

/// Zeros among the elements (or units) that the input doesn't make zero by itself, and survivors with a wrong value.
struct DropoutCount {
  double units = 0;
  double zeros = 0;
  double wrong = 0;
  std::int64_t first_wrong = -1;
};

std::int64_t unit_size(const Tensor& tensor, std::size_t unit_dims) {
  std::int64_t size = 1;
  const auto& shape = tensor.shape();
  for (std::size_t d = shape.size() - std::min(unit_dims, shape.size()); d < shape.size(); ++d) size *= shape[d];
  return size;
}

DropoutCount count_dropout(const Tensor& actual, const Tensor& input, double p, std::int64_t unit) {
  const TensorView a = actual.view();
  const TensorView x = input.view();
  const double tolerance = 4 * std::max(dtype_epsilon(actual.dtype()), dtype_epsilon(input.dtype()));
  DropoutCount out;
  for (std::int64_t start = 0; start + unit <= a.numel(); start += unit) {
    std::int64_t live = 0;
    std::int64_t zeros = 0;
    for (std::int64_t i = start; i < start + unit; ++i) {
      const double from = x.number_at(x.offset_of(i));
      const double got = a.number_at(a.offset_of(i));
      if (from == 0 || !std::isfinite(from)) continue;
      ++live;
      if (got == 0) {
        ++zeros;
      } else if (const double want = from / (1 - p); !(std::fabs(got - want) <= tolerance * std::fabs(want))) {
        out.wrong += 1;
        if (out.first_wrong < 0) out.first_wrong = i;
      }
    }
    if (live == 0) continue;
    out.units += 1;
    if (zeros == live) {
      out.zeros += 1;
    } else if (zeros != 0 && out.first_wrong < 0) {
      // A unit is dropped as a whole or not at all.
      out.wrong += 1;
      out.first_wrong = start;
    }
  }
  return out;
}

DropoutCount count_mask(const Tensor& mask) {
  const TensorView view = mask.view();
  DropoutCount out;
  out.units = static_cast<double>(view.numel());
  view.for_each_offset([&](std::int64_t, std::int64_t offset) { out.zeros += view.number_at(offset) == 0 ? 1 : 0; });
  return out;
}

/// What the generator's zeros are laid over: the input, or the arriving gradient.
const Tensor* dropout_source(const Judgement& judgement) {
  if (judgement.direction != "backward") return tensor_argument(judgement, 0);
  if (judgement.grad_outputs == nullptr || judgement.grad_outputs->empty()) return nullptr;
  return judgement.grad_outputs->front().get_if<Tensor>();
}

std::optional<OutputVerdict> judge_dropout(const JudgeContext& context, const Kind& kind, const Tensor& actual) {
  const auto p = number_argument(context.judgement, kind.probability);
  if (!p || *p <= 0) return std::nullopt;
  const Tensor* const source = dropout_source(context.judgement);
  const bool mask = actual.dtype() == kBool;
  if (!mask && (source == nullptr || source->shape() != actual.shape())) return std::nullopt;
  const DropoutCount count = mask ? count_mask(actual) : count_dropout(actual, *source, *p, unit_size(actual, kind.unit_dims));
  if (count.wrong > 0) {
    return verdict_of(Verdict::kError, code::kSurvivors,
                      short_number(count.wrong) + " surviving elements differ from x/(1-p) with p " + short_number(*p) +
                          "; first at " + format_shape(unravel(count.first_wrong, actual.shape())) + ": " +
                          element_text(actual.view(), count.first_wrong) + " from " +
                          element_text(source->view(), count.first_wrong));
  }
  const double share = count.units > 0 ? count.zeros / count.units : 0;
  const double bound = kind.pass_sigma * std::sqrt(*p * (1 - *p) / std::max(1.0, count.units));
  const std::string text = "share of zeros " + short_number(share) + " of " + short_number(count.units) + ", p " +
                           short_number(*p) + " +- " + short_number(bound) + " at " + short_number(kind.pass_sigma) + " sigma";
  const Verdict verdict = *p >= 1 ? (count.zeros == count.units ? Verdict::kPass : Verdict::kError)
                                  : severity(kind, binomial_p_value(count.units, count.zeros, *p));
  OutputVerdict out = verdict == Verdict::kPass
                          ? verdict_of(verdict, code::kRandomAgrees, "random: " + text + (mask ? "" : "; survivors equal x/(1-p)"))
                          : verdict_of(verdict, code::kZeroShare, text);
  out.decision = Decision{"zero_share", share, *p};
  return out;
}

std::vector<double> sample(const Tensor& tensor) {
  constexpr std::int64_t kLargest = std::int64_t{1} << 20;
  const TensorView view = tensor.view();
  const std::int64_t stride = std::max<std::int64_t>(1, view.numel() / kLargest);
  std::vector<double> out;
  view.for_each_offset([&](std::int64_t i, std::int64_t offset) {
    if (i % stride != 0) return;
    for (const double value : {view.number_at(offset), view.imaginary_at(offset)}) {
      if (!std::isnan(value)) out.push_back(value);
      if (!is_complex(view.dtype())) return;
    }
  });
  return out;
}

std::int64_t count_non_finite(const Tensor& tensor) {
  const TensorView view = tensor.view();
  std::int64_t count = 0;
  view.for_each_offset([&](std::int64_t, std::int64_t offset) {
    count += std::isfinite(view.number_at(offset)) && std::isfinite(view.imaginary_at(offset)) ? 0 : 1;
  });
  return count;
}

OutputVerdict judge_range(const Tensor& actual, const Tensor& expected) {
  const std::int64_t bad = count_non_finite(actual);
  if (bad > 0 && count_non_finite(expected) == 0) {
    return verdict_of(
        Verdict::kError, code::kRandomRange,
        std::to_string(bad) + "/" + std::to_string(actual.numel()) + " elements are nan or inf, the reference has none");
  }
  return verdict_of(Verdict::kPass, code::kRandomAgrees, "random: shape, dtype and finiteness agree; values depend on the seed");
}

OutputVerdict judge_distribution(const Kind& kind, const Tensor& actual, const Tensor& expected) {
  OutputVerdict range = judge_range(actual, expected);
  if (range.verdict != Verdict::kPass) return range;
  std::vector<double> left = sample(actual);
  std::vector<double> right = sample(expected);
  const double p_value = same_distribution_p_value(left, right);
  const Verdict verdict = severity(kind, p_value);
  const std::string text = "probability that both sides' values have one distribution: " + short_number(p_value) +
                           " (Kolmogorov-Smirnov, " + std::to_string(left.size()) + " values)";
  OutputVerdict out = verdict == Verdict::kPass ? verdict_of(verdict, code::kRandomAgrees, "random: " + text)
                                                : verdict_of(verdict, code::kDistribution, text);
  out.decision = Decision{"distribution_p_value", p_value, two_sided_tail(kind.pass_sigma)};
  return out;
}

OutputVerdict judge_zero_counts(const Kind& kind, const Tensor& actual, const Tensor& expected) {
  const double n = static_cast<double>(actual.numel());
  const double difference = std::fabs(count_mask(actual).zeros - count_mask(expected).zeros) / std::max(1.0, n);
  const bool good = n < kind.min_elements || difference < kind.max_share;
  OutputVerdict out =
      verdict_of(good ? Verdict::kPass : Verdict::kError, good ? code::kRandomAgrees : code::kZeroShare,
                 "random: share of zeros differs by " + short_number(difference) + ", limit " + short_number(kind.max_share));
  out.decision = Decision{"zero_share_difference", difference, kind.max_share};
  return out;
}

}  // namespace

std::optional<OutputVerdict> judge_random(const JudgeContext& context, const Kind& kind, const Tensor& actual,
                                          const Tensor& expected) {
  switch (kind.kind) {
    case KindName::kDropout: return judge_dropout(context, kind, actual);
    case KindName::kDistribution: return judge_distribution(kind, actual, expected);
    case KindName::kRange: return judge_range(actual, expected);
    case KindName::kZeroCounts: return judge_zero_counts(kind, actual, expected);
    default: return std::nullopt;
  }
}

}  // namespace assay
