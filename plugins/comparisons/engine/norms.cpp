#include "norms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "block_scan.hpp"
#include "decode.hpp"
#include "tile_kernel.hpp"

namespace assay::engine {
namespace {

/// Squares of the two sides and their product, each side scaled by a power of two.
struct ScaledSums {
  double actual_square = 0;
  double expected_square = 0;
  double product = 0;
  double square = 0;  ///< of the difference
  int actual_exponent = 0;
  int expected_exponent = 0;
  int difference_exponent = 0;
};

/// Calls f(actual part, expected part) for every part of every finite pair.
template <class F>
void for_each_part(BlockReader& reader, const Walk& walk, F&& f) {
  for (std::size_t block = 0; block < walk.blocks.size(); ++block) {
    reader.for_each_tile(block, [&](std::int64_t, const Tile& tile) {
      for (int i = 0; i < tile.n; ++i) {
        if (!is_finite_pair(tile, i)) continue;
        for (int part = i * tile.parts; part < (i + 1) * tile.parts; ++part) f(tile.actual[part], tile.expected[part]);
      }
      return true;
    });
  }
}

int exponent_of(double largest) { return largest == 0 ? 0 : std::ilogb(largest); }

ScaledSums add_scaled(BlockReader& reader, const Walk& walk) {
  double max_actual = 0;
  double max_expected = 0;
  double max_half_difference = 0;
  for_each_part(reader, walk, [&](double actual, double expected) {
    max_actual = std::max(max_actual, std::fabs(actual));
    max_expected = std::max(max_expected, std::fabs(expected));
    max_half_difference = std::max(max_half_difference, std::fabs(actual / 2 - expected / 2));
  });
  ScaledSums sums;
  sums.actual_exponent = exponent_of(max_actual);
  sums.expected_exponent = exponent_of(max_expected);
  sums.difference_exponent = exponent_of(max_half_difference);
  for_each_part(reader, walk, [&](double actual, double expected) {
    const double a = std::ldexp(actual, -sums.actual_exponent);
    const double e = std::ldexp(expected, -sums.expected_exponent);
    const double d = std::ldexp(actual / 2 - expected / 2, -sums.difference_exponent);
    sums.actual_square += a * a;
    sums.expected_square += e * e;
    sums.product += a * e;
    sums.square += d * d;
  });
  // Halves were squared.
  sums.difference_exponent += 1;
  return sums;
}

/// Whether a sum of squares is precise: it neither overflowed nor lost terms that count to underflow.
bool is_safe(double sum, bool all_zero) { return all_zero || (std::isfinite(sum) && sum > 0x1p-900); }

double cosine_of(double product, double actual_square, double expected_square) {
  if (actual_square == 0 && expected_square == 0) return 1;
  if (actual_square == 0 || expected_square == 0) return 0;
  // One root of the product: exact where both are equal.
  const double squares = actual_square * expected_square;
  const bool in_range = std::isfinite(squares) && squares >= std::numeric_limits<double>::min();
  const double lengths = in_range ? std::sqrt(squares) : std::sqrt(actual_square) * std::sqrt(expected_square);
  return std::clamp(product / lengths, -1.0, 1.0);
}

}  // namespace

Norms find_norms(BlockReader& reader, const Walk& walk) {
  const Totals& t = walk.totals;
  Norms norms;
  if (t.finite == 0) return norms;
  const double root_count = std::sqrt(static_cast<double>(t.finite));
  // Only doubles have squares beyond the range of double.
  const bool wide =
      part_dtype(reader.pair().actual().dtype()) == kFloat64 || part_dtype(reader.pair().expected().dtype()) == kFloat64;
  if (!wide || (is_safe(t.actual_square, t.zero_actual == t.count) && is_safe(t.expected_square, t.max_magnitude == 0) &&
                is_safe(t.square, t.max_difference == 0))) {
    norms.expected = std::sqrt(t.expected_square);
    norms.difference = std::sqrt(t.square);
    norms.rms_expected = norms.expected / root_count;
    norms.cosine = cosine_of(t.product, t.actual_square, t.expected_square);
    return norms;
  }
  const ScaledSums sums = add_scaled(reader, walk);
  norms.expected = std::ldexp(std::sqrt(sums.expected_square), sums.expected_exponent);
  norms.difference = std::ldexp(std::sqrt(sums.square), sums.difference_exponent);
  norms.rms_expected = std::ldexp(std::sqrt(sums.expected_square) / root_count, sums.expected_exponent);
  norms.cosine = cosine_of(sums.product, sums.actual_square, sums.expected_square);
  return norms;
}

}  // namespace assay::engine
