// plugins/comparisons/engine/second_look.hpp: what needs a number of the whole pair first: worst elements, the error scaled by the
// expected's size, the tolerance that passes, the median, positions.
//
// The walk leaves bounds for each block. They tell which few blocks can hold a winner; only these are read again, best bound first.
#pragma once

#include <array>

#include "norms.hpp"
#include "walk.hpp"

namespace assay::engine {

/// Blocks that are read again at most to place the median inside its octave; all of them where there are no more.
inline constexpr std::size_t kMedianBlocks = 16;

/// The bounds of vector code are within this of the right ones, relative.
inline constexpr double kBoundSlack = 0x1p-21;

/// Blocks whose bounds can't be told from the best element found are read again at most this often: among many equal maxima of
/// float32 quotients, the best one found may be a rounding of float32 below the largest.
inline constexpr int kTiedBlocks = 8;

/// About the root mean square of the expected tensor's finite elements, from a few evenly spaced places; 0: unknown.
double guess_scale(const PairReader& reader);

struct SecondLook {
  std::int64_t first_mismatch = -1;
  std::int64_t first_class_mismatch = -1;
  std::array<std::int64_t, kWorstCount> worst;  ///< -1: no further element differs
  Norms norms;
  double max_difference = 0;
  double max_relative = 0;          ///< infinite where an element differs from 0
  double max_relative_nonzero = 0;  ///< over elements with e not 0
  double max_scaled = 0;
  double max_rtol = 0;
  double median_relative = 0;
};

SecondLook look_again(const PairReader& pair, const Plan& plan, const Walk& walk);

}  // namespace assay::engine
