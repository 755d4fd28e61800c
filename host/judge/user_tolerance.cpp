#include "judge/user_tolerance.hpp"

#include <cmath>
#include <limits>
#include <memory>

#include "base/text.hpp"
#include "judge/codes.hpp"
#include "judge/elements.hpp"
#include "judge/messages.hpp"

namespace assay {

namespace {

bool same(double actual, double expected) { return actual == expected || (std::isnan(actual) && std::isnan(expected)); }

struct Pair {
  double error = 0;      ///< nan or inf where the classes differ
  double magnitude = 0;  ///< of the expected element
};

Pair compare_at(const TensorView& actual, const TensorView& expected, std::int64_t index) {
  const std::int64_t a = actual.offset_of(index);
  const std::int64_t e = expected.offset_of(index);
  const double real = same(actual.number_at(a), expected.number_at(e)) ? 0 : actual.number_at(a) - expected.number_at(e);
  const double imaginary =
      same(actual.imaginary_at(a), expected.imaginary_at(e)) ? 0 : actual.imaginary_at(a) - expected.imaginary_at(e);
  return {std::hypot(real, imaginary), std::hypot(expected.number_at(e), expected.imaginary_at(e))};
}

std::optional<std::size_t> dim_of(const Tensor& tensor, const Override::Region& region) {
  const auto ndim = static_cast<std::int64_t>(tensor.shape().size());
  const std::int64_t dim = region.dim < 0 ? region.dim + ndim : region.dim;
  if (dim < 0 || dim >= ndim) return std::nullopt;
  if (region.stop > tensor.shape()[static_cast<std::size_t>(dim)]) return std::nullopt;
  return static_cast<std::size_t>(dim);
}

OutputVerdict failed_at(const char* code, std::string message, const Tensor& actual, const Tensor& expected, std::int64_t index) {
  OutputVerdict out;
  out.verdict = Verdict::kError;
  out.reason = code;
  out.worst = worst_element(actual.view(), expected.view(), index);
  out.message = std::move(message) + " at " + format_shape(out.worst->index) + ": actual " + out.worst->actual + ", expected " +
                out.worst->expected;
  return out;
}

}  // namespace

std::optional<OutputVerdict> exceeds_tolerance(const Tensor& actual, const Tensor& expected, double rtol, double atol) {
  const TensorView a = actual.view();
  const TensorView e = expected.view();
  std::int64_t count = 0;
  std::int64_t worst = -1;
  double worst_ratio = 0;
  for (std::int64_t i = 0; i < a.numel(); ++i) {
    const Pair pair = compare_at(a, e, i);
    if (pair.error == 0) continue;
    const double allowed = atol + rtol * pair.magnitude;
    if (std::isfinite(pair.error) && std::isfinite(pair.magnitude) && pair.error <= allowed) continue;
    ++count;
    const double ratio = std::isfinite(pair.error) && allowed > 0 ? pair.error / allowed : std::numeric_limits<double>::infinity();
    if (worst < 0 || ratio > worst_ratio) {
      worst = i;
      worst_ratio = ratio;
    }
  }
  if (count == 0) return std::nullopt;
  OutputVerdict out = failed_at(code::kToleranceExceeded,
                                std::to_string(count) + "/" + std::to_string(a.numel()) + " elements are outside rtol " +
                                    short_number(rtol) + " and atol " + short_number(atol) + " of the pipeline; worst",
                                actual, expected, worst);
  out.decision = Decision{"tolerance_ratio", worst_ratio, 1};
  return out;
}

std::optional<Tensor> cut(const Tensor& tensor, const Override::Region& region) {
  const auto dim = dim_of(tensor, region);
  if (!dim) return std::nullopt;
  const auto& shape = tensor.shape();
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  if (const std::int64_t* own = tensor.abi().dl.strides) strides.assign(own, own + shape.size());
  const std::int64_t skipped = region.start * strides[*dim] * static_cast<std::int64_t>(dtype_size(tensor.dtype()));
  std::vector<std::int64_t> rows = shape;
  rows[*dim] = region.stop - region.start;
  char* const first = static_cast<char*>(tensor.abi().dl.data) + tensor.abi().dl.byte_offset + skipped;
  return Tensor::wrap(first, tensor.dtype(), std::move(rows), std::move(strides), std::make_shared<Tensor>(tensor), true);
}

std::optional<OutputVerdict> differs_outside(const Tensor& actual, const Tensor& expected, const Override::Region& region) {
  const auto dim = dim_of(actual, region);
  if (!dim) return std::nullopt;
  std::int64_t inner = 1;
  for (std::size_t d = *dim + 1; d < actual.shape().size(); ++d) inner *= actual.shape()[d];
  const std::int64_t size = actual.shape()[*dim];
  for (std::int64_t i = 0; i < actual.numel(); ++i) {
    const std::int64_t row = i / inner % size;
    if (row >= region.start && row < region.stop) continue;
    if (compare_at(actual.view(), expected.view(), i).error == 0) continue;
    return failed_at(code::kOutsideRegion, "an element outside the region of the pipeline changed", actual, expected, i);
  }
  return std::nullopt;
}

}  // namespace assay
