// Moving elements by their index.
//
//   move_elements(in, out, [](const Shape& at, Shape& from) { from = at; from[0] = 0; return true; });
#pragma once

#include <cstring>

#include "kernels/access.hpp"

namespace assay::emulator {

/// Steps `index` to the next one of `shape` in row-major order.
inline void next_index(Shape& index, const Shape& shape) {
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (++index[d] < shape[d]) {
      return;
    }
    index[d] = 0;
  }
}

/// Where the element of `index` lies in row-major order.
inline std::size_t place_of(const Shape& index, const Shape& strides) {
  std::int64_t place = 0;
  for (std::size_t i = 0; i < index.size(); ++i) {
    place += index[i] * strides[i];
  }
  return static_cast<std::size_t>(place);
}

/// out[at] = in[from], where source(at, from) sets `from` and returns true; zero where it returns false.
template <class F>
void move_elements(const View& in, const View& out, F&& source) {
  const std::size_t size = item_size(out.dtype);
  const std::vector<std::byte> bytes = read_bytes(in, out.dtype);
  std::vector<std::byte> result(static_cast<std::size_t>(out.count()) * size, std::byte{0});
  const Shape strides = strides_of(in.shape);
  Shape at(out.rank(), 0);
  Shape from(in.rank(), 0);
  for (std::size_t n = 0; n * size < result.size(); ++n) {
    if (source(static_cast<const Shape&>(at), from)) {
      std::memcpy(result.data() + n * size, bytes.data() + place_of(from, strides) * size, size);
    }
    next_index(at, out.shape);
  }
  write_bytes(out, result);
}

}  // namespace assay::emulator
