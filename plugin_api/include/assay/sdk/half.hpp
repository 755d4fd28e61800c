// assay/sdk/half.hpp: the narrow floating-point formats as numbers: exact widening, narrowing rounded to nearest even.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace assay {

namespace detail {

template <class To, class From>
To bit_cast(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

/// A binary float of at most 16 bits. kInfinity: whether the top exponent holds infinities (IEEE) or numbers (e4m3fn).
template <class Storage, int kExponentBits, int kFractionBits, bool kInfinity>
struct SmallFloat {
  static constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
  static constexpr unsigned kExponentMask = (1u << kExponentBits) - 1;
  static constexpr unsigned kFractionMask = (1u << kFractionBits) - 1;
  static constexpr unsigned kMagnitudeMask = (1u << (kExponentBits + kFractionBits)) - 1;
  static constexpr unsigned kSignShift = kExponentBits + kFractionBits;
  /// IEEE: the infinity's pattern. e4m3fn: the NaN's.
  static constexpr unsigned kTop = kInfinity ? kExponentMask << kFractionBits : kMagnitudeMask;

  static double widen(Storage bits) {
    const unsigned magnitude = bits & kMagnitudeMask;
    const bool negative = ((bits >> kSignShift) & 1u) != 0;
    const unsigned exponent = magnitude >> kFractionBits;
    const unsigned fraction = magnitude & kFractionMask;
    double value = 0;
    if (magnitude > kTop || (!kInfinity && magnitude == kTop)) {
      value = std::numeric_limits<double>::quiet_NaN();
    } else if (kInfinity && magnitude == kTop) {
      value = std::numeric_limits<double>::infinity();
    } else if (exponent == 0) {
      value = std::ldexp(static_cast<double>(fraction), 1 - kBias - kFractionBits);
    } else {
      value = std::ldexp(static_cast<double>(fraction | (1u << kFractionBits)), static_cast<int>(exponent) - kBias - kFractionBits);
    }
    return negative ? -value : value;
  }

  /// Rounds once, to nearest even; overflow gives infinity, or NaN where the format has none.
  static Storage narrow(double value) {
    const unsigned sign = (std::signbit(value) ? 1u : 0u) << kSignShift;
    if (std::isnan(value)) {
      const unsigned nan = kInfinity ? kTop | (1u << (kFractionBits - 1)) : kTop;
      return static_cast<Storage>(sign | nan);
    }
    const double magnitude = std::fabs(value);
    if (std::isinf(magnitude)) return static_cast<Storage>(sign | kTop);
    if (magnitude == 0) return static_cast<Storage>(sign);
    int exponent = std::ilogb(magnitude);
    if (exponent > kBias + 2) return static_cast<Storage>(sign | kTop);
    if (exponent < 1 - kBias) exponent = 1 - kBias;
    // Scaled so that one unit is the spacing of the format at this exponent; exact, and rint rounds to nearest even.
    const double scaled = std::rint(std::ldexp(magnitude, kFractionBits - exponent));
    const auto units = static_cast<unsigned>(scaled);
    const auto biased = static_cast<unsigned>(exponent + kBias);
    // Normal numbers carry the hidden bit in `units`; a carry out of the fraction moves into the exponent by itself.
    const unsigned bits = ((biased - 1u) << kFractionBits) + units;
    return static_cast<Storage>(sign | (bits > kTop ? kTop : bits));
  }
};

using Half = SmallFloat<std::uint16_t, 5, 10, true>;
using BFloat = SmallFloat<std::uint16_t, 8, 7, true>;
using E4M3FN = SmallFloat<std::uint8_t, 4, 3, false>;
using E5M2 = SmallFloat<std::uint8_t, 5, 2, true>;

}  // namespace detail

inline double float16_to_double(std::uint16_t bits) { return detail::Half::widen(bits); }
inline std::uint16_t double_to_float16(double value) { return detail::Half::narrow(value); }
inline double bfloat16_to_double(std::uint16_t bits) {
  return static_cast<double>(detail::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
}
inline std::uint16_t double_to_bfloat16(double value) { return detail::BFloat::narrow(value); }
inline double float8_e4m3fn_to_double(std::uint8_t bits) { return detail::E4M3FN::widen(bits); }
inline std::uint8_t double_to_float8_e4m3fn(double value) { return detail::E4M3FN::narrow(value); }
inline double float8_e5m2_to_double(std::uint8_t bits) { return detail::E5M2::widen(bits); }
inline std::uint8_t double_to_float8_e5m2(double value) { return detail::E5M2::narrow(value); }

}  // namespace assay
