// plugins/comparisons/engine/peer_block.hpp: the peer's float metrics of one block, element by element.
#pragma once

#include "format.hpp"
#include "lane_sum.hpp"
#include "tile.hpp"
#include "totals.hpp"

namespace assay::engine {

class PeerBlock {
 public:
  explicit PeerBlock(const PeerLimits& limits) : limits_(limits) {}

  /// Adds the counts and maxima of a tile of real numbers.
  void gather(const Tile& tile, PeerTotals& totals);

  /// Adds the sums of all tiles.
  void finish(PeerTotals& totals) const;

 private:
  template <class Real>
  void gather_as(const Tile& tile, PeerTotals& totals);

  const PeerLimits& limits_;
  LaneSum normal_relative_, normal_square_, ulp_;
};

}  // namespace assay::engine
