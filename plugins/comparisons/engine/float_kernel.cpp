#include "float_kernel.hpp"

#include <algorithm>
#include <cmath>

#include "assay/sdk/half.hpp"
#include "bins.hpp"
#include "block.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "float_kernel.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#if HWY_TARGET != HWY_SCALAR
#include "vector_bits-inl.hpp"
#include "vector_peer-inl.hpp"
#include "vector_relative-inl.hpp"
#include "vector_sums-inl.hpp"
#endif

HWY_BEFORE_NAMESPACE();
namespace assay::engine::HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR

// A machine without vectors runs the general code.
bool gather_block_vector(const Plan&, const FloatBlock&, Totals&, Histograms&) { return false; }
void widen_float16_vector(const std::uint16_t*, int, float*) {}
void widen_bfloat16_vector(const std::uint16_t*, int, float*) {}

#else
namespace hn = hwy::HWY_NAMESPACE;

double widen(const FloatBlock& block, std::uint32_t magnitude) {
  if (block.actual_bits == nullptr) return static_cast<double>(detail::bit_cast<float>(magnitude));
  const auto bits = static_cast<std::uint16_t>(magnitude);
  return block.is_half ? float16_to_double(bits) : bfloat16_to_double(bits);
}

/// How many elements of actual are 0; T: an unsigned type of the elements' size.
template <class T>
HWY_INLINE std::uint64_t count_zeros(const T* elements, int n) {
  const hn::ScalableTag<T> d;
  const auto magnitude = hn::Set(d, static_cast<T>(static_cast<T>(~T{0}) >> 1));
  std::size_t zeros = 0;
  for (int i = 0; i < n; i += static_cast<int>(hn::Lanes(d))) {
    zeros += hn::CountTrue(d, hn::Eq(hn::And(hn::LoadU(d, elements + i), magnitude), hn::Zero(d)));
  }
  return zeros;
}

/// Distances beyond 2^31 have the code of 2^31: moves them to their own bin.
HWY_NOINLINE void correct_largest_ulps(const FloatBlock& block, Histograms& histograms) {
  const auto* actual = reinterpret_cast<const std::uint32_t*>(block.actual);
  const auto* expected = reinterpret_cast<const std::uint32_t*>(block.expected);
  for (int i = 0; i < block.n; ++i) {
    const std::uint32_t across = (actual[i] & 0x7fffffffu) + (expected[i] & 0x7fffffffu);
    if ((actual[i] ^ expected[i]) >> 31 == 0 || across <= 0x80000000u) continue;
    --histograms.ulp[32];
    ++histograms.ulp[33];
  }
}

/// Adds the histogram if it is wanted; returns how many distances are 0, padding included.
HWY_INLINE std::uint32_t count_ulps(const Plan& plan, const FloatBlock& block, const BitsResult& bits, const std::uint8_t* codes,
                                    Histograms& histograms) {
  std::uint32_t counts[kUlpBins];
  if (!plan.ulp_bins) {
    count_bytes(codes, block.n, bits.zero_code, 1, counts);
    return counts[0];
  }
  const auto bins = static_cast<unsigned>(ulp_bin(std::min(bits.max_ulp, 0x80000000u)));
  count_bytes(codes, block.n, kOneUlpCode, bins, counts);
  auto zeros = static_cast<std::uint32_t>(block.n);
  for (unsigned k = 0; k < bins; ++k) {
    histograms.ulp[k + 1] += counts[k];
    zeros -= counts[k];
  }
  if (bits.max_ulp > 0x80000000u) correct_largest_ulps(block, histograms);
  histograms.ulp[0] += zeros - static_cast<std::uint32_t>(block.padding);
  return zeros;
}

/// The least byte that is not 0; 0 if all are.
HWY_INLINE unsigned least_nonzero(const std::uint8_t* bytes, int n) {
  const hn::ScalableTag<std::uint8_t> d;
  const auto lanes = static_cast<int>(hn::Lanes(d));
  const auto one = hn::Set(d, std::uint8_t{1});
  auto least = hn::Set(d, std::uint8_t{255});
  for (int i = 0; i < n; i += lanes) least = hn::Min(least, hn::Sub(hn::Load(d, bytes + i), one));
  HWY_ALIGN std::uint8_t each[hn::MaxLanes(d)];
  hn::Store(least, d, each);
  return (*std::min_element(each, each + lanes) + 1u) & 255u;
}

HWY_INLINE void count_errors(const FloatBlock& block, const RelativeResult& relative, const std::uint8_t* codes,
                             std::uint32_t zeros, Histograms& histograms) {
  histograms.error[0] += zeros - static_cast<std::uint32_t>(block.padding);
  auto beyond = static_cast<std::uint32_t>(block.n) - zeros;
  if (beyond == 0) return;
  const unsigned first = least_nonzero(codes, block.n);
  if (first != 0 && first <= kUnitErrorCode) {
    const unsigned largest = detail::bit_cast<std::uint32_t>(relative.max_relative) >> 23;
    const unsigned length = std::min(largest, kUnitErrorCode) - first + 1;
    std::uint32_t counts[kUnitErrorCode + 1];
    count_bytes(codes, block.n, first, length, counts);
    for (unsigned k = 0; k < length; ++k) {
      histograms.error[first + k - (kUnitErrorCode - kUnitErrorBin)] += counts[k];
      beyond -= counts[k];
    }
  }
  histograms.error[kErrorBins - 1] += beyond;
}

template <class Load, bool kSums>
HWY_INLINE RelativeResult relative_of(const Plan& plan, const FloatBlock& block, bool has_zeros, std::uint8_t* codes,
                                      SumsResult& sums) {
  const auto inverse = static_cast<float>(plan.scale_guess > 0 ? 1 / plan.scale_guess : 0x1p100);
  // Slightly less than the tolerance, so that rounding never lowers the bound.
  const auto atol = static_cast<float>(plan.atol * (1 - 0x1p-20));
  if (has_zeros) {
    return plan.rtol_bound ? walk_relative<RelativeKind<Load, true, true, kSums> >(block, inverse, atol, codes, sums)
                           : walk_relative<RelativeKind<Load, true, false, kSums> >(block, inverse, atol, codes, sums);
  }
  return plan.rtol_bound ? walk_relative<RelativeKind<Load, false, true, kSums> >(block, inverse, atol, codes, sums)
                         : walk_relative<RelativeKind<Load, false, false, kSums> >(block, inverse, atol, codes, sums);
}

/// Whether runs of float32 kept the terms with d: no overflow, nothing that counts lost to underflow, and actual no difference of
/// large numbers.
bool keeps_sums(const SumsResult& sums) {
  if (!std::isfinite(sums.actual_square) || !std::isfinite(sums.expected_square)) return false;
  if (sums.max_difference == 0) return true;
  return sums.square > 0x1p-100 && sums.square < 0x1p120 && sums.actual_square >= 0.25 * sums.expected_square;
}

/// Relative errors and sums in one walk.
HWY_INLINE RelativeResult sums_in_runs(const Plan& plan, const FloatBlock& block, bool has_zeros, std::uint8_t* codes,
                                       SumsResult& sums) {
  if (block.actual_bits == nullptr) return relative_of<LoadFloat32, true>(plan, block, has_zeros, codes, sums);
  return block.is_half ? relative_of<LoadFloat16, true>(plan, block, has_zeros, codes, sums)
                       : relative_of<LoadBFloat16, true>(plan, block, has_zeros, codes, sums);
}

bool gather_block_vector(const Plan& plan, const FloatBlock& block, Totals& totals, Histograms& histograms) {
  HWY_ALIGN std::uint8_t codes[kBlockSize];
  HWY_ALIGN std::uint8_t error_codes[kBlockSize];
  BitsResult bits = block.actual_bits == nullptr ? walk_bits32(block, codes) : walk_bits16(block, codes);
  const bool has_zeros = bits.min_expected == 0;
  SumsResult sums;
  RelativeResult relative;
  if (block.sums_in_runs) {
    relative = sums_in_runs(plan, block, has_zeros, error_codes, sums);
    if (!keeps_sums(sums)) return false;
    totals.is_rounded = true;
  } else {
    sums = walk_sums(block);
    // Squares of finite numbers can't overflow here: anything else was NaN or infinite in the block.
    if (!std::isfinite(sums.actual_square) || !std::isfinite(sums.expected_square)) return false;
    if ((plan.relative || plan.error_bins) && bits.max_ulp != 0) {
      relative = relative_of<LoadFloat32, false>(plan, block, has_zeros, error_codes, sums);
    }
  }
  if (!(relative.max_relative < 0x1p127f)) return false;
  const double max_expected = widen(block, bits.max_expected);
  if (plan.peer) {
    // So that neither a binade's inverse nor a distance in ulp leaves the range of float32.
    if (max_expected >= 0x1p127 || relative.max_relative >= 0x1p100f) return false;
  }
  if (bits.max_ulp > kShortUlp) walk_large_ulps(block, codes, bits);

  const auto n = static_cast<std::uint64_t>(block.n - block.padding);
  const std::uint32_t equal = count_ulps(plan, block, bits, codes, histograms);
  if (plan.error_bins) count_errors(block, relative, error_codes, equal, histograms);
  if (plan.peer) {
    const bool beyond = relative.max_difference_at_zero > 0;
    gather_peer(plan.limits, block,
                {widen(block, bits.min_expected), beyond ? HUGE_VALF : relative.max_relative, equal, sums.square}, totals.peer);
    totals.max_actual = std::max(totals.max_actual, widen(block, bits.max_actual));
  }
  totals.count += n;
  totals.finite += n;
  totals.mismatch += static_cast<std::uint64_t>(block.n) - equal;
  if (bits.min_actual == 0) {
    const std::uint64_t zeros = block.actual_bits != nullptr
                                    ? count_zeros(block.actual_bits, block.n)
                                    : count_zeros(reinterpret_cast<const std::uint32_t*>(block.actual), block.n);
    totals.zero_actual += zeros - static_cast<std::uint64_t>(block.padding);
  }
  totals.finite_relative += n - static_cast<std::uint64_t>(relative.infinite);
  totals.max_difference = std::max(totals.max_difference, sums.max_difference);
  totals.max_magnitude = std::max(totals.max_magnitude, max_expected);
  totals.max_ulp = std::max<std::uint64_t>(totals.max_ulp, bits.max_ulp);
  totals.actual_square += sums.actual_square;
  totals.expected_square += sums.expected_square;
  totals.product += sums.product;
  totals.square += sums.square;
  totals.difference += sums.difference;
  totals.relative += relative.sum;
  totals.ulp += static_cast<double>(bits.ulp_sum);
  totals.bounds.merge(
      {sums.max_difference, relative.max_difference_at_zero, relative.max_relative, relative.max_scaled, relative.max_rtol});
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
