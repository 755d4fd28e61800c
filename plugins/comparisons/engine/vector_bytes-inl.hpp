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

/// counts[k] = how many of the n bytes are first + k, for k < length. n: a multiple of 64, at most 4080.
HWY_INLINE void count_bytes(const std::uint8_t* bytes, int n, unsigned first, unsigned length, std::uint32_t* counts) {
  const hn::CappedTag<std::uint8_t, 32> d8;
  const hn::Repartition<std::uint64_t, decltype(d8)> d64;
  using V = hn::Vec<decltype(d8)>;
  const auto step = static_cast<int>(hn::Lanes(d8));
  // As many at a time as registers hold; more of them only wait for the loads.
  constexpr unsigned kAtOnce = 4;
  for (unsigned k = 0; k < length; k += kAtOnce) {
    V wanted[kAtOnce];
    V count[kAtOnce];
    for (unsigned j = 0; j < kAtOnce; ++j) {
      wanted[j] = hn::Set(d8, static_cast<std::uint8_t>(first + k + j));
      count[j] = hn::Zero(d8);
    }
    for (int i = 0; i < n; i += 2 * step) {
      const V even = hn::Load(d8, bytes + i);
      const V odd = hn::Load(d8, bytes + i + step);
      for (unsigned j = 0; j < kAtOnce; ++j) count[j] = hn::Sub(count[j], hn::VecFromMask(d8, hn::Eq(even, wanted[j])));
      for (unsigned j = 0; j < kAtOnce; ++j) count[j] = hn::Sub(count[j], hn::VecFromMask(d8, hn::Eq(odd, wanted[j])));
    }
    for (unsigned j = 0; j < kAtOnce && k + j < length; ++j) {
      counts[k + j] = static_cast<std::uint32_t>(hn::GetLane(hn::SumOfLanes(d64, hn::SumsOf8(count[j]))));
    }
  }
}

}  // namespace assay::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
