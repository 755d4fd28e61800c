// plugins/comparisons/engine/norms.hpp: lengths of the two tensors and of their difference, and the angle between them.
#pragma once

#include "block_scan.hpp"
#include "walk.hpp"

namespace assay::engine {

/// Over finite pairs.
struct Norms {
  double expected = 0;
  double difference = 0;
  double rms_expected = 0;
  double cosine = 1;  ///< 1 if both lengths are 0, 0 if one is; in [-1, 1]
};

/// From the walk's sums; squares of doubles that leave the range of double are added again, scaled by powers of two.
Norms find_norms(BlockReader& reader, const Walk& walk);

}  // namespace assay::engine
