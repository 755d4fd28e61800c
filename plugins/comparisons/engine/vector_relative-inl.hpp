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

/// Codes of the relative errors' bytes: the exponent byte of the float. kUnitErrorCode means [1, 2); 0 means 0.
inline constexpr unsigned kUnitErrorCode = 127;

/// Eight floats whatever the width of a vector; see EightLanes.
struct EightFloats {
  using D = hn::CappedTag<float, 8>;
  using V = hn::Vec<D>;
  static constexpr int kWidth = static_cast<int>(hn::MaxLanes(D()));
  static constexpr int kVectors = 8 / kWidth;

  V v[kVectors];

  HWY_INLINE EightFloats() { clear(); }
  HWY_INLINE void clear() {
    for (V& each : v) each = hn::Zero(D());
  }
  /// Moves the sums on into doubles.
  HWY_INLINE void flush(EightLanes& total) {
    HWY_ALIGN float lane[8];
    for (int k = 0; k < kVectors; ++k) hn::Store(v[k], D(), lane + k * kWidth);
    const EightLanes::D wide;
    const hn::Rebind<float, EightLanes::D> narrow;
    for (int k = 0; k < EightLanes::kVectors; ++k) {
      total.v[k] = hn::Add(total.v[k], hn::PromoteTo(wide, hn::Load(narrow, lane + k * EightLanes::kWidth)));
    }
    clear();
  }
};

/// Adds the squares of vector k of eight floats, exact in double.
template <class V>
HWY_INLINE void add_squares(V numbers, int k, EightLanes& total) {
  const EightLanes::D wide;
  const auto add = [&](int at, EightLanes::V v) HWY_ATTR { total.v[at] = hn::MulAdd(v, v, total.v[at]); };
  if constexpr (sizeof(V) * 2 == sizeof(EightLanes::V)) {
    add(k, hn::PromoteTo(wide, numbers));
  } else {
    const hn::Half<hn::DFromV<V> > half;
    add(2 * k, hn::PromoteTo(wide, hn::LowerHalf(half, numbers)));
    add(2 * k + 1, hn::PromoteTo(wide, hn::UpperHalf(half, numbers)));
  }
}

/// So many neighbouring terms are added in float32, in eight lanes, before their sum goes on in double.
inline constexpr int kFloatRun = 2 * kVectorPadding;

struct LoadFloat32 {
  static constexpr bool kIsShort = false;
  static HWY_INLINE EightFloats::V actual(const FloatBlock& block, int at) {
    return hn::LoadU(EightFloats::D(), block.actual + at);
  }
  static HWY_INLINE EightFloats::V expected(const FloatBlock& block, int at) {
    return hn::LoadU(EightFloats::D(), block.expected + at);
  }
};

struct LoadFloat16 {
  static constexpr bool kIsShort = true;
  static HWY_INLINE EightFloats::V widen(const std::uint16_t* bits) {
    const EightFloats::D d;
    const hn::Rebind<hwy::float16_t, EightFloats::D> half;
    return hn::PromoteTo(d, hn::BitCast(half, hn::LoadU(hn::Rebind<std::uint16_t, EightFloats::D>(), bits)));
  }
  static HWY_INLINE EightFloats::V actual(const FloatBlock& block, int at) { return widen(block.actual_bits + at); }
  static HWY_INLINE EightFloats::V expected(const FloatBlock& block, int at) { return widen(block.expected_bits + at); }
};

struct LoadBFloat16 {
  static constexpr bool kIsShort = true;
  static HWY_INLINE EightFloats::V widen(const std::uint16_t* bits) {
    const EightFloats::D d;
    const hn::RebindToUnsigned<EightFloats::D> wide;
    return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(wide, hn::LoadU(hn::Rebind<std::uint16_t, EightFloats::D>(), bits))));
  }
  static HWY_INLINE EightFloats::V actual(const FloatBlock& block, int at) { return widen(block.actual_bits + at); }
  static HWY_INLINE EightFloats::V expected(const FloatBlock& block, int at) { return widen(block.expected_bits + at); }
};

/// What walk_relative is compiled for. kZeros: expected holds zeros. kRtol: with max_rtol. kSums: with the sums of walk_sums. Only
/// e^2 is then added in double; the terms with d in runs of float32: their rounding weighs as little as d itself does.
template <class LoadType, bool kZerosValue, bool kRtolValue, bool kSumsValue>
struct RelativeKind {
  using Load = LoadType;
  static constexpr bool kZeros = kZerosValue;
  static constexpr bool kRtol = kRtolValue;
  static constexpr bool kSums = kSumsValue;
};

template <class Kind>
HWY_INLINE RelativeResult walk_relative(const FloatBlock& block, float inverse_scale, float atol, std::uint8_t* codes,
                                        SumsResult& sums) {
  using D = EightFloats::D;
  using V = EightFloats::V;
  constexpr int kWidth = EightFloats::kWidth;
  const D d;
  const hn::RebindToUnsigned<D> d32;
  const hn::Repartition<std::uint8_t, D> d8;

  const V zero = hn::Zero(d);
  const V by_scale = hn::Set(d, inverse_scale);
  const V tolerance = hn::Set(d, atol);
  const V beyond = hn::Set(d, 4.0f);
  V max_difference = zero;
  V max_relative = zero;
  V max_scaled = zero;
  V max_rtol = zero;
  V max_at_zero = zero;
  EightFloats relative_run, cross_run, square_run, difference_run;
  EightLanes relative, expected_square, cross, square, difference;
  std::size_t infinite = 0;

  const auto one = [&](int at, int vector) HWY_ATTR {
    const int k = vector % EightFloats::kVectors;
    const V a = Kind::Load::actual(block, at);
    const V e = Kind::Load::expected(block, at);
    const V signed_difference = hn::Sub(a, e);
    const V absolute = hn::Abs(signed_difference);
    const V magnitude = hn::Abs(e);
    if constexpr (Kind::kSums) {
      add_squares(e, k, expected_square);
      cross_run.v[k] = hn::Add(cross_run.v[k], hn::Mul(signed_difference, e));
      square_run.v[k] = hn::Add(square_run.v[k], hn::Mul(absolute, absolute));
      difference_run.v[k] = hn::Add(difference_run.v[k], absolute);
      max_difference = hn::Max(max_difference, absolute);
    }
    V ratio = hn::Div(absolute, magnitude);
    if constexpr (Kind::kZeros) {
      const auto is_zero = hn::Eq(magnitude, zero);
      ratio = hn::IfThenZeroElse(is_zero, ratio);
      max_at_zero = hn::Max(max_at_zero, hn::IfThenElseZero(is_zero, absolute));
    }
    max_relative = hn::Max(max_relative, ratio);
    max_scaled = hn::Max(max_scaled, hn::Min(ratio, hn::Mul(absolute, by_scale)));
    relative_run.v[k] = hn::Add(relative_run.v[k], ratio);
    if constexpr (Kind::kRtol) {
      V rtol = hn::Div(hn::Sub(absolute, tolerance), magnitude);
      if constexpr (Kind::kZeros) rtol = hn::IfThenZeroElse(hn::Eq(magnitude, zero), rtol);
      max_rtol = hn::Max(max_rtol, rtol);
    }
    if constexpr (Kind::kZeros) {
      const auto is_infinite = hn::And(hn::Eq(magnitude, zero), hn::Gt(absolute, zero));
      infinite += hn::CountTrue(d, is_infinite);
      ratio = hn::IfThenElse(is_infinite, beyond, ratio);
    }
    return hn::BitCast(d32, ratio);
  };

  for (int i = 0; i < block.n; i += kVectorPadding) {
    fetch_next(block, i, Kind::kSums ? kFetchInRelativeAndSums : kFetchInRelative);
    for (int at = i; at < i + kVectorPadding; at += 4 * kWidth) {
      const auto v0 = one(at, 0);
      const auto v1 = one(at + kWidth, 1);
      const auto v2 = one(at + 2 * kWidth, 2);
      const auto v3 = one(at + 3 * kWidth, 3);
      hn::Store(pack_bytes<23>(d32, v0, v1, v2, v3), d8, codes + at);
    }
    if ((i + kVectorPadding) % kFloatRun != 0 && i + kVectorPadding != block.n) continue;
    relative_run.flush(relative);
    if constexpr (Kind::kSums) {
      cross_run.flush(cross);
      square_run.flush(square);
      difference_run.flush(difference);
    }
  }
  RelativeResult out;
  out.sum = relative.sum();
  out.max_relative = hn::GetLane(hn::MaxOfLanes(d, max_relative));
  out.max_scaled = hn::GetLane(hn::MaxOfLanes(d, max_scaled));
  out.max_rtol = hn::GetLane(hn::MaxOfLanes(d, max_rtol));
  out.max_difference_at_zero = hn::GetLane(hn::MaxOfLanes(d, max_at_zero));
  out.infinite = static_cast<int>(infinite);
  if constexpr (Kind::kSums) {
    sums.expected_square = expected_square.sum();
    sums.square = square.sum();
    sums.product = sums.expected_square + cross.sum();
    sums.actual_square = sums.product + cross.sum() + sums.square;
    sums.difference = difference.sum();
    sums.max_difference = static_cast<double>(hn::GetLane(hn::MaxOfLanes(d, max_difference)));
  }
  return out;
}

}  // namespace assay::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
