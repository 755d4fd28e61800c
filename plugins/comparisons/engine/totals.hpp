// plugins/comparisons/engine/totals.hpp: what a walk gathers, for a block, a chunk or the whole pair.
//
// Maxima and counts don't depend on the order of adding; sums do, so they are added in one fixed order: eight lanes inside a block
// (element i in lane i mod 8), blocks in order inside a chunk, chunks pairwise.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "metrics.hpp"

namespace assay::engine {

/// Of the peer's float metrics. S: small values, N: normal ones, I: pairs that are not finite in the tested dtype.
struct PeerTotals {
  std::uint64_t below[3] = {};  ///< |d| / (|e| + eps) under 1e-2, 1e-3, 1e-4
  std::uint64_t small = 0;
  std::uint64_t small_over_benchmark = 0;
  std::uint64_t small_over_absolute = 0;
  std::uint64_t normal_over_rtol = 0;
  std::uint64_t special = 0;
  std::uint64_t special_wrong = 0;
  std::uint64_t positive = 0;
  std::uint64_t negative = 0;
  std::uint64_t ulp_over = 0;
  double normal_max_relative = 0;
  double normal_relative = 0;                                 ///< sum
  double normal_square = 0;                                   ///< sum of d^2
  double ulp_max = -std::numeric_limits<double>::infinity();  ///< NaN once an element's is; float8's may be negative
  double ulp = 0;                                             ///< sum

  void merge(const PeerTotals& next);
};

/// What a block holds at most; tells which blocks are worth a second look. Where vector code ran, all but the first may be off by
/// a few roundings of float32.
struct Bounds {
  double max_difference = 0;
  double max_difference_at_zero = 0;  ///< where e is 0
  double max_relative = 0;            ///< |d| / |e| where e is not 0
  double max_scaled = 0;              ///< the smaller of |d| / |e| and |d| / scale_guess, where e is not 0
  double max_rtol = 0;                ///< (|d| - atol) / |e| where e is not 0

  void merge(const Bounds& next);
};

struct Totals {
  std::uint64_t count = 0;
  std::uint64_t finite = 0;  ///< pairs with both sides finite; the numeric fields below are over them
  std::uint64_t mismatch = 0;
  std::uint64_t class_mismatch = 0;
  std::uint64_t nan_actual = 0;
  std::uint64_t nan_expected = 0;
  std::uint64_t pos_inf_actual = 0;
  std::uint64_t pos_inf_expected = 0;
  std::uint64_t neg_inf_actual = 0;
  std::uint64_t neg_inf_expected = 0;
  std::uint64_t equal_nan = 0;  ///< equal in value by the rule that NaN equals NaN
  std::uint64_t equal_inf = 0;
  std::uint64_t zero_actual = 0;
  std::uint64_t finite_relative = 0;  ///< pairs whose |d| / |e| is finite

  double max_difference = 0;
  bool is_rounded = false;   ///< max_difference may be a rounding of float32 off
  double max_magnitude = 0;  ///< |e|
  double max_actual = 0;     ///< |a|; of complex numbers: of their parts
  std::uint64_t max_ulp = 0;

  double actual_square = 0;
  double expected_square = 0;
  double product = 0;
  double square = 0;      ///< d^2
  double difference = 0;  ///< |d|
  double relative = 0;    ///< finite |d| / |e|
  double ulp = 0;

  Bounds bounds;
  PeerTotals peer;

  void merge(const Totals& next);
};

/// Counts by power of two; of the order of adding nothing depends.
struct Histograms {
  std::array<std::uint64_t, kUlpBins> ulp{};
  std::array<std::uint64_t, kErrorBins> error{};

  void merge(const Histograms& next);
};

/// Adds in a fixed tree, so that rounding doesn't grow with the number of chunks.
Totals merge_pairwise(const Totals* first, std::size_t count);

}  // namespace assay::engine
