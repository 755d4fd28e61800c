// assay/sdk/float_format.hpp: the binary floating-point formats as bit patterns, in loops that the compiler can vectorise.
//
//   assay::visit_format(dtype, [&](auto format) { using F = decltype(format); ... F::widen(bits) ... });
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "assay/sdk/dtype.hpp"
#include "assay/sdk/error.hpp"
#include "assay/sdk/simd.hpp"

namespace assay {

namespace detail {

template <class To, class From>
ASSAY_ALWAYS_INLINE To same_bits(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

}  // namespace detail

/// A binary format of sign, exponent and fraction. kHasInfinity: the top exponent holds infinities and NaNs; if not (e4m3fn) it
/// holds numbers and only the pattern of all ones is NaN.
template <class Bits, int kExponentBitsValue, int kFractionBitsValue, bool kHasInfinityValue = true>
struct FloatFormat {
  using Storage = Bits;
  using Signed = std::make_signed_t<Bits>;
  /// What arithmetic is done in: exact for every value of the format.
  using Wide = std::conditional_t<sizeof(Bits) == 8, double, float>;

  static constexpr int kWidth = static_cast<int>(sizeof(Bits)) * 8;
  static constexpr int kExponentBits = kExponentBitsValue;
  static constexpr int kFractionBits = kFractionBitsValue;
  static constexpr bool kHasInfinity = kHasInfinityValue;
  static constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
  static constexpr Bits kSign = static_cast<Bits>(Bits{1} << (kWidth - 1));
  static constexpr Bits kMagnitude = static_cast<Bits>(kSign - 1);
  static constexpr Bits kMinNormal = static_cast<Bits>(Bits{1} << kFractionBits);
  /// The first magnitude that is no number: infinity, or e4m3fn's NaN.
  static constexpr Bits kEnd = kHasInfinity ? static_cast<Bits>(kMagnitude >> kFractionBits << kFractionBits) : kMagnitude;

  static constexpr Bits magnitude(Bits bits) { return static_cast<Bits>(bits & kMagnitude); }
  static constexpr bool is_finite(Bits bits) { return magnitude(bits) < kEnd; }
  static constexpr bool is_nan(Bits bits) { return magnitude(bits) > kEnd || (!kHasInfinity && magnitude(bits) == kEnd); }

  /// Whether two patterns are different values: +0 and -0 are the same, any two NaNs too.
  static constexpr bool differ(Bits left, Bits right) {
    return left != right && (left | right) != kSign && !(is_nan(left) && is_nan(right));
  }

  /// Exact. A NaN keeps its payload and becomes quiet.
  static ASSAY_ALWAYS_INLINE Wide widen(Bits bits) {
    if constexpr (sizeof(Bits) >= 4) {
      return detail::same_bits<Wide>(bits);
    } else {
      constexpr int kShift = 23 - kFractionBits;
      const std::uint32_t sign = static_cast<std::uint32_t>(bits & kSign) << (32 - kWidth);
      const std::uint32_t m = magnitude(bits);
      // As a float, the shifted pattern is the value times 2^(bias - 127), subnormals included.
      const std::uint32_t number = detail::same_bits<std::uint32_t>(detail::same_bits<float>(m << kShift) * scale(127 - kBias));
      const std::uint32_t special = 0x7f800000u | (m << kShift) | (m == kEnd && kHasInfinity ? 0u : 0x00400000u);
      return detail::same_bits<float>(sign | (m >= kEnd ? special : number));
    }
  }

  /// Rounds once, to nearest even; overflow gives infinity, or NaN where the format has none.
  static ASSAY_ALWAYS_INLINE Bits narrow(Wide value) {
    if constexpr (sizeof(Bits) >= 4) {
      return detail::same_bits<Bits>(value);
    } else {
      constexpr int kShift = 23 - kFractionBits;
      constexpr std::uint32_t kFirstNormal = static_cast<std::uint32_t>(127 - kBias + 1) << 23;
      constexpr std::uint32_t kMagic = static_cast<std::uint32_t>(127 - kBias + kShift + 1) << 23;
      const auto bits = detail::same_bits<std::uint32_t>(value);
      const std::uint32_t m = bits & 0x7fffffffu;
      // Adding a number whose unit is the format's smallest subnormal makes the float unit round for us.
      const std::uint32_t subnormal =
          detail::same_bits<std::uint32_t>(detail::same_bits<float>(m) + detail::same_bits<float>(kMagic)) - kMagic;
      const std::uint32_t rounded = m - kFirstNormal + (1u << 23) + ((1u << (kShift - 1)) - 1u) + ((m >> kShift) & 1u);
      std::uint32_t out = m < kFirstNormal ? subnormal : rounded >> kShift;
      out = out > kEnd ? kEnd : out;
      out = m > 0x7f800000u ? static_cast<std::uint32_t>(kEnd) | (kHasInfinity ? 1u << (kFractionBits - 1) : 0u) : out;
      return static_cast<Bits>(((bits >> 31) << (kWidth - 1)) | out);
    }
  }

 private:
  static constexpr float scale(int exponent) {
    float power = 1.0f;
    for (int i = 0; i < exponent; ++i) power *= 2.0f;
    return power;
  }
};

using Float16 = FloatFormat<std::uint16_t, 5, 10>;
using BFloat16 = FloatFormat<std::uint16_t, 8, 7>;
using Float32 = FloatFormat<std::uint32_t, 8, 23>;
using Float64 = FloatFormat<std::uint64_t, 11, 52>;
using Float8E4M3FN = FloatFormat<std::uint8_t, 4, 3, false>;
using Float8E5M2 = FloatFormat<std::uint8_t, 5, 2>;

/// The dtype of one component: of a complex number its real type, else the dtype itself.
constexpr assay_dtype component_dtype(assay_dtype dtype) {
  return is_complex(dtype) ? make_dtype(ASSAY_DTYPE_FLOAT, dtype.bits / 2) : dtype;
}
constexpr int components_of(assay_dtype dtype) { return is_complex(dtype) ? 2 : 1; }

/// Calls f with the FloatFormat of a floating dtype, or of a complex dtype's components; throws Error(ASSAY_UNSUPPORTED) for
/// others.
template <class F>
auto visit_format(assay_dtype dtype, F&& f) {
  const assay_dtype component = component_dtype(dtype);
  if (component == kFloat32) return f(Float32{});
  if (component == kFloat16) return f(Float16{});
  if (component == kBFloat16) return f(BFloat16{});
  if (component == kFloat64) return f(Float64{});
  if (component == kFloat8E4M3FN) return f(Float8E4M3FN{});
  if (component == kFloat8E5M2) return f(Float8E5M2{});
  throw Error(ASSAY_UNSUPPORTED, "dtype " + std::string(dtype_name(dtype)) + " is no floating-point type");
}

}  // namespace assay
