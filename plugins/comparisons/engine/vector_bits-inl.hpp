// plugins/comparisons/engine/vector_bits-inl.hpp: the walk over a block's bits: ulp distances and ranges of magnitudes.
// Included once for each instruction set.
#if defined(ASSAY_VECTOR_BITS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ASSAY_VECTOR_BITS_INL
#undef ASSAY_VECTOR_BITS_INL
#else
#define ASSAY_VECTOR_BITS_INL
#endif

#include "float_kernel.hpp"
#include "hwy/highway.h"
#include "vector_bytes-inl.hpp"
#include "vector_fetch-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace assay::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Of the magnitudes as integers, without sign bits.
struct BitsResult {
  std::uint32_t min_actual = 0, max_actual = 0, min_expected = 0, max_expected = 0;
  std::uint32_t max_ulp = 0;
  std::uint64_t ulp_sum = 0;
  /// Codes of the ulp bytes: kZeroCode for 0, 126 + ceil(log2(ulp)) else.
  unsigned zero_code = 255;
};

inline constexpr unsigned kOneUlpCode = 126;

/// Distances above this don't fit the short sums and the exponent trick of the first walk.
inline constexpr std::uint32_t kShortUlp = (1u << 23) - 1;

/// Distance on the ordered numbers: magnitudes subtract, or add where the signs differ.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ulp_distance(D d, V actual, V expected, V actual_magnitude, V expected_magnitude) {
  const hn::RebindToSigned<D> di;
  const auto same_sign = hn::Abs(hn::Sub(hn::BitCast(di, actual_magnitude), hn::BitCast(di, expected_magnitude)));
  const auto across_zero = hn::BitCast(di, hn::Add(actual_magnitude, expected_magnitude));
  return hn::BitCast(d, hn::IfNegativeThenElse(hn::BitCast(di, hn::Xor(actual, expected)), across_zero, same_sign));
}

/// The exponent byte of the distance as a float, one binade lower for powers of two: bits [23, 31). Exact below 2^24.
template <class D32, class V32 = hn::Vec<D32>>
HWY_INLINE V32 ulp_code(D32 d32, V32 ulp) {
  const hn::RebindToSigned<D32> di;
  const hn::RebindToFloat<D32> df;
  return hn::Sub(hn::BitCast(d32, hn::ConvertTo(df, hn::BitCast(di, ulp))), hn::Set(d32, 1u));
}

/// The same for any distance up to 2^31, with code 158 for 0; larger ones come out as 2^31.
template <class D32, class V32 = hn::Vec<D32>>
HWY_INLINE V32 ulp_code_exact(D32 d32, V32 ulp) {
  const hn::RebindToSigned<D32> di;
  const hn::RebindToFloat<D32> df;
  const auto below = hn::Sub(hn::Min(ulp, hn::Set(d32, 0x80000000u)), hn::Set(d32, 1u));
  // The bit after the leading one is cleared, so that converting can't round up to the next power of two.
  const auto leading = hn::AndNot(hn::ShiftRight<1>(below), below);
  return hn::BitCast(d32, hn::Add(hn::ConvertTo(df, hn::BitCast(di, leading)), hn::Set(df, 0.5f)));
}

struct Range32 {
  using D = hn::ScalableTag<std::uint32_t>;
  using V = hn::Vec<D>;
  D d;
  V min_actual, max_actual, min_expected, max_expected, max_ulp, ulp_sum;

  // Written out, since an implicit constructor isn't compiled for the instruction set.
  HWY_INLINE Range32() {
    max_actual = max_expected = max_ulp = ulp_sum = hn::Zero(d);
    min_actual = min_expected = hn::Set(d, ~0u);
  }
};

HWY_INLINE std::uint64_t sum_lanes(hn::ScalableTag<std::uint32_t> d, hn::Vec<hn::ScalableTag<std::uint32_t>> v) {
  const hn::Repartition<std::uint64_t, decltype(d)> d64;
  const auto wide = hn::BitCast(d64, v);
  const auto even = hn::And(wide, hn::Set(d64, 0xffffffffull));
  return hn::GetLane(hn::SumOfLanes(d64, hn::Add(even, hn::ShiftRight<32>(wide))));
}

/// Sums and codes of a float32 block with large distances.
HWY_NOINLINE void walk_large_ulps(const FloatBlock& block, std::uint8_t* codes, BitsResult& out) {
  const hn::ScalableTag<std::uint32_t> d;
  const hn::Repartition<std::uint8_t, decltype(d)> d8;
  const hn::Repartition<std::uint64_t, decltype(d)> d64;
  using V = hn::Vec<decltype(d)>;
  const auto* actual = reinterpret_cast<const std::uint32_t*>(block.actual);
  const auto* expected = reinterpret_cast<const std::uint32_t*>(block.expected);
  const auto lanes = static_cast<int>(hn::Lanes(d));
  const V magnitude = hn::Set(d, 0x7fffffffu);
  auto sum = hn::Zero(d64);
  const auto one = [&](int at) HWY_ATTR {
    const V a = hn::LoadU(d, actual + at);
    const V e = hn::LoadU(d, expected + at);
    const V ulp = ulp_distance(d, a, e, hn::And(a, magnitude), hn::And(e, magnitude));
    const auto wide = hn::BitCast(d64, ulp);
    sum = hn::Add(sum, hn::Add(hn::And(wide, hn::Set(d64, 0xffffffffull)), hn::ShiftRight<32>(wide)));
    return ulp_code_exact(d, ulp);
  };
  for (int i = 0; i < block.n; i += 4 * lanes) {
    const V v0 = one(i);
    const V v1 = one(i + lanes);
    const V v2 = one(i + 2 * lanes);
    const V v3 = one(i + 3 * lanes);
    hn::Store(pack_bytes<23>(d, v0, v1, v2, v3), d8, codes + i);
  }
  out.ulp_sum = hn::GetLane(hn::SumOfLanes(d64, sum));
  out.zero_code = 158;
}

HWY_INLINE BitsResult finish_range(const Range32& r) {
  BitsResult out;
  out.min_actual = hn::GetLane(hn::MinOfLanes(r.d, r.min_actual));
  out.max_actual = hn::GetLane(hn::MaxOfLanes(r.d, r.max_actual));
  out.max_expected = hn::GetLane(hn::MaxOfLanes(r.d, r.max_expected));
  out.min_expected = hn::GetLane(hn::MinOfLanes(r.d, r.min_expected));
  out.max_ulp = hn::GetLane(hn::MaxOfLanes(r.d, r.max_ulp));
  out.ulp_sum = sum_lanes(r.d, r.ulp_sum);
  return out;
}

/// float32 elements.
HWY_INLINE BitsResult walk_bits32(const FloatBlock& block, std::uint8_t* codes) {
  Range32 r;
  const auto d = r.d;
  using V = hn::Vec<Range32::D>;
  const hn::Repartition<std::uint8_t, Range32::D> d8;
  const auto* actual = reinterpret_cast<const std::uint32_t*>(block.actual);
  const auto* expected = reinterpret_cast<const std::uint32_t*>(block.expected);
  const auto lanes = static_cast<int>(hn::Lanes(d));
  const V magnitude = hn::Set(d, 0x7fffffffu);
  const auto one = [&](int at) HWY_ATTR {
    const V a = hn::LoadU(d, actual + at);
    const V e = hn::LoadU(d, expected + at);
    const V actual_magnitude = hn::And(a, magnitude);
    const V expected_magnitude = hn::And(e, magnitude);
    r.min_actual = hn::Min(r.min_actual, actual_magnitude);
    r.max_actual = hn::Max(r.max_actual, actual_magnitude);
    r.max_expected = hn::Max(r.max_expected, expected_magnitude);
    r.min_expected = hn::Min(r.min_expected, expected_magnitude);
    const V ulp = ulp_distance(d, a, e, actual_magnitude, expected_magnitude);
    r.max_ulp = hn::Max(r.max_ulp, ulp);
    r.ulp_sum = hn::Add(r.ulp_sum, ulp);
    return ulp_code(d, ulp);
  };
  for (int i = 0; i < block.n; i += 4 * lanes) {
    if (i % kVectorPadding == 0) fetch_next(block, i, kFetchInBits);
    const V v0 = one(i);
    const V v1 = one(i + lanes);
    const V v2 = one(i + 2 * lanes);
    const V v3 = one(i + 3 * lanes);
    hn::Store(pack_bytes<23>(d, v0, v1, v2, v3), d8, codes + i);
  }
  return finish_range(r);
}

/// 16-bit elements; magnitudes come out as the 16-bit numbers.
HWY_INLINE BitsResult walk_bits16(const FloatBlock& block, std::uint8_t* codes) {
  const hn::ScalableTag<std::uint16_t> d;
  const hn::Repartition<std::uint32_t, decltype(d)> d32;
  const hn::Repartition<std::uint8_t, decltype(d)> d8;
  using V = hn::Vec<decltype(d)>;
  using V32 = hn::Vec<decltype(d32)>;
  const auto lanes = static_cast<int>(hn::Lanes(d));
  const V magnitude = hn::Set(d, std::uint16_t{0x7fff});
  const V zero = hn::Zero(d);
  V max_actual = zero;
  V max_expected = zero;
  V max_ulp = zero;
  V min_actual = hn::Set(d, std::uint16_t{0xffff});
  V min_expected = min_actual;
  V32 sum = hn::Zero(d32);
  const auto one = [&](int at) HWY_ATTR {
    const V a = hn::LoadU(d, block.actual_bits + at);
    const V e = hn::LoadU(d, block.expected_bits + at);
    const V actual_magnitude = hn::And(a, magnitude);
    const V expected_magnitude = hn::And(e, magnitude);
    min_actual = hn::Min(min_actual, actual_magnitude);
    max_actual = hn::Max(max_actual, actual_magnitude);
    max_expected = hn::Max(max_expected, expected_magnitude);
    min_expected = hn::Min(min_expected, expected_magnitude);
    const V ulp = ulp_distance(d, a, e, actual_magnitude, expected_magnitude);
    max_ulp = hn::Max(max_ulp, ulp);
    return ulp;
  };
  for (int i = 0; i < block.n; i += 2 * lanes) {
    if (i % kVectorPadding == 0) fetch_next(block, i, kFetchInBits);
    const V ulp0 = one(i);
    const V ulp1 = one(i + lanes);
    const V32 u0 = hn::BitCast(d32, hn::InterleaveLower(d, ulp0, zero));
    const V32 u1 = hn::BitCast(d32, hn::InterleaveUpper(d, ulp0, zero));
    const V32 u2 = hn::BitCast(d32, hn::InterleaveLower(d, ulp1, zero));
    const V32 u3 = hn::BitCast(d32, hn::InterleaveUpper(d, ulp1, zero));
    sum = hn::Add(sum, hn::Add(hn::Add(u0, u1), hn::Add(u2, u3)));
    hn::Store(pack_bytes<23>(d32, ulp_code(d32, u0), ulp_code(d32, u1), ulp_code(d32, u2), ulp_code(d32, u3)), d8, codes + i);
  }
  BitsResult out;
  out.min_actual = hn::GetLane(hn::MinOfLanes(d, min_actual));
  out.max_actual = hn::GetLane(hn::MaxOfLanes(d, max_actual));
  out.max_expected = hn::GetLane(hn::MaxOfLanes(d, max_expected));
  out.min_expected = hn::GetLane(hn::MinOfLanes(d, min_expected));
  out.max_ulp = hn::GetLane(hn::MaxOfLanes(d, max_ulp));
  out.ulp_sum = sum_lanes(d32, sum);
  return out;
}

}  // namespace assay::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
