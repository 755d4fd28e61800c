// Reading and writing of whole tensors. Kernels read their inputs completely before they write, so in-place forms need no care.
//
//   std::vector<double> x = read_real(args.tensor("self"), out.shape);   // broadcast to that shape
//   write_real(out, x);
#pragma once

#include <vector>

#include "core/kernel.hpp"

namespace assay::emulator {

using Reals = std::vector<double>;
using Integers = std::vector<std::int64_t>;
using Complexes = std::vector<Complex>;

std::int64_t count_of(const Shape& shape);
Shape strides_of(const Shape& shape);

/// A view of `view` with the shape it broadcasts to; refuses if it doesn't.
View broadcast(const View& view, const Shape& shape);
/// The shape of two broadcast together; refuses if there is none.
Shape broadcast_shapes(const Shape& a, const Shape& b);

/// Calls visit(n, address) for each element in row-major order.
template <class F>
void each_element(const View& view, F&& visit) {
  const std::int64_t count = view.count();
  const auto size = static_cast<std::int64_t>(item_size(view.dtype));
  if (count == 0) {
    return;
  }
  Shape index(view.rank(), 0);
  std::byte* at = view.data;
  for (std::int64_t n = 0; n < count; ++n) {
    visit(static_cast<std::size_t>(n), at);
    for (std::size_t d = view.rank(); d-- > 0;) {
      at += view.strides[d] * size;
      if (++index[d] < view.shape[d]) {
        break;
      }
      at -= view.strides[d] * view.shape[d] * size;
      index[d] = 0;
    }
  }
}

Reals read_real(const View& view);
Reals read_real(const View& view, const Shape& shape);
Integers read_integer(const View& view);
Integers read_integer(const View& view, const Shape& shape);
Complexes read_complex(const View& view);
Complexes read_complex(const View& view, const Shape& shape);
void write_real(const View& view, const Reals& values);
void write_integer(const View& view, const Integers& values);
void write_complex(const View& view, const Complexes& values);
/// Elements converted to `dtype` as bytes one after the other; for kernels that only move them.
std::vector<std::byte> read_bytes(const View& view, aclDataType dtype);
void write_bytes(const View& view, const std::vector<std::byte>& bytes);
/// Copies `from` to `to` (same number of elements) with the conversion of dtypes.
void convert(const View& from, const View& to);

/// Checks of phase 1.
void require_shape(const View& view, const Shape& shape, const char* name);
void require_castable(aclDataType from, const View& out, const char* name);
/// The axis counted from the front; refuses one that doesn't exist. A scalar has one axis.
std::size_t axis_of(const View& view, std::int64_t dim);
std::string text_of(const Shape& shape);

}  // namespace assay::emulator
