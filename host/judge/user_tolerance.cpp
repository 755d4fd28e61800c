#include "judge/user_tolerance.hpp"

#include <cmath>
#include <limits>

#include "base/text.hpp"
#include "judge/codes.hpp"
#include "judge/messages.hpp"

namespace assay {

namespace {

OutputVerdict failed_at(const char* code, std::string message, WorstElement element) {
  OutputVerdict out;
  out.verdict = Verdict::kError;
  out.reason = code;
  out.message =
      std::move(message) + " at " + format_shape(element.index) + ": actual " + element.actual + ", expected " + element.expected;
  out.worst = std::move(element);
  return out;
}

}  // namespace

std::optional<OutputVerdict> exceeds_tolerance(const Selection& selection, double rtol, double atol) {
  const TensorView a = selection.actual().view();
  const TensorView e = selection.expected().view();
  std::int64_t count = 0;
  std::int64_t worst = -1;
  double worst_ratio = 0;
  for (std::int64_t i = 0; i < a.numel(); ++i) {
    const double error = difference_at(a, e, i);
    if (error == 0) continue;
    const std::int64_t at = e.offset_of(i);
    const double magnitude = std::hypot(e.number_at(at), e.imaginary_at(at));
    const double allowed = atol + rtol * magnitude;
    if (std::isfinite(error) && std::isfinite(magnitude) && error <= allowed) continue;
    ++count;
    const double ratio = std::isfinite(error) && allowed > 0 ? error / allowed : std::numeric_limits<double>::infinity();
    if (worst < 0 || ratio > worst_ratio) {
      worst = i;
      worst_ratio = ratio;
    }
  }
  if (count == 0) return std::nullopt;
  OutputVerdict out =
      failed_at(code::kToleranceExceeded,
                std::to_string(count) + "/" + std::to_string(a.numel()) + " elements" + selection.scope() + " are outside rtol " +
                    short_number(rtol) + " and atol " + short_number(atol) + " of the pipeline; worst",
                selection.element(worst));
  out.decision = Decision{"tolerance_ratio", worst_ratio, 1};
  return out;
}

std::optional<OutputVerdict> differs_elsewhere(const Selection& selection) {
  auto element = selection.difference_elsewhere();
  if (!element) return std::nullopt;
  return failed_at(code::kOutsideRegion, "an element outside what counts by the pipeline changed", std::move(*element));
}

}  // namespace assay
