#include "finish.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace assay::engine {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

double number(std::uint64_t count) { return static_cast<double>(count); }

double kept_bits(const Plan& plan, double relative) {
  return std::clamp(-std::log2(relative), 0.0, static_cast<double>(plan.format.precision));
}

bool finish_own(const Outcome& outcome, Metric metric, double* out) {
  const Plan& plan = outcome.plan;
  const Totals& t = outcome.walk.totals;
  const Norms& norms = outcome.look.norms;
  const bool any_finite = t.finite != 0;
  switch (metric) {
    case Metric::kNumel: *out = number(t.count); return true;
    case Metric::kCosine: *out = t.class_mismatch != 0 ? kNan : norms.cosine; return true;
    case Metric::kMaxAbsError: *out = outcome.look.max_difference; return any_finite;
    case Metric::kMeanAbsError: *out = t.difference / number(t.finite); return any_finite;
    case Metric::kMaxRelError: *out = outcome.look.max_relative; return any_finite;
    case Metric::kMeanRelError: *out = t.relative / number(t.finite_relative); return t.finite_relative != 0;
    case Metric::kRelL2Error: *out = norms.difference == 0 ? 0.0 : norms.difference / norms.expected; return any_finite;
    case Metric::kMaxAbsExpected: *out = t.max_magnitude; return any_finite;
    case Metric::kRmsExpected: *out = norms.rms_expected; return any_finite;
    case Metric::kMaxUlp: *out = number(t.max_ulp); return any_finite;
    case Metric::kMeanUlp: *out = t.ulp / number(t.finite); return any_finite;
    case Metric::kUlpHistogram:
      for (const std::uint64_t count : outcome.walk.histograms.ulp) *out++ = number(count);
      return true;
    case Metric::kSignificantBitsWorst: *out = kept_bits(plan, outcome.look.max_relative); return any_finite;
    case Metric::kSignificantBitsMedian: *out = kept_bits(plan, outcome.look.median_relative); return any_finite;
    case Metric::kMismatchCount: *out = number(t.mismatch); return true;
    case Metric::kMismatchFirst: *out = static_cast<double>(outcome.look.first_mismatch); return true;
    case Metric::kNanActual: *out = number(t.nan_actual); return true;
    case Metric::kNanExpected: *out = number(t.nan_expected); return true;
    case Metric::kPosInfActual: *out = number(t.pos_inf_actual); return true;
    case Metric::kPosInfExpected: *out = number(t.pos_inf_expected); return true;
    case Metric::kNegInfActual: *out = number(t.neg_inf_actual); return true;
    case Metric::kNegInfExpected: *out = number(t.neg_inf_expected); return true;
    case Metric::kClassMismatchCount: *out = number(t.class_mismatch); return true;
    case Metric::kClassMismatchFirst: *out = static_cast<double>(outcome.look.first_class_mismatch); return true;
    case Metric::kRtolToPass: *out = outcome.look.max_rtol; return any_finite;
    case Metric::kWorstIndex: *out = static_cast<double>(outcome.look.worst[0]); return true;
    case Metric::kWorstIndices:
      for (const std::int64_t index : outcome.look.worst) *out++ = static_cast<double>(index);
      return true;
    case Metric::kErrorHistogram:
      for (const std::uint64_t count : outcome.walk.histograms.error) *out++ = number(count);
      return true;
    case Metric::kMaxScaledError: *out = outcome.look.max_scaled; return any_finite;
    case Metric::kZeroCountActual: *out = number(t.zero_actual); return true;
    default: return false;
  }
}

/// max |d| as IEEE arithmetic over every pair gives it: NaN - x and inf - inf are NaN.
double raw_max_difference(const Outcome& outcome) {
  const Totals& t = outcome.walk.totals;
  if (t.nan_actual + t.nan_expected + t.equal_inf != 0) return kNan;
  return t.finite == t.count ? outcome.look.max_difference : kInf;
}

bool finish_mint(const Outcome& outcome, Metric metric, double* out) {
  const Totals& t = outcome.walk.totals;
  constexpr double kEpsilon = 1e-8;
  if (t.count == 0 || is_complex(outcome.actual) || is_complex(outcome.expected)) return false;
  switch (metric) {
    case Metric::kMintCosine:
      *out = t.finite == t.count ? (kEpsilon + t.product) / (kEpsilon + std::sqrt(t.expected_square) * std::sqrt(t.actual_square))
                                 : kNan;
      return true;
    case Metric::kMintMaxAbsError: *out = raw_max_difference(outcome); return true;
    default:
      if (t.nan_actual + t.nan_expected + t.pos_inf_expected + t.neg_inf_expected != 0) {
        *out = kNan;
      } else {
        *out = t.finite == t.count ? std::max(outcome.look.max_relative_nonzero, t.bounds.max_difference_at_zero / kEpsilon) : kInf;
      }
      return true;
  }
}

double share(std::uint64_t part, std::uint64_t whole) { return whole == 0 ? 0.0 : number(part) / number(whole); }

double peer_rmse(const Totals& t) {
  const double n = number(t.count);
  const double masked = number(t.peer.special + t.peer.small);
  return std::sqrt(t.peer.normal_square / n * (n / (n - masked + 0.0001) + 0.0001));
}

bool finish_torch_cosine(const Totals& t, const Norms& norms, double* out) {
  constexpr double kAllButZero = 2.220446049250313e-16;
  if (t.finite != t.count) {
    *out = kNan;
    return true;
  }
  const bool actual_vanishes = t.max_actual <= kAllButZero;
  const bool expected_vanishes = t.max_magnitude <= kAllButZero;
  if (t.count == 1 || (actual_vanishes && expected_vanishes)) return false;
  *out = actual_vanishes || expected_vanishes ? 0.0 : norms.cosine;
  return true;
}

bool finish_torch(const Outcome& outcome, Metric metric, double* out) {
  const Totals& t = outcome.walk.totals;
  const PeerTotals& p = t.peer;
  if (metric == Metric::kTorchErrorRate) {
    *out = share(t.mismatch + t.equal_nan, t.count);
    return t.count != 0;
  }
  if (!is_floating(outcome.actual) || !is_floating(outcome.expected)) return false;
  const std::uint64_t normal = t.count - p.special - p.small;
  switch (metric) {
    case Metric::kTorchHundredth:
    case Metric::kTorchThousandth:
    case Metric::kTorchTenThousandth: {
      const auto which = static_cast<int>(metric) - static_cast<int>(Metric::kTorchHundredth);
      *out = t.count == 0 ? 1.0 : share(p.below[which], t.count);
      return true;
    }
    default: break;
  }
  if (t.count == 0) return false;
  switch (metric) {
    case Metric::kTorchCosine: return finish_torch_cosine(t, outcome.look.norms, out);
    case Metric::kTorchMaxAbsError: *out = raw_max_difference(outcome); return true;
    case Metric::kTorchErrorBalance: *out = std::fabs(number(p.positive) - number(p.negative)) / number(t.count); return true;
    case Metric::kTorchRmse: *out = peer_rmse(t); return true;
    case Metric::kTorchSmallValueRatio: *out = share(p.small_over_benchmark, p.small); return true;
    case Metric::kTorchMaxRelError: *out = p.normal_max_relative; return true;
    case Metric::kTorchMeanRelError: *out = normal == 0 ? 0.0 : p.normal_relative / number(normal); return true;
    case Metric::kTorchInfNanRatio: *out = share(p.special_wrong, p.special); return true;
    case Metric::kTorchRelativeRatio: *out = share(p.normal_over_rtol, normal); return true;
    case Metric::kTorchAbsoluteRatio: *out = share(p.small_over_absolute, p.small); return true;
    case Metric::kTorchUlpMax: *out = p.ulp_max; return outcome.plan.limits.has_ulp;
    case Metric::kTorchUlpMean: *out = p.ulp / number(t.count); return outcome.plan.limits.has_ulp;
    case Metric::kTorchUlpShare: *out = share(p.ulp_over, t.count); return outcome.plan.limits.has_ulp;
    default: return false;
  }
}

}  // namespace

bool finish_metric(const Outcome& outcome, Metric metric, double* out) {
  if (metric <= Metric::kZeroCountActual) return finish_own(outcome, metric, out);
  return metric <= Metric::kMintMaxRelError ? finish_mint(outcome, metric, out) : finish_torch(outcome, metric, out);
}

}  // namespace assay::engine
