#include "judge/selection.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "base/text.hpp"
#include "judge/arguments.hpp"
#include "judge/elements.hpp"

namespace assay {

namespace {

bool same(double actual, double expected) { return actual == expected || (std::isnan(actual) && std::isnan(expected)); }

std::vector<std::int64_t> strides_of(const Tensor& tensor) {
  const std::vector<std::int64_t>& shape = tensor.shape();
  if (const std::int64_t* own = tensor.abi().dl.strides) return {own, own + shape.size()};
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  return strides;
}

char* first_byte(const Tensor& tensor) { return static_cast<char*>(tensor.abi().dl.data) + tensor.abi().dl.byte_offset; }

/// Rows [start, stop) along a dimension, without a copy.
Tensor rows_of(const Tensor& tensor, std::size_t dim, std::int64_t start, std::int64_t stop) {
  std::vector<std::int64_t> strides = strides_of(tensor);
  std::vector<std::int64_t> shape = tensor.shape();
  const std::int64_t skipped = start * strides[dim] * static_cast<std::int64_t>(dtype_size(tensor.dtype()));
  shape[dim] = stop - start;
  return Tensor::wrap(first_byte(tensor) + skipped, tensor.dtype(), std::move(shape), std::move(strides),
                      std::make_shared<Tensor>(tensor), true);
}

/// The elements at these row-major positions, in one dimension.
Tensor gather(const Tensor& tensor, const std::vector<std::int64_t>& places) {
  Tensor out = Tensor::allocate(tensor.dtype(), {static_cast<std::int64_t>(places.size())});
  const std::size_t size = dtype_size(tensor.dtype());
  const TensorView view = tensor.view();
  auto* to = static_cast<char*>(out.abi().dl.data);
  for (const std::int64_t place : places) {
    std::memcpy(to, first_byte(tensor) + view.offset_of(place) * static_cast<std::int64_t>(size), size);
    to += size;
  }
  return out;
}

std::string argument_name(const ArgumentSpec& spec) {
  if (!spec.name.empty()) return "'" + spec.name + "'";
  return "argument " + std::to_string(spec.position.value_or(0));
}

/// Whether a tensor of `shape` stretches to `to` by the usual rules of broadcasting.
bool stretches(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& to) {
  if (shape.size() > to.size()) return false;
  return std::equal(shape.rbegin(), shape.rend(), to.rbegin(), [](std::int64_t s, std::int64_t t) { return s == t || s == 1; });
}

}  // namespace

double difference_at(const TensorView& actual, const TensorView& expected, std::int64_t index) {
  const std::int64_t a = actual.offset_of(index);
  const std::int64_t e = expected.offset_of(index);
  const double real = same(actual.number_at(a), expected.number_at(e)) ? 0 : actual.number_at(a) - expected.number_at(e);
  const double imaginary =
      same(actual.imaginary_at(a), expected.imaginary_at(e)) ? 0 : actual.imaginary_at(a) - expected.imaginary_at(e);
  return std::hypot(real, imaginary);
}

Selection::Selection(const Tensor& actual, const Tensor& expected)
    : whole_actual_(actual), whole_expected_(expected), actual_(actual), expected_(expected) {}

Result<Selection> Selection::make(const Override& wanted, const Judgement& judgement, const Tensor& actual,
                                  const Tensor& expected) {
  Selection out(actual, expected);
  Status status = Done{};
  if (wanted.region) status = out.select_rows(*wanted.region, judgement);
  if (wanted.mask) status = out.select_masked(*wanted.mask, judgement);
  if (!status) return status.failure();
  return out;
}

Status Selection::select_rows(const Override::Region& region, const Judgement& judgement) {
  const std::vector<std::int64_t>& shape = whole_actual_.shape();
  const auto ndim = static_cast<std::int64_t>(shape.size());
  const std::int64_t dim = region.dim < 0 ? region.dim + ndim : region.dim;
  if (dim < 0 || dim >= ndim)
    return input_failure("shape " + format_shape(shape) + " has no dimension " + std::to_string(region.dim));
  const std::int64_t size = shape[static_cast<std::size_t>(dim)];
  std::int64_t stop = region.stop;
  if (region.stop_argument) {
    const std::optional<double> sum = sum_argument(judgement, *region.stop_argument);
    if (!sum) return input_failure("the call has no integers in " + argument_name(*region.stop_argument));
    if (!(*sum >= static_cast<double>(region.start) && *sum <= static_cast<double>(size))) {
      return input_failure(argument_name(*region.stop_argument) + " adds up to " + format_number(*sum) + ", but dimension " +
                           std::to_string(dim) + " has rows " + std::to_string(region.start) + " to " + std::to_string(size));
    }
    stop = static_cast<std::int64_t>(*sum);
  }
  if (stop > size || region.start > size) {
    return input_failure("shape " + format_shape(shape) + " has no rows " + std::to_string(region.start) + " to " +
                         std::to_string(stop) + " in dimension " + std::to_string(dim));
  }
  rows_ = {1, size, region.start, stop};
  for (auto d = static_cast<std::size_t>(dim) + 1; d < shape.size(); ++d) rows_.inner *= shape[d];
  actual_ = rows_of(whole_actual_, static_cast<std::size_t>(dim), region.start, stop);
  expected_ = rows_of(whole_expected_, static_cast<std::size_t>(dim), region.start, stop);
  is_all_ = false;
  return Done{};
}

Status Selection::select_masked(const Override::Mask& mask, const Judgement& judgement) {
  const Tensor* const tensor = tensor_argument(judgement, mask.argument);
  if (tensor == nullptr) return input_failure("the call has no tensor in " + argument_name(mask.argument));
  const std::vector<std::int64_t>& shape = whole_actual_.shape();
  if (!stretches(tensor->shape(), shape)) {
    return input_failure("the mask in " + argument_name(mask.argument) + " has shape " + format_shape(tensor->shape()) +
                         ", which doesn't stretch to " + format_shape(shape));
  }
  // Strides of 0 where the mask has one row for all.
  std::vector<std::int64_t> strides = strides_of(*tensor);
  const std::vector<std::int64_t> own = tensor->shape();
  for (std::size_t d = 0; d < own.size(); ++d) strides[d] = own[d] == 1 ? 0 : strides[d];
  strides.insert(strides.begin(), shape.size() - own.size(), 0);
  const Tensor stretched =
      Tensor::wrap(first_byte(*tensor), tensor->dtype(), shape, std::move(strides), std::make_shared<Tensor>(*tensor), true);
  const TensorView view = stretched.view();
  for (std::int64_t i = 0; i < view.numel(); ++i) {
    const std::int64_t at = view.offset_of(i);
    const bool is_zero = view.number_at(at) == 0 && view.imaginary_at(at) == 0;
    if (is_zero == mask.keeps_zeros) places_.push_back(i);
  }
  actual_ = gather(whole_actual_, places_);
  expected_ = gather(whole_expected_, places_);
  is_masked_ = true;
  is_all_ = false;
  return Done{};
}

bool Selection::counts(std::int64_t index) const {
  if (is_all_) return true;
  if (is_masked_) return std::binary_search(places_.begin(), places_.end(), index);
  const std::int64_t row = index / rows_.inner % rows_.size;
  return row >= rows_.start && row < rows_.stop;
}

WorstElement Selection::element(std::int64_t index) const {
  if (is_masked_) {
    index = places_[static_cast<std::size_t>(index)];
  } else if (!is_all_) {
    const std::int64_t rows = rows_.stop - rows_.start;
    const std::int64_t outer = index / (rows_.inner * rows);
    const std::int64_t row = index / rows_.inner % rows;
    index = (outer * rows_.size + rows_.start + row) * rows_.inner + index % rows_.inner;
  }
  return worst_element(whole_actual_.view(), whole_expected_.view(), index);
}

std::optional<WorstElement> Selection::difference_elsewhere() const {
  for (std::int64_t i = 0; i < whole_actual_.numel(); ++i) {
    if (counts(i) || difference_at(whole_actual_.view(), whole_expected_.view(), i) == 0) continue;
    return worst_element(whole_actual_.view(), whole_expected_.view(), i);
  }
  return std::nullopt;
}

}  // namespace assay
