// plugins/comparisons/engine/format.hpp: what the metrics need to know about a dtype, and its ordered numbers.
//
//   Format f = format_of(kFloat16);  // precision 11, epsilon 2^-10, ...
//   f.rank(1.0)                      // 15360, the bits of 1.0 in float16
#pragma once

#include <cstdint>
#include <cstring>

#include "assay/sdk/dtype.hpp"

namespace assay::engine {

/// A dtype's numeric limits; of a complex type: its parts'. Integers and bool have epsilon 0 and smallest 1.
struct Format {
  bool floating = false;  ///< real or complex floating point
  int precision = 0;      ///< significant bits, the hidden one included
  double epsilon = 0;     ///< spacing at 1
  double smallest = 1;    ///< smallest normal number
  double largest = 0;     ///< largest finite number

  /// Rank of a floating-point number >= 0 of this format: neighbours differ by 1, 0 has 0, infinity follows the largest number.
  [[nodiscard]] std::uint64_t rank(double number) const;
};

Format format_of(assay_dtype dtype);

inline std::uint64_t Format::rank(double number) const {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &number, sizeof bits);
  if (precision == 53) return bits;
  if (number > largest) return rank(largest) + 1;
  // A double has the same order of exponent and fraction, only with more bits in both; subnormal numbers are multiples of their
  // unit.
  if (number < smallest) return static_cast<std::uint64_t>(number / (smallest * epsilon));
  std::uint64_t first_normal = 0;
  std::memcpy(&first_normal, &smallest, sizeof first_normal);
  const int dropped = 53 - precision;
  return ((bits - first_normal) >> dropped) + (std::uint64_t{1} << (precision - 1));
}

/// Whether the engine reads the dtype.
bool is_supported(assay_dtype dtype);

/// Thresholds of the peer's float metrics, by the dtype under test (bfloat16, float16, else the default column).
struct PeerLimits {
  bool is_single = false;  ///< errors are computed in float32, as the peer does where neither side is wider
  double epsilon = 0;      ///< added to |e|: of the expected's dtype, of the actual's for bfloat16
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
