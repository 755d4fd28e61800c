// plugins/comparisons/engine/block.hpp: gathers the totals of one block with any values in it, element by element.
#pragma once

#include "plan.hpp"
#include "tile.hpp"
#include "totals.hpp"

namespace assay::engine {

/// Elements of a block: the unit of the fixed summation order.
inline constexpr int kBlockSize = 2048;

/// The histogram bin of a ulp distance: 0, 1, 2, 3-4, 5-8, ...
int ulp_bin(std::uint64_t ulp);

/// The quarter-octave bin of a relative error >= 0.
int error_bin(double relative);

/// Adds block [begin, begin + n), n <= kBlockSize, to `totals` and `histograms`.
void gather_block(const PairReader& reader, const Plan& plan, std::int64_t begin, int n, Totals& totals, Histograms& histograms);

}  // namespace assay::engine
