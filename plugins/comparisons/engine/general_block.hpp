// plugins/comparisons/engine/general_block.hpp: gathers the totals of one block of any dtype with any values in it.
#pragma once

#include "plan.hpp"
#include "tile.hpp"
#include "totals.hpp"

namespace assay::engine {

/// Adds block [begin, begin + n) to `totals` and `histograms`.
void gather_general_block(const PairReader& reader, const Plan& plan, std::int64_t begin, int n, Totals& totals,
                          Histograms& histograms);

}  // namespace assay::engine
