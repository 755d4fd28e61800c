#include "judge/conditioning.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "judge/codes.hpp"
#include "judge/messages.hpp"
#include "judge/pairing.hpp"

namespace assay {

namespace {

struct Number {
  double real = 0;
  double imaginary = 0;
};

Number number_of(const TensorView& view, std::int64_t index) {
  const std::int64_t offset = view.offset_of(index);
  return {view.number_at(offset), view.imaginary_at(offset)};
}

/// Distance of two numbers; infinite where one is finite and the other isn't, or they are different infinities.
double distance(const Number& left, const Number& right) {
  const auto part = [](double l, double r) {
    if (l == r || (std::isnan(l) && std::isnan(r))) return 0.0;
    const double d = std::fabs(l - r);
    return std::isnan(d) ? std::numeric_limits<double>::infinity() : d;
  };
  return std::hypot(part(left.real, right.real), part(left.imaginary, right.imaginary));
}

std::vector<const Tensor*> nudged_tensors(const JudgeContext& context, std::size_t position, const Tensor& expected) {
  std::vector<const Tensor*> out;
  for (const auto& run : context.judgement.nudged) {
    const std::vector<Leaf> leaves = flatten(run);
    if (position >= leaves.size()) continue;
    const auto* tensor = leaves[position].value->get_if<Tensor>();
    if (tensor != nullptr && tensor->shape() == expected.shape()) out.push_back(tensor);
  }
  return out;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

void excuse_by_conditioning(const JudgeContext& context, std::size_t position, const Tensor& actual, const Tensor& expected,
                            OutputVerdict& verdict) {
  const double factor = context.standard.nudge_factor;
  if (factor <= 0 || actual.numel() == 0) return;
  const std::vector<const Tensor*> nudged = nudged_tensors(context, position, expected);
  if (nudged.empty()) return;

  const auto n = static_cast<std::size_t>(actual.numel());
  std::vector<double> movement(n, 0.0);
  for (const Tensor* tensor : nudged) {
    for (std::size_t i = 0; i < n; ++i) {
      const auto at = static_cast<std::int64_t>(i);
      movement[i] = std::max(movement[i], distance(number_of(tensor->view(), at), number_of(expected.view(), at)));
    }
  }
  // A rule at the tensor's scale allows for that scale, and for elements that stand still by chance. Where every element counts by
  // itself (whole numbers, exact operators) only its own movement does.
  const bool relative = verdict.decision && verdict.decision->metric == "max_scaled_error";
  const double floor = relative ? median(movement) : 0;
  const double limit = relative ? verdict.decision->limit : 0;
  const double scale = rms(expected.view());
  double worst_share = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto at = static_cast<std::int64_t>(i);
    const Number want = number_of(expected.view(), at);
    const double error = distance(number_of(actual.view(), at), want);
    const double magnitude = std::hypot(want.real, want.imaginary);
    const double allowed =
        factor * std::max(movement[i], floor) + limit * std::max(std::isfinite(magnitude) ? magnitude : 0, scale);
    if (!(error <= allowed)) return;  // nan included
    if (std::isfinite(error) && movement[i] > 0) worst_share = std::max(worst_share, error / movement[i]);
  }
  verdict.verdict = Verdict::kPass;
  verdict.reason = code::kConditioning;
  verdict.message = "ill-conditioned inputs: one unit in their last place moves the result as far as the error (at most " +
                    short_number(worst_share) + " times); " + verdict.message;
}

}  // namespace assay
