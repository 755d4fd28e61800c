// plugins/comparisons/engine/walk.hpp: the one walk over a pair, in chunks that threads take in turn.
//
//   Walk walk = walk_pair(reader, plan, max_threads);
//   walk.totals, walk.histograms; walk.chunks[k] holds the totals of elements [k, k + 1) * kChunkSize
#pragma once

#include <vector>

#include "block.hpp"

namespace assay::engine {

/// Elements of a chunk: what a thread takes at a time, and what a second look reads again.
inline constexpr std::int64_t kChunkSize = 8 * kBlockSize;

struct Walk {
  Totals totals;
  Histograms histograms;
  std::vector<Totals> chunks;
};

/// The same numbers for any number of threads.
Walk walk_pair(const PairReader& reader, const Plan& plan, unsigned max_threads);

}  // namespace assay::engine
