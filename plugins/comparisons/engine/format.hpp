// plugins/comparisons/engine/format.hpp: what the metrics need to know about a dtype, and its ordered numbers.
//
//   Format f = format_of(kFloat16);                 // precision 11, epsilon 2^-10, ...
#pragma once

#include <cstdint>

#include "assay/sdk/dtype.hpp"

namespace assay::engine {

/// A dtype's numeric limits; of a complex type: its parts'. Integers and bool have epsilon 0 and smallest 1.
struct Format {
  bool floating = false;  ///< real or complex floating point
  int precision = 0;      ///< significant bits, the hidden one included
  double epsilon = 0;     ///< spacing at 1
  double smallest = 1;    ///< smallest normal number
  double largest = 0;     ///< largest finite number
};

Format format_of(assay_dtype dtype);

/// Whether the engine reads the dtype.
bool is_supported(assay_dtype dtype);

/// Thresholds of the peer's float metrics, by the dtype under test (bfloat16, float16, else the default column).
struct PeerLimits {
  double epsilon = 0;  ///< added to |e|: of the expected's dtype, of the actual's for bfloat16
  double small_value = 0;
  double atol_absolute = 0;   ///< of the absolute-threshold standard
  double atol_benchmark = 0;  ///< of the benchmark standard
  double rtol = 0;
  double largest = 0;       ///< non-finite values are clipped to it
  double overflow = 0;      ///< a difference above it is infinite in the peer's arithmetic
  bool has_ulp = false;     ///< the ulp columns exist for this dtype
  bool signed_ulp = false;  ///< the float8 formula
  int ulp_min_exponent = 0;
  int ulp_fraction_bits = 0;
  double ulp_share_above = 0;
};

PeerLimits peer_limits(assay_dtype actual, assay_dtype expected);

}  // namespace assay::engine
