// plugins/operators/common/array.hpp: a dense row-major array of doubles, what every reference implementation computes with.
//
//   Array x = to_array(TensorView(*tensor));
//   Array y = Array::zeros(x.shape);
//   return to_tensor(y);
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "assay/sdk/tensor.hpp"

namespace assay::operators {

using Shape = std::vector<std::int64_t>;

/// Elements of a shape; 1 for a 0-d one.
std::int64_t count(const Shape& shape);
/// Product of the sizes from dimension `first` up to, not with, `last`.
std::int64_t count(const Shape& shape, std::size_t first, std::size_t last);
/// "[2, 3]", for messages.
std::string text(const Shape& shape);
/// Dimension `dim` of `rank`, counted from the end if negative. Throws Error(ASSAY_INVALID_ARGUMENT).
std::size_t wrap_dim(std::int64_t dim, std::size_t rank);

struct Array {
  Shape shape;
  std::vector<double> data;

  static Array zeros(Shape shape);
  [[nodiscard]] std::int64_t numel() const { return static_cast<std::int64_t>(data.size()); }
  [[nodiscard]] const double* at(std::int64_t offset) const { return data.data() + offset; }
  [[nodiscard]] double* at(std::int64_t offset) { return data.data() + offset; }
};

/// Copies any real or bool tensor. Throws Error(ASSAY_UNSUPPORTED) for complex and unknown types and memory off the CPU.
Array to_array(const TensorView& view);
Tensor to_tensor(const Array& array);

/// An array from sums in extended precision.
Array from_sums(Shape shape, const std::vector<long double>& sums);

/// f applied to every element.
Array map(const Array& x, const std::function<double(double)>& f);

/// For each element of `shape`, in order, the offset of the element of `from` that broadcasting puts there.
/// Throws Error(ASSAY_INVALID_ARGUMENT) where `from` does not broadcast to `shape`; `what` names it.
std::vector<std::int64_t> broadcast_offsets(const Shape& from, const Shape& shape, const char* what);
/// The transpose of broadcasting: adds up the elements of `full` that one element of `shape` was copied to.
Array sum_to(const Array& full, const Shape& shape);

/// The tensor's elements in another order and shape: element i of the result is element `order[i]`. Integers stay what they are,
/// floating-point numbers become float64.
Tensor take(const TensorView& view, const std::vector<std::int64_t>& order, const Shape& shape);

}  // namespace assay::operators
