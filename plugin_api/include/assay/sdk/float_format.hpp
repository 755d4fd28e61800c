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
///
/// Functions take patterns as `Bits` or as any wider unsigned type L, zero-extended: a loop that does arithmetic on 16-bit numbers
/// vectorises if everything in it has the width of a float.
template <class Bits, int kExponentBitsValue, int kFractionBitsValue, bool kHasInfinityValue = true>
struct FloatFormat {
  using Storage = Bits;
  using Signed = std::make_signed_t<Bits>;
  /// What arithmetic is done in, exact for every value of the format, and the unsigned type of the same width.
  using Wide = std::conditional_t<sizeof(Bits) == 8, double, float>;
  using Lane = std::conditional_t<sizeof(Bits) == 8, std::uint64_t, std::uint32_t>;

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

  template <class L>
  static constexpr L magnitude(L bits) {
    return static_cast<L>(bits & kMagnitude);
  }
  /// Magnitudes compare as signed integers too (their sign bit is clear), which is what vector units are best at.
  template <class L>
  static constexpr std::make_signed_t<L> ordered(L bits) {
    return static_cast<std::make_signed_t<L>>(magnitude(bits));
  }
  template <class L>
  static constexpr bool is_finite(L bits) {
    return ordered(bits) < static_cast<std::make_signed_t<L>>(kEnd);
  }
  template <class L>
  static constexpr bool is_nan(L bits) {
    constexpr auto kFirst = static_cast<std::make_signed_t<L>>(kEnd);
    return kHasInfinity ? ordered(bits) > kFirst : ordered(bits) == kFirst;
  }

  /// All bits set where two patterns are different values: +0 and -0 are the same, any two NaNs too.
  template <class L>
  static ASSAY_ALWAYS_INLINE L differ_mask(L left, L right) {
    const auto both_nan = static_cast<L>(lane_mask<L>(is_nan(left)) & lane_mask<L>(is_nan(right)));
    const auto other_bits = static_cast<L>(lane_mask<L>(left != right) & lane_mask<L>(static_cast<L>(left | right) != L{kSign}));
    return static_cast<L>(other_bits & static_cast<L>(~both_nan));
  }

  /// Exact. A NaN keeps sign and payload.
  template <class L>
  static ASSAY_ALWAYS_INLINE Wide widen(L pattern) {
    const auto bits = static_cast<Lane>(pattern);
    if constexpr (sizeof(Bits) >= 4) {
      return detail::same_bits<Wide>(bits);
    } else if constexpr (kExponentBits == 8) {
      return detail::same_bits<float>(bits << (32 - kWidth));
    } else {
      constexpr Lane kKept = 0x80000000u | (Lane{kMagnitude} << (23 - kFractionBits));
      // Sign and magnitude moved to their places in a float are the value times 2^(bias - 127), subnormals included.
      const auto placed = static_cast<Lane>(static_cast<std::int32_t>(bits << (32 - kWidth)) >> (8 - kExponentBits)) & kKept;
      const Lane number = detail::same_bits<Lane>(detail::same_bits<float>(placed) * scale(127 - kBias));
      const Lane special = lane_mask<Lane>(!is_finite(bits)) & (kHasInfinity ? 0x7f800000u : 0x7fc00000u);
      return detail::same_bits<float>(number | special);
    }
  }

  /// Rounds once, to nearest even; overflow gives infinity, or NaN where the format has none.
  template <class L = Bits>
  static ASSAY_ALWAYS_INLINE L narrow(Wide value) {
    const auto bits = detail::same_bits<Lane>(value);
    if constexpr (sizeof(Bits) >= 4) {
      return static_cast<L>(bits);
    } else {
      constexpr int kShift = 23 - kFractionBits;
      constexpr Lane kFirstNormal = static_cast<Lane>(127 - kBias + 1) << 23;
      constexpr Lane kMagic = static_cast<Lane>(127 - kBias + kShift + 1) << 23;
      constexpr Lane kNan = kEnd | (kHasInfinity ? Lane{1} << (kFractionBits - 1) : Lane{0});
      const auto ordered_bits = static_cast<std::int32_t>(bits & 0x7fffffffu);
      const auto m = static_cast<Lane>(ordered_bits);
      // Adding a number whose unit is the format's smallest subnormal makes the float unit round for us.
      const Lane subnormal = detail::same_bits<Lane>(detail::same_bits<float>(m) + detail::same_bits<float>(kMagic)) - kMagic;
      const Lane rounded = m - kFirstNormal + (1u << 23) + ((1u << (kShift - 1)) - 1u) + ((m >> kShift) & 1u);
      const Lane is_small = lane_mask<Lane>(ordered_bits < static_cast<std::int32_t>(kFirstNormal));
      const Lane out = select<Lane>(is_small, subnormal, rounded >> kShift);
      const Lane too_large = lane_mask<Lane>(static_cast<std::int32_t>(out) > static_cast<std::int32_t>(kEnd));
      const Lane nan = lane_mask<Lane>(ordered_bits > 0x7f800000);
      const Lane number = select<Lane>(too_large, kEnd, out);
      return static_cast<L>(((bits >> 31) << (kWidth - 1)) | select<Lane>(nan, kNan, number));
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
