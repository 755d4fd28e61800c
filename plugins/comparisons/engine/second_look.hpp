// plugins/comparisons/engine/second_look.hpp: what needs a number of the whole pair first: worst elements, the error scaled by the
// expected's size, the tolerance that passes, the median, positions.
//
// The walk leaves bounds for each block. They tell which few blocks can hold a winner; only these are read again, best bound first.
#pragma once

#include <array>

#include "walk.hpp"

namespace assay::engine {

/// Blocks that are read again at most to place the median inside its octave; all of them where there are no more.
inline constexpr std::size_t kMedianBlocks = 32;

struct SecondLook {
  std::int64_t first_mismatch = -1;
  std::int64_t first_class_mismatch = -1;
  std::array<std::int64_t, kWorstCount> worst;  ///< -1: no further element differs
  double max_scaled = 0;
  double max_rtol = 0;
  double median_relative = 0;
};

SecondLook look_again(const PairReader& reader, const Plan& plan, const Walk& walk);

}  // namespace assay::engine
