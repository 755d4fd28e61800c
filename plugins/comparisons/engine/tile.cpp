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

/// |d| and |e| of every element.
void measure(Tile& tile) {
  if (tile.parts == 1) {
    for (int i = 0; i < tile.n; ++i) {
      tile.difference[i] = std::fabs(tile.actual[i] - tile.expected[i]);
      tile.magnitude[i] = std::fabs(tile.expected[i]);
    }
    return;
  }
  for (int i = 0; i < tile.n; ++i) {
    const int re = 2 * i;
    const int im = re + 1;
    tile.difference[i] = std::hypot(tile.actual[re] - tile.expected[re], tile.actual[im] - tile.expected[im]);
    tile.magnitude[i] = std::hypot(tile.expected[re], tile.expected[im]);
  }
}

/// Expected in the actual's dtype, and, for floats, the distances to it.
void measure_ulp(Tile& tile, assay_dtype actual, assay_dtype expected, bool distances) {
  const int count = tile.n * tile.parts;
  if (actual == expected) {
    std::copy_n(tile.expected, count, tile.rounded);
  } else {
    for (int i = 0; i < count; ++i) tile.rounded[i] = round_to(actual, tile.expected[i]);
  }
  if (!distances) return;
  for (int i = 0; i < tile.n; ++i) {
    tile.ulp[i] = 0;
    for (int part = i * tile.parts; part < (i + 1) * tile.parts; ++part) {
      const std::uint64_t distance = key_distance(order_key(actual, tile.actual[part]), order_key(actual, tile.rounded[part]));
      tile.ulp[i] = std::max(tile.ulp[i], distance);
    }
  }
}

}  // namespace

PairReader::PairReader(const Source& actual, const Source& expected)
    : actual_(actual),
      expected_(expected),
      complex_(assay::is_complex(actual.dtype()) || assay::is_complex(expected.dtype())),
      integers_(is_whole(actual.dtype()) && is_whole(expected.dtype())) {}

void PairReader::read(std::int64_t begin, int n, Tile& tile, Depth depth) const {
  std::byte actual_scratch[Tile::kSize * 16];
  std::byte expected_scratch[Tile::kSize * 16];
  const std::byte* actual_raw = actual_.read(begin, n, actual_scratch);
  const std::byte* expected_raw = expected_.read(begin, n, expected_scratch);

  tile.n = n;
  tile.parts = complex_ ? 2 : 1;
  decode_side(actual_, actual_raw, n, tile.parts, tile.actual);
  decode_side(expected_, expected_raw, n, tile.parts, tile.expected);
  measure(tile);
  if (integers_) {
    for (int i = 0; i < n; ++i) {
      tile.ulp[i] =
          integer_distance(load_integer(actual_.dtype(), actual_raw, i), load_integer(expected_.dtype(), expected_raw, i));
      tile.difference[i] = static_cast<double>(tile.ulp[i]);
    }
  }
  if (depth == kWithUlp) measure_ulp(tile, part_dtype(actual_.dtype()), part_dtype(expected_.dtype()), !integers_);
}

}  // namespace assay::engine
