// plugins/comparisons/engine/vector_bytes-inl.hpp: one byte an element for a histogram, and counting how often a byte occurs.
// Included once for each instruction set.
#if defined(ASSAY_VECTOR_BYTES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ASSAY_VECTOR_BYTES_INL
#undef ASSAY_VECTOR_BYTES_INL
#else
#define ASSAY_VECTOR_BYTES_INL
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace assay::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Bits [kShift, kShift + 8) of the 32-bit lanes of four vectors as one vector of bytes, in some order.
template <int kShift, class D32, class V32 = hn::Vec<D32>>
HWY_INLINE hn::Vec<hn::Repartition<std::uint8_t, D32>> pack_bytes(D32 d32, V32 v0, V32 v1, V32 v2, V32 v3) {
  static_assert(kShift >= 16 && kShift <= 24);
  const hn::Repartition<std::uint16_t, D32> d16;
  const hn::Repartition<std::uint8_t, D32> d8;
  const auto low = hn::OddEven(hn::BitCast(d16, v1), hn::BitCast(d16, hn::ShiftRight<16>(v0)));
  const auto high = hn::OddEven(hn::BitCast(d16, v3), hn::BitCast(d16, hn::ShiftRight<16>(v2)));
  const auto even = hn::And(hn::ShiftRight<kShift - 16>(low), hn::Set(d16, std::uint16_t{0x00ff}));
  const auto odd = hn::And(hn::ShiftLeft<24 - kShift>(high), hn::Set(d16, std::uint16_t{0xff00}));
  static_cast<void>(d32);
  return hn::BitCast(d8, hn::Or(even, odd));
}

/// counts[k] = how many of the n bytes are first + k, for k < length. n: a multiple of the vector's bytes, at most 4080.
HWY_INLINE void count_bytes(const std::uint8_t* bytes, int n, unsigned first, unsigned length, std::uint32_t* counts) {
  const hn::ScalableTag<std::uint8_t> d8;
  const hn::Repartition<std::uint64_t, decltype(d8)> d64;
  const auto step = static_cast<int>(hn::Lanes(d8));
  const auto total = [&](auto lanes)
                         HWY_ATTR { return static_cast<std::uint32_t>(hn::GetLane(hn::SumOfLanes(d64, hn::SumsOf8(lanes)))); };
  for (unsigned k = 0; k < length; k += 4) {
    const auto wanted0 = hn::Set(d8, static_cast<std::uint8_t>(first + k));
    const auto wanted1 = hn::Set(d8, static_cast<std::uint8_t>(first + k + 1));
    const auto wanted2 = hn::Set(d8, static_cast<std::uint8_t>(first + k + 2));
    const auto wanted3 = hn::Set(d8, static_cast<std::uint8_t>(first + k + 3));
    auto count0 = hn::Zero(d8);
    auto count1 = hn::Zero(d8);
    auto count2 = hn::Zero(d8);
    auto count3 = hn::Zero(d8);
    for (int i = 0; i < n; i += step) {
      const auto v = hn::Load(d8, bytes + i);
      count0 = hn::Sub(count0, hn::VecFromMask(d8, hn::Eq(v, wanted0)));
      count1 = hn::Sub(count1, hn::VecFromMask(d8, hn::Eq(v, wanted1)));
      count2 = hn::Sub(count2, hn::VecFromMask(d8, hn::Eq(v, wanted2)));
      count3 = hn::Sub(count3, hn::VecFromMask(d8, hn::Eq(v, wanted3)));
    }
    counts[k] = total(count0);
    if (k + 1 < length) counts[k + 1] = total(count1);
    if (k + 2 < length) counts[k + 2] = total(count2);
    if (k + 3 < length) counts[k + 3] = total(count3);
  }
}

}  // namespace assay::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
