// plugins/comparisons/engine/vector_peer-inl.hpp: the walk over a block for the peer's float metrics, in float32 as the peer
// computes. Included once for each instruction set.
#if defined(ASSAY_VECTOR_PEER_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ASSAY_VECTOR_PEER_INL
#undef ASSAY_VECTOR_PEER_INL
#else
#define ASSAY_VECTOR_PEER_INL
#endif

#include <algorithm>
#include <cmath>

#include "assay/sdk/half.hpp"
#include "float_kernel.hpp"
#include "hwy/highway.h"
#include "vector_relative-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace assay::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Shares of elements below these limits of the relative error are metrics.
inline constexpr float kErrorLimits[3] = {1e-2f, 1e-3f, 1e-4f};

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

/// What walk_peer is compiled for. kSmall: expected holds small values (padding is small too). kTiny: it holds zeros, or numbers
/// whose ulp has no inverse in float32. kLimits: how many of the three limits of the relative error, the smallest first, some
/// element may reach; all elements are below the others.
template <class LoadType, bool kSmallValue, bool kTinyValue, int kLimitsValue>
struct PeerKind {
  using Load = LoadType;
  static constexpr bool kSmall = kSmallValue;
  static constexpr bool kTiny = kTinyValue;
  static constexpr int kLimits = kLimitsValue;
};

/// |d| in ulp of numbers of this magnitude. Without kTiny: none is below 2^max(least exponent, fraction bits - 126).
template <bool kTiny>
struct UlpScale {
  using D = EightFloats::D;
  using V = EightFloats::V;
  using V32 = hn::Vec<hn::RebindToUnsigned<D>>;
  V32 exponent_mask, least, whole;
  V fraction;

  HWY_INLINE explicit UlpScale(const PeerLimits& limits) {
    const hn::RebindToUnsigned<D> d32;
    const auto fraction_bits = static_cast<std::uint32_t>(limits.ulp_fraction_bits);
    exponent_mask = hn::Set(d32, 0x7f800000u);
    least = hn::Set(d32, static_cast<std::uint32_t>(127 + limits.ulp_min_exponent) << 23);
    whole = hn::Set(d32, (254u + (kTiny ? 0u : fraction_bits)) << 23);
    fraction = hn::BitCast(D(), hn::Set(d32, (127u + fraction_bits) << 23));
  }

  HWY_INLINE V distance(V difference, V magnitude) const {
    const D d;
    const hn::RebindToUnsigned<D> d32;
    const V32 exponent = hn::And(hn::BitCast(d32, magnitude), exponent_mask);
    if constexpr (!kTiny) {
      return hn::Mul(difference, hn::BitCast(d, hn::Sub(whole, exponent)));
    } else {
      // Zero has the exponent of 1 in the peer's formula.
      const auto is_zero = hn::RebindMask(d32, hn::Eq(magnitude, hn::Zero(d)));
      const V32 chosen = hn::IfThenElse(is_zero, hn::Set(d32, 0x3f800000u), hn::Max(exponent, least));
      return hn::Mul(hn::Mul(difference, hn::BitCast(d, hn::Sub(whole, chosen))), fraction);
    }
  }
};

/// Counts the small values of kVectorPadding elements from `begin` on, and those whose difference is too large.
template <class Load>
HWY_NOINLINE void count_small(const PeerLimits& limits, const FloatBlock& block, int begin, PeerTotals& out) {
  const EightFloats::D d;
  using V = EightFloats::V;
  const V small_value = hn::Set(d, static_cast<float>(limits.small_value));
  const V atol_benchmark = hn::Set(d, static_cast<float>(limits.atol_benchmark));
  const V atol_absolute = hn::Set(d, static_cast<float>(limits.atol_absolute));
  LaneCount small, over_benchmark, over_absolute;
  for (int at = begin; at < begin + kVectorPadding; at += EightFloats::kWidth) {
    const V e = Load::expected(block, at);
    const V difference = hn::Abs(hn::Sub(Load::actual(block, at), e));
    const auto is_small = hn::Le(hn::Abs(e), small_value);
    small.add(is_small);
    over_benchmark.add(hn::And(is_small, hn::Gt(difference, atol_benchmark)));
    over_absolute.add(hn::And(is_small, hn::Gt(difference, atol_absolute)));
  }
  out.small += small.total();
  out.small_over_benchmark += over_benchmark.total();
  out.small_over_absolute += over_absolute.total();
}

/// All elements finite, magnitudes of expected below 2^127. Leaves `negative` and, for blocks without small values and 16-bit loads
/// aside, `normal_square` to the caller.
template <class Kind>
HWY_INLINE void walk_peer(const PeerLimits& limits, const FloatBlock& block, PeerTotals& out) {
  using D = EightFloats::D;
  using V = EightFloats::V;
  using Load = typename Kind::Load;
  constexpr int kWidth = EightFloats::kWidth;
  constexpr bool kSquares = Kind::kSmall && Load::kIsShort;
  const D d;
  const V epsilon = hn::Set(d, static_cast<float>(limits.epsilon));
  const V small_value = hn::Set(d, static_cast<float>(limits.small_value));
  const V rtol = hn::Set(d, static_cast<float>(limits.rtol));
  const V ulp_limit = hn::Set(d, static_cast<float>(limits.ulp_share_above));
  const UlpScale<Kind::kTiny> scale(limits);

  LaneCount below[3], over_rtol, positive, ulp_over;
  V max_relative = hn::Zero(d);
  V max_ulp = hn::Zero(d);
  EightFloats relative_run, ulp_run, square_run;
  EightLanes relative, ulp, square;

  for (int i = 0; i < block.n; i += kVectorPadding) {
    V any_small = hn::Zero(d);
    for (int at = i; at < i + kVectorPadding; at += 8) {
      for (int k = 0; k < EightFloats::kVectors; ++k) {
        const V a = Load::actual(block, at + k * kWidth);
        const V e = Load::expected(block, at + k * kWidth);
        V difference = hn::Abs(hn::Sub(a, e));
        const V magnitude = hn::Abs(e);
        positive.add(hn::Gt(a, e));
        const V distance = scale.distance(difference, magnitude);
        max_ulp = hn::Max(max_ulp, distance);
        ulp_over.add(hn::Gt(distance, ulp_limit));
        ulp_run.v[k] = hn::Add(ulp_run.v[k], distance);
        V error = hn::Div(difference, hn::Add(magnitude, epsilon));
        if constexpr (Kind::kLimits > 0) below[2].add(hn::Lt(error, hn::Set(d, kErrorLimits[2])));
        if constexpr (Kind::kLimits > 1) {
          below[1].add(hn::Lt(error, hn::Set(d, kErrorLimits[1])));
          below[0].add(hn::Lt(error, hn::Set(d, kErrorLimits[0])));
        }
        if constexpr (Kind::kSmall) {
          const auto is_small = hn::Le(magnitude, small_value);
          any_small = hn::Or(any_small, hn::VecFromMask(d, is_small));
          error = hn::IfThenZeroElse(is_small, error);
          if constexpr (kSquares) {
            difference = hn::IfThenZeroElse(is_small, difference);
            square_run.v[k] = hn::Add(square_run.v[k], hn::Mul(difference, difference));
          }
        }
        over_rtol.add(hn::Gt(error, rtol));
        max_relative = hn::Max(max_relative, error);
        relative_run.v[k] = hn::Add(relative_run.v[k], error);
      }
    }
    if constexpr (Kind::kSmall) {
      if (!hn::AllFalse(d, hn::MaskFromVec(any_small))) count_small<Load>(limits, block, i, out);
    }
    if ((i + kVectorPadding) % kFloatRun != 0 && i + kVectorPadding != block.n) continue;
    relative_run.flush(relative);
    ulp_run.flush(ulp);
    if constexpr (kSquares) square_run.flush(square);
  }

  const auto padding = static_cast<std::uint64_t>(block.padding);
  const std::uint64_t count = static_cast<std::uint64_t>(block.n) - padding;
  for (int k = 0; k < 3; ++k) {
    const bool counted = Kind::kLimits > (k == 2 ? 0 : 1);
    out.below[k] += counted ? below[k].total() - padding : count;
  }
  if (Kind::kSmall) out.small -= padding;
  out.normal_over_rtol += over_rtol.total();
  out.positive += positive.total();
  out.normal_max_relative = std::max(out.normal_max_relative, static_cast<double>(hn::GetLane(hn::MaxOfLanes(d, max_relative))));
  out.normal_relative += relative.sum();
  out.ulp_over += ulp_over.total();
  out.ulp_max = std::max(out.ulp_max, static_cast<double>(hn::GetLane(hn::MaxOfLanes(d, max_ulp))));
  out.ulp += ulp.sum();
  if constexpr (kSquares) out.normal_square += square.sum();
}

/// Sum of d^2 over elements that are not small.
HWY_NOINLINE double sum_normal_squares(const PeerLimits& limits, const FloatBlock& block) {
  const EightLanes::D d;
  const hn::Rebind<float, EightLanes::D> narrow;
  const auto small_value = hn::Set(d, limits.small_value);
  EightLanes square;
  for (int i = 0; i < block.n; i += 8) {
    for (int k = 0; k < EightLanes::kVectors; ++k) {
      const int at = i + k * EightLanes::kWidth;
      const auto e = hn::PromoteTo(d, hn::LoadU(narrow, block.expected + at));
      const auto difference = hn::Sub(hn::PromoteTo(d, hn::LoadU(narrow, block.actual + at)), e);
      const auto normal = hn::IfThenZeroElse(hn::Le(hn::Abs(e), small_value), difference);
      square.v[k] = hn::Add(square.v[k], hn::Mul(normal, normal));
    }
  }
  return square.sum();
}

/// What the walks before know about a block.
struct PeerFacts {
  double min_expected = 0;  ///< smallest |e|
  float max_relative = 0;   ///< a bound of |d| / (|e| + eps)
  std::uint64_t equal = 0;  ///< equal pairs, padding included
  double square = 0;        ///< sum of d^2
};

template <class Load, bool kSmall, bool kTiny>
HWY_INLINE void walk_peer_within(const PeerLimits& limits, const FloatBlock& block, float max_relative, PeerTotals& out) {
  if (max_relative < kErrorLimits[2]) {
    walk_peer<PeerKind<Load, kSmall, kTiny, 0>>(limits, block, out);
  } else if (max_relative < kErrorLimits[1]) {
    walk_peer<PeerKind<Load, kSmall, kTiny, 1>>(limits, block, out);
  } else {
    walk_peer<PeerKind<Load, kSmall, kTiny, 3>>(limits, block, out);
  }
}

template <class Load>
HWY_INLINE void gather_peer_as(const PeerLimits& limits, const FloatBlock& block, const PeerFacts& facts, PeerTotals& out) {
  const double least_plain = std::ldexp(1.0, std::max(limits.ulp_min_exponent, limits.ulp_fraction_bits - 126));
  if (facts.min_expected > limits.small_value) {
    walk_peer_within<Load, false, false>(limits, block, facts.max_relative, out);
    out.normal_square += facts.square;
    return;
  }
  if (facts.min_expected >= least_plain) {
    walk_peer_within<Load, true, false>(limits, block, facts.max_relative, out);
  } else {
    walk_peer_within<Load, true, true>(limits, block, facts.max_relative, out);
  }
  if (!Load::kIsShort) out.normal_square += sum_normal_squares(limits, block);
}

/// Adds the block's peer metrics.
HWY_INLINE void gather_peer(const PeerLimits& limits, const FloatBlock& block, const PeerFacts& facts, PeerTotals& totals) {
  PeerTotals peer;
  if (block.actual != nullptr) {
    gather_peer_as<LoadFloat32>(limits, block, facts, peer);
  } else if (block.is_half) {
    gather_peer_as<LoadFloat16>(limits, block, facts, peer);
  } else {
    gather_peer_as<LoadBFloat16>(limits, block, facts, peer);
  }
  peer.negative = static_cast<std::uint64_t>(block.n) - facts.equal - peer.positive;
  totals.merge(peer);
}

}  // namespace assay::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
