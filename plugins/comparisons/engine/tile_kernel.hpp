// plugins/comparisons/engine/tile_kernel.hpp: vector code for a tile of finite numbers held as doubles, of whatever dtype they
// were.
//
// Arrays are padded with zeros to a multiple of kTilePadding; n counts the padding.
#pragma once

#include <cstdint>

#include "format.hpp"
#include "lane_sum.hpp"

namespace assay::engine {

inline constexpr int kTilePadding = 8;

/// Adds sums of squares and products.
void add_squares(const double* actual, const double* expected, int n, LaneSum& actual_square, LaneSum& expected_square,
                 LaneSum& product, LaneSum& square);

/// |a - e| and |e|.
void measure_reals(const double* actual, const double* expected, int n, double* difference, double* magnitude);

struct RelativeTerms {
  // In. A scale or tolerance that isn't wanted: 0.
  double scale = 0;
  double atol = 0;
  // In and out.
  LaneSum difference_sum;
  LaneSum relative_sum;  ///< of the finite ones
  double max_difference = 0;
  double max_magnitude = 0;
  double max_relative = 0;            ///< where e is not 0
  double max_scaled = 0;              ///< min(|d| / |e|, |d| / scale), where e is not 0
  double max_rtol = 0;                ///< (|d| - atol) / |e|, where e is not 0
  double max_difference_at_zero = 0;  ///< where e is 0
  std::uint64_t different = 0;        ///< d is not 0
  std::uint64_t infinite = 0;         ///< |d| / |e| is infinite
};

/// Adds the terms; bins[i] is the bin of |d| / |e| in the error histogram.
void add_relative(const double* difference, const double* magnitude, int n, RelativeTerms& terms, std::uint8_t* bins);

/// Distances between the ranks of numbers of a floating-point format; finite actual, expected may be infinite.
void rank_distances(const Format& format, const double* actual, const double* expected, int n, std::uint64_t* distances);

/// Adds up distances; bins[i] is the bin of distances[i] in the ulp histogram. Returns the largest.
std::uint64_t add_distances(const std::uint64_t* distances, int n, LaneSum& sum, std::uint8_t* bins);

/// ratios[i] = difference[i] / max(magnitude[i], floor), floor > 0.
void floored_ratios(const double* difference, const double* magnitude, double floor, int n, double* ratios);

}  // namespace assay::engine
