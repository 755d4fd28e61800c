#include "tile.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "decode.hpp"

namespace assay::engine {
namespace {

bool is_whole(assay_dtype dtype) { return is_integer(dtype) || dtype == kBool; }

/// One side of the pair as `parts` doubles an element; a real side beside a complex one gets imaginary zeros.
void decode_side(const Source& source, const std::byte* raw, int n, int parts, double* out) {
  const bool own_parts = is_complex(source.dtype());
  decode(part_dtype(source.dtype()), raw, own_parts ? 2 * n : n, out);
  if (parts == 1 || own_parts) return;
  for (int i = n; i-- > 0;) {
    out[2 * i] = out[i];
    out[2 * i + 1] = 0;
  }
}

}  // namespace

PairReader::PairReader(const Source& actual, const Source& expected)
    : actual_(actual),
      expected_(expected),
      complex_(assay::is_complex(actual.dtype()) || assay::is_complex(expected.dtype())),
      integers_(is_whole(actual.dtype()) && is_whole(expected.dtype())) {}

void PairReader::read(std::int64_t begin, int n, Tile& tile) const {
  std::byte actual_scratch[Tile::kSize * 16];
  std::byte expected_scratch[Tile::kSize * 16];
  const std::byte* actual_raw = actual_.read(begin, n, actual_scratch);
  const std::byte* expected_raw = expected_.read(begin, n, expected_scratch);

  tile.n = n;
  tile.parts = complex_ ? 2 : 1;
  const int count = n * tile.parts;
  decode_side(actual_, actual_raw, n, tile.parts, tile.actual);
  decode_side(expected_, expected_raw, n, tile.parts, tile.expected);

  const assay_dtype part = part_dtype(actual_.dtype());
  if (part == part_dtype(expected_.dtype())) {
    std::copy_n(tile.expected, count, tile.rounded);
  } else {
    for (int i = 0; i < count; ++i) tile.rounded[i] = round_to(part, tile.expected[i]);
  }

  if (integers_) {
    for (int i = 0; i < n; ++i) {
      tile.ulp[i] =
          integer_distance(load_integer(actual_.dtype(), actual_raw, i), load_integer(expected_.dtype(), expected_raw, i));
      tile.difference[i] = static_cast<double>(tile.ulp[i]);
      tile.magnitude[i] = std::fabs(tile.expected[i]);
    }
  } else if (complex_) {
    for (int i = 0; i < n; ++i) {
      const int re = 2 * i;
      const int im = re + 1;
      tile.difference[i] = std::hypot(tile.actual[re] - tile.expected[re], tile.actual[im] - tile.expected[im]);
      tile.magnitude[i] = std::hypot(tile.expected[re], tile.expected[im]);
      tile.ulp[i] = std::max(key_distance(order_key(part, tile.actual[re]), order_key(part, tile.rounded[re])),
                             key_distance(order_key(part, tile.actual[im]), order_key(part, tile.rounded[im])));
    }
  } else {
    for (int i = 0; i < n; ++i) {
      tile.difference[i] = std::fabs(tile.actual[i] - tile.expected[i]);
      tile.magnitude[i] = std::fabs(tile.expected[i]);
      tile.ulp[i] = key_distance(order_key(part, tile.actual[i]), order_key(part, tile.rounded[i]));
    }
  }
}

}  // namespace assay::engine
