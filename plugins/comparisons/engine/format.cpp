#include "format.hpp"

#include <algorithm>
#include <cmath>

namespace assay::engine {
namespace {

Format floating(int precision, int min_exponent, double largest) {
  return {true, precision, std::ldexp(1.0, 1 - precision), std::ldexp(1.0, min_exponent), largest};
}

Format floating_of_width(int bits) {
  switch (bits) {
    case 16: return floating(11, -14, 65504.0);
    case 32: return floating(24, -126, std::ldexp(2.0 - std::ldexp(1.0, -23), 127));
    default: return floating(53, -1022, std::ldexp(2.0 - std::ldexp(1.0, -52), 1023));
  }
}

}  // namespace

Format format_of(assay_dtype dtype) {
  switch (dtype.code) {
    case ASSAY_DTYPE_FLOAT: return floating_of_width(dtype.bits);
    case ASSAY_DTYPE_COMPLEX: return floating_of_width(dtype.bits / 2);
    case ASSAY_DTYPE_BFLOAT: return floating(8, -126, std::ldexp(2.0 - std::ldexp(1.0, -7), 127));
    case ASSAY_DTYPE_FLOAT8_E4M3FN: return floating(4, -6, 448.0);
    case ASSAY_DTYPE_FLOAT8_E5M2: return floating(3, -14, 57344.0);
    case ASSAY_DTYPE_BOOL: return {false, 1, 0, 1, 1};
    case ASSAY_DTYPE_INT: return {false, dtype.bits - 1, 0, 1, std::ldexp(1.0, dtype.bits - 1) - 1};
    default: return {false, dtype.bits, 0, 1, std::ldexp(1.0, dtype.bits) - 1};
  }
}

bool is_supported(assay_dtype dtype) { return dtype_name(dtype) != "unknown"; }

PeerLimits peer_limits(assay_dtype actual, assay_dtype expected) {
  PeerLimits limits;
  const Format tested = format_of(actual);
  limits.is_single = actual.bits <= 32 && expected.bits <= 32;
  limits.largest = tested.largest;
  // bfloat16 and float8 are computed in float32.
  limits.overflow = std::max(tested.largest, actual == kFloat16 ? 0.0 : format_of(kFloat32).largest);
  // The peer turns bfloat16 into float32, so its expected side has float32's epsilon unless it is replaced.
  limits.epsilon = actual == kBFloat16 ? std::ldexp(1.0, -8) : format_of(expected == kBFloat16 ? kFloat32 : expected).epsilon;
  if (actual == kFloat16) {
    limits.small_value = std::ldexp(1.0, -10);
    limits.atol_absolute = std::ldexp(1.0, -16);
    limits.atol_benchmark = 1e-16;
    limits.rtol = std::ldexp(1.0, -10);
  } else if (actual == kBFloat16) {
    limits.small_value = std::ldexp(1.0, -10);
    limits.atol_absolute = 1e-16;
    limits.atol_benchmark = 1e-16;
    limits.rtol = std::ldexp(1.0, -8);
  } else {
    limits.small_value = std::ldexp(1.0, -20);
    limits.atol_absolute = std::ldexp(1.0, -30);
    limits.atol_benchmark = std::ldexp(1.0, -30);
    limits.rtol = std::ldexp(1.0, -20);
  }
  limits.signed_ulp = actual == kFloat8E4M3FN || actual == kFloat8E5M2;
  limits.has_ulp = limits.signed_ulp || actual == kFloat16 || actual == kBFloat16 || actual == kFloat32;
  limits.ulp_min_exponent = actual == kFloat16 ? -14 : -126;
  limits.ulp_fraction_bits = tested.precision - 1;
  limits.ulp_share_above = actual == kFloat32 ? 32.0 : 1.0;
  return limits;
}

}  // namespace assay::engine
