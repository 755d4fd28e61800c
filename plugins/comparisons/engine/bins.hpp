// plugins/comparisons/engine/bins.hpp: which bin of a histogram a number falls into.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "metrics.hpp"

namespace assay::engine {

/// Of a ulp distance: 0, 1, 2, 3-4, 5-8, ...
inline int ulp_bin(std::uint64_t ulp) {
  return ulp == 0 ? 0 : std::min(1 + static_cast<int>(std::bit_width(ulp - 1)), kUlpBins - 1);
}

/// The bin of relative errors in [1, 2).
inline constexpr int kUnitErrorBin = kErrorBins - 2;

/// Of a relative error >= 0: bin 0 for equal, then octaves; the first holds everything below 2^-60, the last 2 and more.
inline int error_bin(double relative) {
  if (relative == 0) return 0;
  const int octave = static_cast<int>(std::bit_cast<std::uint64_t>(relative) >> 52) - 1023;
  return std::clamp(octave + kUnitErrorBin, 1, kErrorBins - 1);
}

}  // namespace assay::engine
