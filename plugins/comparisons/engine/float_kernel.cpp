#include "float_kernel.hpp"

#include <algorithm>

#include "assay/sdk/half.hpp"
#include "bins.hpp"
#include "block.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "float_kernel.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#if HWY_TARGET != HWY_SCALAR
#include "vector_bits-inl.hpp"
#include "vector_moments-inl.hpp"
#endif

HWY_BEFORE_NAMESPACE();
namespace assay::engine::HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR

// A machine without vectors runs the general code, which adds in the same order.
bool gather_block_vector(const Plan&, const FloatBlock&, Totals&, Histograms&) { return false; }
void widen_float16_vector(const std::uint16_t*, int, float*) {}
void widen_bfloat16_vector(const std::uint16_t*, int, float*) {}

#else
namespace hn = hwy::HWY_NAMESPACE;

double widen(const FloatBlock& block, std::uint32_t magnitude, bool is_half) {
  if (block.actual_bits == nullptr) return static_cast<double>(detail::bit_cast<float>(magnitude));
  const auto bits = static_cast<std::uint16_t>(magnitude);
  return is_half ? float16_to_double(bits) : bfloat16_to_double(bits);
}

HWY_INLINE std::uint64_t count_zeros(const FloatBlock& block) {
  const hn::ScalableTag<float> d;
  std::size_t zeros = 0;
  for (int i = 0; i < block.n; i += static_cast<int>(hn::Lanes(d))) {
    zeros += hn::CountTrue(d, hn::Eq(hn::LoadU(d, block.actual + i), hn::Zero(d)));
  }
  return zeros;
}

/// Number of zero distances, and the whole histogram if it is wanted.
HWY_INLINE std::uint32_t count_ulps(const FloatBlock& block, const BitsResult& bits, const std::uint8_t* codes, bool all,
                                    Histograms& histograms) {
  std::uint32_t counts[kUlpBins];
  if (!all) {
    count_bytes(codes, block.n, bits.zero_code, 1, counts);
    return counts[0];
  }
  auto zeros = static_cast<std::uint32_t>(block.n);
  const unsigned length = bits.max_ulp == 0 ? 0 : static_cast<unsigned>(ulp_bin(std::min(bits.max_ulp, 0x80000000u)));
  count_bytes(codes, block.n, kOneUlpCode, length, counts);
  for (unsigned k = 0; k < length; ++k) {
    histograms.ulp[k + 1] += counts[k];
    zeros -= counts[k];
  }
  if (bits.max_ulp > 0x80000000u) {
    // These share the code of 2^31.
    const auto* actual = reinterpret_cast<const std::uint32_t*>(block.actual);
    const auto* expected = reinterpret_cast<const std::uint32_t*>(block.expected);
    for (int i = 0; i < block.n; ++i) {
      const std::uint32_t across = (actual[i] & 0x7fffffffu) + (expected[i] & 0x7fffffffu);
      if ((actual[i] ^ expected[i]) >> 31 == 0 || across <= 0x80000000u) continue;
      --histograms.ulp[32];
      ++histograms.ulp[33];
    }
  }
  histograms.ulp[0] += zeros - static_cast<std::uint32_t>(block.padding);
  return zeros;
}

/// The least byte, taken as signed and at most 0, as unsigned again: of the error codes the one of the smallest error below 2.
HWY_INLINE unsigned lowest_signed(const std::uint8_t* bytes, int n) {
  const hn::ScalableTag<std::int8_t> d;
  const auto lanes = static_cast<int>(hn::Lanes(d));
  auto lowest = hn::Zero(d);
  for (int i = 0; i < n; i += lanes) lowest = hn::Min(lowest, hn::Load(d, reinterpret_cast<const std::int8_t*>(bytes) + i));
  HWY_ALIGN std::int8_t each[hn::MaxLanes(d)];
  hn::Store(lowest, d, each);
  return static_cast<std::uint8_t>(*std::min_element(each, each + lanes));
}

HWY_INLINE void count_errors(const FloatBlock& block, const MomentsResult& moments, const std::uint8_t* codes, std::uint32_t zeros,
                             Histograms& histograms) {
  const unsigned first = lowest_signed(codes, block.n);
  auto beyond = static_cast<std::uint32_t>(block.n) - zeros;
  if (first != 0) {
    std::uint32_t counts[kErrorBins];
    const bool to_top = moments.max_relative >= 1;
    const unsigned last = to_top ? kTopErrorCode : detail::bit_cast<std::uint64_t>(moments.max_relative) >> 52 & 0xff;
    const unsigned length = last - first + 1;
    count_bytes(codes, block.n, first, length, counts);
    for (unsigned k = 0; k < length; ++k) {
      histograms.error[first + k - (kTopErrorCode - 62)] += counts[k];
      beyond -= counts[k];
    }
  }
  histograms.error[kErrorBins - 1] += beyond;
  histograms.error[0] += zeros - static_cast<std::uint32_t>(block.padding);
}

template <bool kRelative>
HWY_INLINE MomentsResult moments_of(const FloatBlock& block, bool has_zeros, std::uint8_t* codes) {
  return has_zeros ? walk_moments<kRelative, true>(block, codes) : walk_moments<kRelative, false>(block, codes);
}

bool gather_block_vector(const Plan& plan, const FloatBlock& block, Totals& totals, Histograms& histograms) {
  HWY_ALIGN std::uint8_t codes[kBlockSize];
  const bool is_half = block.infinity == 0x7c00;
  BitsResult bits = block.actual_bits == nullptr ? walk_bits32(block, codes) : walk_bits16(block, codes);
  const std::uint32_t infinity = block.actual_bits == nullptr ? 0x7f800000u : block.infinity;
  if (bits.max_actual >= infinity || bits.max_expected >= infinity) return false;

  const bool relative = plan.relative || plan.error_bins;
  HWY_ALIGN std::uint8_t error_codes[kBlockSize];
  const MomentsResult moments = relative ? moments_of<true>(block, bits.min_expected == 0, error_codes)
                                         : moments_of<false>(block, bits.min_expected == 0, error_codes);
  if (moments.max_relative >= kLargestCodedError) return false;
  if (bits.max_ulp > kShortUlp) walk_large_ulps(block, codes, bits);

  const auto n = static_cast<std::uint64_t>(block.n - block.padding);
  const std::uint32_t equal = count_ulps(block, bits, codes, plan.ulp_bins, histograms);
  if (plan.error_bins) count_errors(block, moments, error_codes, equal, histograms);
  totals.count += n;
  totals.finite += n;
  totals.mismatch += static_cast<std::uint64_t>(block.n) - equal;
  if (bits.min_actual == 0) totals.zero_actual += count_zeros(block) - static_cast<std::uint64_t>(block.padding);
  totals.finite_relative += n - static_cast<std::uint64_t>(moments.infinite_relative);
  totals.max_difference = std::max(totals.max_difference, moments.max_difference);
  totals.max_difference_at_zero = std::max(totals.max_difference_at_zero, moments.max_difference_at_zero);
  totals.max_relative = std::max(totals.max_relative, moments.max_relative);
  totals.max_magnitude = std::max(totals.max_magnitude, widen(block, bits.max_expected, is_half));
  totals.max_actual = std::max(totals.max_actual, widen(block, bits.max_actual, is_half));
  totals.max_ulp = std::max<std::uint64_t>(totals.max_ulp, bits.max_ulp);
  totals.actual_square += moments.actual_square;
  totals.expected_square += moments.expected_square;
  totals.product += moments.product;
  totals.square += moments.square;
  totals.difference += moments.difference;
  totals.relative += moments.relative;
  totals.ulp += static_cast<double>(bits.ulp_sum);
  return true;
}

void widen_float16_vector(const std::uint16_t* raw, int n, float* out) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<hwy::float16_t, decltype(d)> narrow;
  const hn::Rebind<std::uint16_t, decltype(d)> bits;
  for (int i = 0; i < n; i += static_cast<int>(hn::Lanes(d))) {
    hn::StoreU(hn::PromoteTo(d, hn::BitCast(narrow, hn::LoadU(bits, raw + i))), d, out + i);
  }
}

void widen_bfloat16_vector(const std::uint16_t* raw, int n, float* out) {
  const hn::ScalableTag<float> d;
  const hn::RebindToUnsigned<decltype(d)> wide;
  const hn::Rebind<std::uint16_t, decltype(d)> bits;
  for (int i = 0; i < n; i += static_cast<int>(hn::Lanes(d))) {
    hn::StoreU(hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(wide, hn::LoadU(bits, raw + i)))), d, out + i);
  }
}

#endif
}  // namespace assay::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assay::engine {

HWY_EXPORT(gather_block_vector);
HWY_EXPORT(widen_float16_vector);
HWY_EXPORT(widen_bfloat16_vector);

bool gather_float_block(const Plan& plan, const FloatBlock& block, Totals& totals, Histograms& histograms) {
  return HWY_DYNAMIC_DISPATCH(gather_block_vector)(plan, block, totals, histograms);
}

void widen_float16(const std::uint16_t* raw, int n, float* out) { HWY_DYNAMIC_DISPATCH(widen_float16_vector)(raw, n, out); }

void widen_bfloat16(const std::uint16_t* raw, int n, float* out) { HWY_DYNAMIC_DISPATCH(widen_bfloat16_vector)(raw, n, out); }

}  // namespace assay::engine
#endif
