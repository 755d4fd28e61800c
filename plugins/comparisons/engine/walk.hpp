// plugins/comparisons/engine/walk.hpp: the one walk over a pair, in chunks that threads take in turn.
//
//   Walk walk = walk_pair(reader, plan, max_threads);
//   walk.totals, walk.histograms; walk.blocks[k] bounds elements [k, k + 1) * kBlockSize
#pragma once

#include <vector>

#include "block.hpp"

namespace assay::engine {

/// Elements of a chunk: what a thread takes at a time.
inline constexpr std::size_t kBlocksInChunk = 8;
inline constexpr std::int64_t kChunkSize = kBlocksInChunk * kBlockSize;

struct BlockBounds : Bounds {
  bool has_mismatch = false;
  bool has_class_mismatch = false;
};

struct Walk {
  Totals totals;
  Histograms histograms;
  std::vector<BlockBounds> blocks;
};

/// The same numbers for any number of threads.
Walk walk_pair(const PairReader& reader, const Plan& plan, unsigned max_threads);

}  // namespace assay::engine
