// plugins/comparisons/engine/vector_moments-inl.hpp: the walk over a block's numbers in double: sums, maxima, relative errors.
// Included once for each instruction set.
#if defined(ASSAY_VECTOR_MOMENTS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ASSAY_VECTOR_MOMENTS_INL
#undef ASSAY_VECTOR_MOMENTS_INL
#else
#define ASSAY_VECTOR_MOMENTS_INL
#endif

#include <limits>

#include "float_kernel.hpp"
#include "hwy/highway.h"
#include "vector_bytes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace assay::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Four lanes whatever the width of a vector: element i is added in lane i mod 4, so that every machine adds in the same order.
struct FourLanes {
  using D = hn::CappedTag<double, 4>;
  using V = hn::Vec<D>;
  static constexpr int kWidth = static_cast<int>(hn::MaxLanes(D()));
  static constexpr int kVectors = 4 / kWidth;

  V v[kVectors];

  HWY_INLINE FourLanes() {
    for (V& each : v) each = hn::Zero(D());
  }
  HWY_INLINE void add(int vector, V value) { v[vector % kVectors] = hn::Add(v[vector % kVectors], value); }
  HWY_INLINE void max(int vector, V value) { v[vector % kVectors] = hn::Max(v[vector % kVectors], value); }

  HWY_INLINE void lanes(double* out) const {
    for (int k = 0; k < kVectors; ++k) hn::StoreU(v[k], D(), out + k * kWidth);
  }
  [[nodiscard]] HWY_INLINE double sum() const {
    double lane[4];
    lanes(lane);
    return (lane[0] + lane[2]) + (lane[1] + lane[3]);
  }
  [[nodiscard]] HWY_INLINE double maximum() const {
    double lane[4];
    lanes(lane);
    const double low = lane[0] > lane[1] ? lane[0] : lane[1];
    const double high = lane[2] > lane[3] ? lane[2] : lane[3];
    return low > high ? low : high;
  }
};

struct MomentsResult {
  double actual_square = 0, expected_square = 0, product = 0, square = 0, difference = 0, relative = 0;
  double max_difference = 0, max_difference_at_zero = 0, max_relative = 0;
  int infinite_relative = 0;
};

/// Codes of the relative error's bytes: the low byte of the double's exponent. 255 means [1, 2), one less an octave less, down to
/// kLowestErrorCode; what is 2 and more, and 0, gets codes in [0, 127). Right for errors that are 0 or in [2^-60, 2^127).
inline constexpr unsigned kTopErrorCode = 255;
inline constexpr unsigned kLowestErrorCode = 195;
inline constexpr double kLargestCodedError = 0x1p127;

/// kRelative: with |d| / |e| and its codes. kZeros: expected holds zeros.
template <bool kRelative, bool kZeros>
HWY_INLINE MomentsResult walk_moments(const FloatBlock& block, std::uint8_t* codes) {
  using D = FourLanes::D;
  using V = FourLanes::V;
  const D d;
  const hn::Repartition<std::uint32_t, D> d32;
  const hn::Repartition<std::uint64_t, D> d64;
  const hn::Repartition<std::uint8_t, D> d8;
  const hn::Rebind<float, D> narrow;
  using V32 = hn::Vec<decltype(d32)>;
  constexpr int kWidth = FourLanes::kWidth;

  FourLanes actual_square, expected_square, product, square, difference, relative, max_difference, max_relative, max_at_zero;
  int infinite = 0;
  const V zero = hn::Zero(d);
  const V one_value = hn::Set(d, 1.0);
  const V beyond_codes = hn::Set(d, 4.0);

  const auto one = [&](int at, int vector) HWY_ATTR {
    const V a = hn::PromoteTo(d, hn::LoadU(narrow, block.actual + at));
    const V e = hn::PromoteTo(d, hn::LoadU(narrow, block.expected + at));
    const V signed_difference = hn::Sub(a, e);
    const V absolute = hn::Abs(signed_difference);
    actual_square.add(vector, hn::Mul(a, a));
    expected_square.add(vector, hn::Mul(e, e));
    product.add(vector, hn::Mul(a, e));
    square.add(vector, hn::Mul(signed_difference, signed_difference));
    difference.add(vector, absolute);
    max_difference.max(vector, absolute);
    if constexpr (!kRelative) return zero;
    const V magnitude = hn::Abs(e);
    if constexpr (!kZeros) {
      const V ratio = hn::Div(absolute, magnitude);
      relative.add(vector, ratio);
      max_relative.max(vector, ratio);
      return ratio;
    } else {
      const auto is_zero = hn::Eq(magnitude, zero);
      const V ratio = hn::IfThenZeroElse(is_zero, hn::Div(absolute, hn::IfThenElse(is_zero, one_value, magnitude)));
      relative.add(vector, ratio);
      max_relative.max(vector, ratio);
      const V at_zero = hn::IfThenElseZero(is_zero, absolute);
      max_at_zero.max(vector, at_zero);
      const auto is_infinite = hn::Gt(at_zero, zero);
      infinite += static_cast<int>(hn::CountTrue(d, is_infinite));
      return hn::IfThenElse(is_infinite, beyond_codes, ratio);
    }
  };
  // The upper halves of two vectors of doubles, which hold the exponents.
  const auto two = [&](int at, int vector) HWY_ATTR {
    const V first = one(at, vector);
    const V second = one(at + kWidth, vector + 1);
    return hn::OddEven(hn::BitCast(d32, second), hn::BitCast(d32, hn::ShiftRight<32>(hn::BitCast(d64, first))));
  };
  for (int i = 0; i < block.n; i += 8 * kWidth) {
    const V32 v0 = two(i, 0);
    const V32 v1 = two(i + 2 * kWidth, 2);
    const V32 v2 = two(i + 4 * kWidth, 4);
    const V32 v3 = two(i + 6 * kWidth, 6);
    if constexpr (kRelative) hn::Store(pack_bytes<20>(d32, v0, v1, v2, v3), d8, codes + i);
  }

  MomentsResult out;
  out.actual_square = actual_square.sum();
  out.expected_square = expected_square.sum();
  out.product = product.sum();
  out.square = square.sum();
  out.difference = difference.sum();
  out.relative = relative.sum();
  out.max_difference = max_difference.maximum();
  out.max_relative = max_relative.maximum();
  out.max_difference_at_zero = max_at_zero.maximum();
  out.infinite_relative = infinite;
  return out;
}

}  // namespace assay::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
