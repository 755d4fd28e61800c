// plugins/comparisons/engine/vector_peer-inl.hpp: the walk over a block for the peer's float metrics, in float32 as the peer
// computes. Included once for each instruction set.
#if defined(ASSAY_VECTOR_PEER_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ASSAY_VECTOR_PEER_INL
#undef ASSAY_VECTOR_PEER_INL
#else
#define ASSAY_VECTOR_PEER_INL
#endif

#include <algorithm>

#include "assay/sdk/half.hpp"
#include "float_kernel.hpp"
#include "hwy/highway.h"
#include "vector_relative-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace assay::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// How many lanes held a condition, as small counters of each lane.
struct LaneCount {
  using D = EightFloats::D;
  using V = hn::Vec<hn::RebindToSigned<D>>;
  V v;

  HWY_INLINE LaneCount() : v(hn::Zero(hn::RebindToSigned<D>())) {}
  HWY_INLINE void add(hn::Mask<D> condition) {
    const hn::RebindToSigned<D> d;
    v = hn::Sub(v, hn::VecFromMask(d, hn::RebindMask(d, condition)));
  }
  [[nodiscard]] HWY_INLINE std::uint64_t total() const {
    const hn::RebindToSigned<D> d;
    return static_cast<std::uint64_t>(hn::GetLane(hn::SumOfLanes(d, v)));
  }
};

/// 2^-e as a float, for the exponent e of each number >= 0, at least `least`; 1 for 0. Numbers below 2^127.
HWY_INLINE EightFloats::V inverse_binade(EightFloats::V magnitude, std::uint32_t least_exponent_bits) {
  const EightFloats::D d;
  const hn::RebindToUnsigned<EightFloats::D> d32;
  const auto exponent = hn::And(hn::BitCast(d32, magnitude), hn::Set(d32, 0x7f800000u));
  const auto floored = hn::Max(exponent, hn::Set(d32, least_exponent_bits));
  const auto of_zero = hn::Set(d32, 0x3f800000u);
  const auto chosen = hn::IfThenElse(hn::RebindMask(d32, hn::Eq(magnitude, hn::Zero(d))), of_zero, floored);
  return hn::BitCast(d, hn::Sub(hn::Set(d32, 254u << 23), chosen));
}

/// All elements finite, magnitudes of expected below 2^127. kSmall: expected holds small values (padding is small too). Returns the
/// largest |a|.
template <class Load, bool kSmall>
HWY_INLINE double walk_peer(const PeerLimits& limits, const FloatBlock& block, PeerTotals& out) {
  using D = EightFloats::D;
  using V = EightFloats::V;
  constexpr int kWidth = EightFloats::kWidth;
  const D d;
  const V epsilon = hn::Set(d, static_cast<float>(limits.epsilon));
  const V hundredth = hn::Set(d, 1e-2f);
  const V thousandth = hn::Set(d, 1e-3f);
  const V ten_thousandth = hn::Set(d, 1e-4f);
  const V small_value = hn::Set(d, static_cast<float>(limits.small_value));
  const V atol_benchmark = hn::Set(d, static_cast<float>(limits.atol_benchmark));
  const V atol_absolute = hn::Set(d, static_cast<float>(limits.atol_absolute));
  const V rtol = hn::Set(d, static_cast<float>(limits.rtol));
  const V ulp_limit = hn::Set(d, static_cast<float>(limits.ulp_share_above));
  const V fraction = hn::Set(d, detail::bit_cast<float>(static_cast<std::uint32_t>(127 + limits.ulp_fraction_bits) << 23));
  const auto least_exponent_bits = static_cast<std::uint32_t>(127 + limits.ulp_min_exponent) << 23;

  LaneCount below[3], small, over_benchmark, over_absolute, over_rtol, positive, negative, ulp_over;
  V max_relative = hn::Zero(d);
  V max_ulp = hn::Zero(d);
  V max_actual = hn::Zero(d);
  EightFloats relative_run, ulp_run;
  EightLanes relative, ulp;

  for (int i = 0; i < block.n; i += kVectorPadding) {
    for (int at = i; at < i + kVectorPadding; at += 8) {
      for (int k = 0; k < EightFloats::kVectors; ++k) {
        const V a = Load::actual(block, at + k * kWidth);
        const V e = Load::expected(block, at + k * kWidth);
        const V difference = hn::Abs(hn::Sub(a, e));
        const V magnitude = hn::Abs(e);
        max_actual = hn::Max(max_actual, hn::Abs(a));
        V error = hn::Div(difference, hn::Add(magnitude, epsilon));
        below[0].add(hn::Lt(error, hundredth));
        below[1].add(hn::Lt(error, thousandth));
        below[2].add(hn::Lt(error, ten_thousandth));
        positive.add(hn::Gt(a, e));
        negative.add(hn::Lt(a, e));
        if constexpr (kSmall) {
          const auto is_small = hn::Le(magnitude, small_value);
          small.add(is_small);
          over_benchmark.add(hn::And(is_small, hn::Gt(difference, atol_benchmark)));
          over_absolute.add(hn::And(is_small, hn::Gt(difference, atol_absolute)));
          error = hn::IfThenZeroElse(is_small, error);
        }
        over_rtol.add(hn::Gt(error, rtol));
        max_relative = hn::Max(max_relative, error);
        relative_run.v[k] = hn::Add(relative_run.v[k], error);
        const V distance = hn::Mul(hn::Mul(difference, inverse_binade(magnitude, least_exponent_bits)), fraction);
        max_ulp = hn::Max(max_ulp, distance);
        ulp_over.add(hn::Gt(distance, ulp_limit));
        ulp_run.v[k] = hn::Add(ulp_run.v[k], distance);
      }
    }
    if ((i + kVectorPadding) % kFloatRun != 0 && i + kVectorPadding != block.n) continue;
    relative_run.flush(relative);
    ulp_run.flush(ulp);
  }

  const auto padding = static_cast<std::uint64_t>(block.padding);
  for (int k = 0; k < 3; ++k) out.below[k] += below[k].total() - padding;
  out.small += small.total() - (kSmall ? padding : 0);
  out.small_over_benchmark += over_benchmark.total();
  out.small_over_absolute += over_absolute.total();
  out.normal_over_rtol += over_rtol.total();
  out.positive += positive.total();
  out.negative += negative.total();
  out.normal_max_relative = std::max(out.normal_max_relative, static_cast<double>(hn::GetLane(hn::MaxOfLanes(d, max_relative))));
  out.normal_relative += relative.sum();
  out.ulp_over += ulp_over.total();
  out.ulp_max = std::max(out.ulp_max, static_cast<double>(hn::GetLane(hn::MaxOfLanes(d, max_ulp))));
  out.ulp += ulp.sum();
  return static_cast<double>(hn::GetLane(hn::MaxOfLanes(d, max_actual)));
}

/// Sum of d^2 over elements that are not small.
template <class Load>
HWY_INLINE double sum_normal_squares(const PeerLimits& limits, const FloatBlock& block) {
  using V = EightFloats::V;
  const EightFloats::D d;
  const V small_value = hn::Set(d, static_cast<float>(limits.small_value));
  const EightLanes::D wide;
  const hn::Rebind<float, EightLanes::D> narrow;
  EightLanes square;
  HWY_ALIGN float lane[8];
  for (int i = 0; i < block.n; i += 8) {
    for (int k = 0; k < EightFloats::kVectors; ++k) {
      const V e = Load::expected(block, i + k * EightFloats::kWidth);
      const V difference = hn::Sub(Load::actual(block, i + k * EightFloats::kWidth), e);
      hn::Store(hn::IfThenZeroElse(hn::Le(hn::Abs(e), small_value), difference), d, lane + k * EightFloats::kWidth);
    }
    for (int k = 0; k < EightLanes::kVectors; ++k) {
      const auto difference = hn::PromoteTo(wide, hn::Load(narrow, lane + k * EightLanes::kWidth));
      square.v[k] = hn::Add(square.v[k], hn::Mul(difference, difference));
    }
  }
  return square.sum();
}

/// Adds the block's peer metrics; `square` is its sum of d^2.
template <class Load>
HWY_INLINE void gather_peer_as(const PeerLimits& limits, const FloatBlock& block, double least_expected, double square,
                               Totals& totals) {
  PeerTotals peer;
  double max_actual = 0;
  if (least_expected > limits.small_value) {
    max_actual = walk_peer<Load, false>(limits, block, peer);
    peer.normal_square = square;
  } else {
    max_actual = walk_peer<Load, true>(limits, block, peer);
    peer.normal_square = sum_normal_squares<Load>(limits, block);
  }
  totals.max_actual = std::max(totals.max_actual, max_actual);
  totals.peer.merge(peer);
}

HWY_INLINE void gather_peer(const PeerLimits& limits, const FloatBlock& block, double least_expected, double square,
                            Totals& totals) {
  if (block.actual != nullptr) {
    gather_peer_as<LoadFloat32>(limits, block, least_expected, square, totals);
  } else if (block.is_half) {
    gather_peer_as<LoadFloat16>(limits, block, least_expected, square, totals);
  } else {
    gather_peer_as<LoadBFloat16>(limits, block, least_expected, square, totals);
  }
}

}  // namespace assay::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
