// plugins/comparisons/engine/vector_relative-inl.hpp: the walk over a block's relative errors in float32: sum, codes for the
// histogram, and bounds that tell whether the block is worth a second look in double.
// Included once for each instruction set.
#if defined(ASSAY_VECTOR_RELATIVE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ASSAY_VECTOR_RELATIVE_INL
#undef ASSAY_VECTOR_RELATIVE_INL
#else
#define ASSAY_VECTOR_RELATIVE_INL
#endif

#include "float_kernel.hpp"
#include "hwy/highway.h"
#include "vector_bytes-inl.hpp"
#include "vector_sums-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace assay::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

struct RelativeResult {
  double sum = 0;
  float max_relative = 0;  ///< where e is not 0
  float max_scaled = 0;    ///< min(|d| / |e|, |d| * inverse_scale)
  float max_rtol = 0;      ///< (|d| - atol) / |e|
  float max_difference_at_zero = 0;
  int infinite = 0;  ///< how many differ where e is 0
};

/// So many neighbouring quotients are added in float32, eight in each of eight lanes, before their sum goes on in double.
inline constexpr int kRelativeRun = kVectorPadding;

/// Codes of the relative errors' bytes: the exponent byte of the float. kUnitErrorCode means [1, 2); 0 means 0.
inline constexpr unsigned kUnitErrorCode = 127;

/// Eight floats whatever the width of a vector; see EightLanes.
using EightFloats = hn::CappedTag<float, 8>;
inline constexpr int kFloatWidth = static_cast<int>(hn::MaxLanes(EightFloats()));
inline constexpr int kFloatVectors = 8 / kFloatWidth;

/// Adds eight float sums to eight double sums.
HWY_INLINE void add_run(const hn::Vec<EightFloats>* run, EightLanes& total) {
  HWY_ALIGN float lane[8];
  for (int k = 0; k < kFloatVectors; ++k) hn::Store(run[k], EightFloats(), lane + k * kFloatWidth);
  const EightLanes::D wide;
  const hn::Rebind<float, EightLanes::D> narrow;
  for (int k = 0; k < EightLanes::kVectors; ++k) {
    const auto part = hn::PromoteTo(wide, hn::Load(narrow, lane + k * EightLanes::kWidth));
    total.v[k] = hn::Add(total.v[k], part);
  }
}

/// kZeros: expected holds zeros. kRtol: with max_rtol.
template <bool kZeros, bool kRtol>
HWY_INLINE RelativeResult walk_relative(const FloatBlock& block, float inverse_scale, float atol, std::uint8_t* codes) {
  const EightFloats d;
  const hn::RebindToUnsigned<EightFloats> d32;
  const hn::Repartition<std::uint8_t, EightFloats> d8;
  using V = hn::Vec<EightFloats>;

  const V zero = hn::Zero(d);
  const V by_scale = hn::Set(d, inverse_scale);
  const V tolerance = hn::Set(d, atol);
  const V beyond = hn::Set(d, 4.0f);
  V max_relative = zero;
  V max_scaled = zero;
  V max_rtol = zero;
  V max_at_zero = zero;
  V run[kFloatVectors];
  EightLanes total;
  std::size_t infinite = 0;

  const auto one = [&](int at, int k) HWY_ATTR {
    const V a = hn::LoadU(d, block.actual + at);
    const V e = hn::LoadU(d, block.expected + at);
    const V absolute = hn::Abs(hn::Sub(a, e));
    const V magnitude = hn::Abs(e);
    V ratio = hn::Div(absolute, magnitude);
    if constexpr (kZeros) {
      const auto is_zero = hn::Eq(magnitude, zero);
      ratio = hn::IfThenZeroElse(is_zero, ratio);
      max_at_zero = hn::Max(max_at_zero, hn::IfThenElseZero(is_zero, absolute));
    }
    max_relative = hn::Max(max_relative, ratio);
    max_scaled = hn::Max(max_scaled, hn::Min(ratio, hn::Mul(absolute, by_scale)));
    run[k % kFloatVectors] = hn::Add(run[k % kFloatVectors], ratio);
    if constexpr (kRtol) {
      V rtol = hn::Div(hn::Sub(absolute, tolerance), magnitude);
      if constexpr (kZeros) rtol = hn::IfThenZeroElse(hn::Eq(magnitude, zero), rtol);
      max_rtol = hn::Max(max_rtol, rtol);
    }
    if constexpr (kZeros) {
      const auto is_infinite = hn::And(hn::Eq(magnitude, zero), hn::Gt(absolute, zero));
      infinite += hn::CountTrue(d, is_infinite);
      ratio = hn::IfThenElse(is_infinite, beyond, ratio);
    }
    return hn::BitCast(d32, ratio);
  };

  for (int i = 0; i < block.n; i += kRelativeRun) {
    for (V& each : run) each = zero;
    for (int at = i; at < i + kRelativeRun; at += 4 * kFloatWidth) {
      const auto v0 = one(at, 0);
      const auto v1 = one(at + kFloatWidth, 1);
      const auto v2 = one(at + 2 * kFloatWidth, 2);
      const auto v3 = one(at + 3 * kFloatWidth, 3);
      hn::Store(pack_bytes<23>(d32, v0, v1, v2, v3), d8, codes + at);
    }
    add_run(run, total);
  }
  RelativeResult out;
  out.sum = total.sum();
  out.max_relative = hn::GetLane(hn::MaxOfLanes(d, max_relative));
  out.max_scaled = hn::GetLane(hn::MaxOfLanes(d, max_scaled));
  out.max_rtol = hn::GetLane(hn::MaxOfLanes(d, max_rtol));
  out.max_difference_at_zero = hn::GetLane(hn::MaxOfLanes(d, max_at_zero));
  out.infinite = static_cast<int>(infinite);
  return out;
}

}  // namespace assay::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
