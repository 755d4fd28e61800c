#include "tile.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "decode.hpp"
#include "tile_kernel.hpp"

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

/// |d| and |e| of every element, padded.
void measure(Tile& tile) {
  const int padded = tile.pad(kTilePadding);
  if (tile.parts == 1) {
    measure_reals(tile.actual, tile.expected, padded, tile.difference, tile.magnitude);
    return;
  }
  for (int i = 0; i < tile.n; ++i) {
    const int re = 2 * i;
    const int im = re + 1;
    tile.difference[i] = std::hypot(tile.actual[re] - tile.expected[re], tile.actual[im] - tile.expected[im]);
    tile.magnitude[i] = std::hypot(tile.expected[re], tile.expected[im]);
  }
}

/// Expected in the actual's dtype.
void round_expected(Tile& tile, assay_dtype actual, assay_dtype expected) {
  const int count = tile.n * tile.parts;
  if (actual == expected) {
    std::copy_n(tile.expected, count, tile.rounded);
  } else {
    for (int i = 0; i < count; ++i) tile.rounded[i] = round_to(actual, tile.expected[i]);
  }
}

/// Of complex numbers the larger distance of their parts.
void measure_ulp(Tile& tile, const Format& format) {
  if (tile.parts == 1) {
    rank_distances(format, tile.actual, tile.rounded, tile.pad(kTilePadding), tile.ulp);
    return;
  }
  std::uint64_t distances[2 * Tile::kSize];
  rank_distances(format, tile.actual, tile.rounded, 2 * tile.pad(kTilePadding), distances);
  for (int i = 0; i < tile.n; ++i) tile.ulp[i] = std::max(distances[2 * i], distances[2 * i + 1]);
}

/// 64-bit integers lie closer than doubles: their distances are taken before they are widened.
void measure_wide_integers(Tile& tile, assay_dtype actual, const std::byte* actual_raw, assay_dtype expected,
                           const std::byte* expected_raw) {
  for (int i = 0; i < tile.n; ++i) {
    tile.ulp[i] = integer_distance(load_integer(actual, actual_raw, i), load_integer(expected, expected_raw, i));
    tile.difference[i] = static_cast<double>(tile.ulp[i]);
  }
}

/// The distance of integers is their difference; a floating-point expected is rounded first.
void measure_whole_ulp(Tile& tile) {
  for (int i = 0; i < tile.n; ++i) {
    const double distance = std::fabs(tile.actual[i] - tile.rounded[i]);
    tile.ulp[i] = distance < 0x1p63 ? static_cast<std::uint64_t>(distance) : std::uint64_t{1} << 63;
  }
}

}  // namespace

int Tile::pad(int multiple) {
  const int padded = (n + multiple - 1) / multiple * multiple;
  for (int i = n * parts; i < padded * parts; ++i) actual[i] = expected[i] = rounded[i] = 0;
  for (int i = n; i < padded; ++i) {
    difference[i] = magnitude[i] = 0;
    ulp[i] = 0;
  }
  return padded;
}

PairReader::PairReader(const Source& actual, const Source& expected)
    : actual_(actual),
      expected_(expected),
      format_(format_of(actual.dtype())),
      complex_(assay::is_complex(actual.dtype()) || assay::is_complex(expected.dtype())),
      wide_integers_(is_whole(actual.dtype()) && is_whole(expected.dtype()) &&
                     (actual.dtype().bits == 64 || expected.dtype().bits == 64)) {}

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
  if (wide_integers_) measure_wide_integers(tile, actual_.dtype(), actual_raw, expected_.dtype(), expected_raw);
  if (depth == kWithoutUlp) return;
  const assay_dtype part = part_dtype(actual_.dtype());
  round_expected(tile, part, part_dtype(expected_.dtype()));
  if (is_floating(part)) {
    measure_ulp(tile, format_);
  } else if (!wide_integers_) {
    measure_whole_ulp(tile);
  }
}

}  // namespace assay::engine
