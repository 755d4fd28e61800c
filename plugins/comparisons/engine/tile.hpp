// plugins/comparisons/engine/tile.hpp: a few hundred pairs of any dtypes as doubles, with their distances.
//
//   Tile tile;
//   PairReader reader(actual, expected);
//   reader.read(begin, n, tile);            // n <= Tile::kSize
//   for (int i = 0; i < tile.n; ++i) use(tile.difference[i], tile.magnitude[i], tile.ulp[i]);
#pragma once

#include <cstdint>

#include "format.hpp"
#include "source.hpp"

namespace assay::engine {

struct Tile {
  static constexpr int kSize = 512;

  int n = 0;
  int parts = 1;               ///< doubles an element: 2 for complex, real part first
  double actual[2 * kSize];    ///< exact but for 64-bit integers beyond 2^53
  double expected[2 * kSize];  ///< likewise
  double rounded[2 * kSize];   ///< expected, rounded to the actual's dtype
  double difference[kSize];    ///< |a - e|, of the exact values; not a number where a part is not finite
  double magnitude[kSize];     ///< |e|
  std::uint64_t ulp[kSize];    ///< between the ordered numbers of actual and rounded; of complex: the larger part

  /// Fills up to a multiple of `multiple` elements (a divisor of kSize) with equal pairs of zeros; returns the padded number.
  int pad(int multiple);
};

class PairReader {
 public:
  /// Both borrowed; the same number of elements.
  PairReader(const Source& actual, const Source& expected);

  /// Fills the tile with elements [begin, begin + n). [any-thread]
  enum Depth { kWithoutUlp, kWithUlp };  ///< without: `rounded` and `ulp` stay as they are
  void read(std::int64_t begin, int n, Tile& tile, Depth depth) const;

  [[nodiscard]] const Source& actual() const { return actual_; }
  [[nodiscard]] const Source& expected() const { return expected_; }
  [[nodiscard]] bool is_complex() const { return complex_; }

 private:
  const Source& actual_;
  const Source& expected_;
  Format format_;
  bool complex_;
  bool wide_integers_;  ///< integers on both sides, 64-bit ones among them
};

}  // namespace assay::engine
