#include "tile_kernel.hpp"

#include <cmath>
#include <limits>

#include "bins.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tile_kernel.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace assay::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<double, 8>;
using V = hn::Vec<D>;
constexpr int kWidth = static_cast<int>(hn::MaxLanes(D()));
constexpr int kVectors = 8 / kWidth;

HWY_INLINE void load_lanes(const LaneSum& sum, V* lanes) {
  for (int k = 0; k < kVectors; ++k) lanes[k] = hn::LoadU(D(), sum.lanes + k * kWidth);
}

HWY_INLINE void store_lanes(const V* lanes, LaneSum& sum) {
  for (int k = 0; k < kVectors; ++k) hn::StoreU(lanes[k], D(), sum.lanes + k * kWidth);
}

HWY_INLINE double largest_lane(V v) {
  double lane[kWidth];
  hn::StoreU(v, D(), lane);
  double largest = lane[0];
  for (const double each : lane) largest = each > largest ? each : largest;
  return largest;
}

void add_squares_vector(const double* actual, const double* expected, int n, LaneSum& actual_square, LaneSum& expected_square,
                        LaneSum& product, LaneSum& square) {
  const D d;
  V aa[kVectors], ee[kVectors], ae[kVectors], dd[kVectors];
  load_lanes(actual_square, aa);
  load_lanes(expected_square, ee);
  load_lanes(product, ae);
  load_lanes(square, dd);
  for (int i = 0; i < n; i += 8) {
    for (int k = 0; k < kVectors; ++k) {
      const V a = hn::LoadU(d, actual + i + k * kWidth);
      const V e = hn::LoadU(d, expected + i + k * kWidth);
      const V difference = hn::Sub(a, e);
      // Not fused: a machine without fused multiply-add rounds the same.
      aa[k] = hn::Add(aa[k], hn::Mul(a, a));
      ee[k] = hn::Add(ee[k], hn::Mul(e, e));
      ae[k] = hn::Add(ae[k], hn::Mul(a, e));
      dd[k] = hn::Add(dd[k], hn::Mul(difference, difference));
    }
  }
  store_lanes(aa, actual_square);
  store_lanes(ee, expected_square);
  store_lanes(ae, product);
  store_lanes(dd, square);
}

void measure_reals_vector(const double* actual, const double* expected, int n, double* difference, double* magnitude) {
  const D d;
  for (int i = 0; i < n; i += kWidth) {
    const V e = hn::LoadU(d, expected + i);
    hn::StoreU(hn::Abs(hn::Sub(hn::LoadU(d, actual + i), e)), d, difference + i);
    hn::StoreU(hn::Abs(e), d, magnitude + i);
  }
}

/// error_bin for each lane.
HWY_INLINE void store_bins(V ratio, std::uint8_t* bins) {
  const D d;
  const hn::RebindToSigned<D> d64;
  const auto exponent = hn::BitCast(d64, hn::ShiftRight<52>(hn::BitCast(hn::RebindToUnsigned<D>(), ratio)));
  const auto bin = hn::Sub(exponent, hn::Set(d64, std::int64_t{1023 - kUnitErrorBin}));
  const auto clamped = hn::Min(hn::Max(bin, hn::Set(d64, std::int64_t{1})), hn::Set(d64, std::int64_t{kErrorBins - 1}));
  const auto zero_for_equal = hn::IfThenZeroElse(hn::RebindMask(d64, hn::Eq(ratio, hn::Zero(d))), clamped);
  std::int64_t lane[kWidth];
  hn::StoreU(zero_for_equal, d64, lane);
  for (int k = 0; k < kWidth; ++k) bins[k] = static_cast<std::uint8_t>(lane[k]);
}

void add_relative_vector(const double* difference, const double* magnitude, int n, RelativeTerms& terms, std::uint8_t* bins) {
  const D d;
  const V zero = hn::Zero(d);
  const V infinity = hn::Set(d, std::numeric_limits<double>::infinity());
  const V scale = hn::Set(d, terms.scale > 0 ? terms.scale : 1.0);
  const V atol = hn::Set(d, terms.atol);
  V differences[kVectors], relatives[kVectors];
  load_lanes(terms.difference_sum, differences);
  load_lanes(terms.relative_sum, relatives);
  V max_difference = zero, max_magnitude = zero, max_relative = zero, max_scaled = zero, max_rtol = zero, max_at_zero = zero;
  std::size_t different = 0;
  std::size_t infinite = 0;
  for (int i = 0; i < n; i += 8) {
    for (int k = 0; k < kVectors; ++k) {
      const int at = i + k * kWidth;
      const V absolute = hn::LoadU(d, difference + at);
      const V size = hn::LoadU(d, magnitude + at);
      const auto is_zero = hn::Eq(size, zero);
      const auto differs = hn::Gt(absolute, zero);
      differences[k] = hn::Add(differences[k], absolute);
      max_difference = hn::Max(max_difference, absolute);
      max_magnitude = hn::Max(max_magnitude, size);
      const V quotient = hn::IfThenZeroElse(is_zero, hn::Div(absolute, size));
      max_relative = hn::Max(max_relative, quotient);
      max_scaled = hn::Max(max_scaled, hn::Min(quotient, hn::Div(absolute, scale)));
      max_rtol = hn::Max(max_rtol, hn::IfThenZeroElse(is_zero, hn::Div(hn::Sub(absolute, atol), size)));
      max_at_zero = hn::Max(max_at_zero, hn::IfThenElseZero(is_zero, absolute));
      const V ratio = hn::IfThenElse(hn::And(is_zero, differs), infinity, quotient);
      const auto is_infinite = hn::Eq(ratio, infinity);
      different += hn::CountTrue(d, differs);
      infinite += hn::CountTrue(d, is_infinite);
      relatives[k] = hn::Add(relatives[k], hn::IfThenZeroElse(is_infinite, ratio));
      store_bins(ratio, bins + at);
    }
  }
  store_lanes(differences, terms.difference_sum);
  store_lanes(relatives, terms.relative_sum);
  const auto raise = [](double& largest, V v) HWY_ATTR { largest = std::fmax(largest, largest_lane(v)); };
  raise(terms.max_difference, max_difference);
  raise(terms.max_magnitude, max_magnitude);
  raise(terms.max_relative, max_relative);
  raise(terms.max_scaled, max_scaled);
  raise(terms.max_rtol, max_rtol);
  raise(terms.max_difference_at_zero, max_at_zero);
  terms.different += different;
  terms.infinite += infinite;
}

/// Format::rank of each lane.
HWY_INLINE hn::Vec<hn::RebindToUnsigned<D>> ranks(const Format& format, V number) {
  const D d;
  const hn::RebindToUnsigned<D> d64;
  const auto bits = hn::BitCast(d64, number);
  if (format.precision == 53) return bits;
  const auto first_normal = hn::BitCast(d64, hn::Set(d, format.smallest));
  const auto hidden = hn::Set(d64, std::uint64_t{1} << (format.precision - 1));
  const auto normal = hn::Add(hn::ShiftRightSame(hn::Sub(bits, first_normal), 53 - format.precision), hidden);
  // A whole number below 2^52, read from the fraction bits after adding 2^52.
  const V shift = hn::Set(d, 0x1p52);
  const V units = hn::Mul(number, hn::Set(d, 1 / (format.smallest * format.epsilon)));
  const auto subnormal = hn::Sub(hn::BitCast(d64, hn::Add(units, shift)), hn::BitCast(d64, shift));
  const auto is_normal = hn::RebindMask(d64, hn::Ge(number, hn::Set(d, format.smallest)));
  const auto is_beyond = hn::RebindMask(d64, hn::Gt(number, hn::Set(d, format.largest)));
  const auto beyond = hn::Set(d64, format.rank(format.largest) + 1);
  return hn::IfThenElse(is_beyond, beyond, hn::IfThenElse(is_normal, normal, subnormal));
}

void rank_distances_vector(const Format& format, const double* actual, const double* expected, int n, std::uint64_t* distances) {
  const D d;
  const hn::RebindToUnsigned<D> d64;
  const hn::RebindToSigned<D> di;
  for (int i = 0; i < n; i += kWidth) {
    const V a = hn::LoadU(d, actual + i);
    const V e = hn::LoadU(d, expected + i);
    const auto a_rank = ranks(format, hn::Abs(a));
    const auto e_rank = ranks(format, hn::Abs(e));
    const auto forward = hn::BitCast(di, hn::Sub(a_rank, e_rank));
    const auto backward = hn::BitCast(di, hn::Sub(e_rank, a_rank));
    const auto same_sign = hn::IfNegativeThenElse(forward, backward, forward);
    const auto across_zero = hn::BitCast(di, hn::Add(a_rank, e_rank));
    const auto signs = hn::BitCast(di, hn::Xor(hn::BitCast(d64, a), hn::BitCast(d64, e)));
    hn::StoreU(hn::BitCast(d64, hn::IfNegativeThenElse(signs, across_zero, same_sign)), d64, distances + i);
  }
}

std::uint64_t add_distances_vector(const std::uint64_t* distances, int n, LaneSum& sum, std::uint8_t* bins) {
  const D d;
  const hn::RebindToUnsigned<D> d64;
  const hn::RebindToSigned<D> di;
  using V64 = hn::Vec<decltype(d64)>;
  // Both halves of a whole number, each placed in the fraction of a large double.
  const V64 low_bits = hn::Set(d64, std::uint64_t{0xffffffff});
  const V low_base = hn::Set(d, 0x1p52);
  const V high_base = hn::Set(d, 0x1p84);
  const auto to_double = [&](V64 whole) HWY_ATTR {
    const V low = hn::BitCast(d, hn::Or(hn::And(whole, low_bits), hn::BitCast(d64, low_base)));
    const V high = hn::BitCast(d, hn::Or(hn::ShiftRight<32>(whole), hn::BitCast(d64, high_base)));
    return hn::Add(hn::Sub(high, high_base), hn::Sub(low, low_base));
  };
  V sums[kVectors];
  load_lanes(sum, sums);
  V64 largest = hn::Zero(d64);
  for (int i = 0; i < n; i += 8) {
    for (int k = 0; k < kVectors; ++k) {
      const int at = i + k * kWidth;
      const V64 whole = hn::LoadU(d64, distances + at);
      sums[k] = hn::Add(sums[k], to_double(whole));
      largest = hn::Max(largest, whole);
      const V64 below = hn::Sub(whole, hn::Set(d64, std::uint64_t{1}));
      // The bit after the leading one is cleared, so that rounding can't reach the next power of two.
      const V half_more = hn::Add(to_double(hn::AndNot(hn::ShiftRight<1>(below), below)), hn::Set(d, 0.5));
      const auto exponent = hn::BitCast(di, hn::ShiftRight<52>(hn::BitCast(d64, half_more)));
      const auto bin = hn::Min(hn::Sub(exponent, hn::Set(di, std::int64_t{1021})), hn::Set(di, std::int64_t{kUlpBins - 1}));
      const auto zero_for_equal = hn::IfThenZeroElse(hn::RebindMask(di, hn::Eq(whole, hn::Zero(d64))), bin);
      std::int64_t lane[kWidth];
      hn::StoreU(zero_for_equal, di, lane);
      for (int j = 0; j < kWidth; ++j) bins[at + j] = static_cast<std::uint8_t>(lane[j]);
    }
  }
  store_lanes(sums, sum);
  std::uint64_t lane[kWidth];
  hn::StoreU(largest, d64, lane);
  std::uint64_t most = 0;
  for (const std::uint64_t each : lane) most = each > most ? each : most;
  return most;
}

void floored_ratios_vector(const double* difference, const double* magnitude, double floor, int n, double* ratios) {
  const D d;
  const V least = hn::Set(d, floor);
  for (int i = 0; i < n; i += kWidth) {
    hn::StoreU(hn::Div(hn::LoadU(d, difference + i), hn::Max(hn::LoadU(d, magnitude + i), least)), d, ratios + i);
  }
}

}  // namespace assay::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assay::engine {

HWY_EXPORT(add_squares_vector);
HWY_EXPORT(measure_reals_vector);
HWY_EXPORT(add_relative_vector);
HWY_EXPORT(rank_distances_vector);
HWY_EXPORT(add_distances_vector);
HWY_EXPORT(floored_ratios_vector);

void add_squares(const double* actual, const double* expected, int n, LaneSum& actual_square, LaneSum& expected_square,
                 LaneSum& product, LaneSum& square) {
  HWY_DYNAMIC_DISPATCH(add_squares_vector)(actual, expected, n, actual_square, expected_square, product, square);
}

void measure_reals(const double* actual, const double* expected, int n, double* difference, double* magnitude) {
  HWY_DYNAMIC_DISPATCH(measure_reals_vector)(actual, expected, n, difference, magnitude);
}

void add_relative(const double* difference, const double* magnitude, int n, RelativeTerms& terms, std::uint8_t* bins) {
  HWY_DYNAMIC_DISPATCH(add_relative_vector)(difference, magnitude, n, terms, bins);
}

void rank_distances(const Format& format, const double* actual, const double* expected, int n, std::uint64_t* distances) {
  HWY_DYNAMIC_DISPATCH(rank_distances_vector)(format, actual, expected, n, distances);
}

std::uint64_t add_distances(const std::uint64_t* distances, int n, LaneSum& sum, std::uint8_t* bins) {
  return HWY_DYNAMIC_DISPATCH(add_distances_vector)(distances, n, sum, bins);
}

void floored_ratios(const double* difference, const double* magnitude, double floor, int n, double* ratios) {
  HWY_DYNAMIC_DISPATCH(floored_ratios_vector)(difference, magnitude, floor, n, ratios);
}

}  // namespace assay::engine
#endif
