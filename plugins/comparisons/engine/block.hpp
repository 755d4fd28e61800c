// plugins/comparisons/engine/block.hpp: gathers the totals of one block, by vector code where its dtype and values allow.
#pragma once

#include "plan.hpp"
#include "tile.hpp"
#include "totals.hpp"

namespace assay::engine {

/// Elements of a block: the unit of the fixed summation order.
inline constexpr int kBlockSize = 2048;

class BlockGatherer {
 public:
  /// Both borrowed.
  BlockGatherer(const PairReader& reader, const Plan& plan);

  /// Adds elements [begin, begin + n), n <= kBlockSize. [any-thread]
  void gather(std::int64_t begin, int n, Totals& totals, Histograms& histograms) const;

 private:
  bool gather_floats(std::int64_t begin, int n, Totals& totals, Histograms& histograms) const;

  const PairReader& reader_;
  const Plan& plan_;
  bool has_vector_code_;
};

}  // namespace assay::engine
