#include "plan.hpp"

namespace assay::engine {

Plan make_plan(const MetricSet& metrics, double atol, assay_dtype actual, assay_dtype expected) {
  const auto any = [&](auto... wanted) { return (has(metrics, wanted) || ...); };
  Plan plan;
  plan.metrics = metrics;
  plan.format = format_of(actual);
  plan.limits = peer_limits(actual, expected);
  plan.atol = atol >= 0 ? atol : (plan.format.floating ? plan.format.smallest : 0.0);

  const bool is_real_float = is_floating(actual) && is_floating(expected);
  plan.worst = any(Metric::kWorstIndex, Metric::kWorstIndices);
  plan.scaled = any(Metric::kMaxScaledError);
  plan.difference = any(Metric::kMaxAbsError, Metric::kMintMaxAbsError, Metric::kTorchMaxAbsError);
  plan.rtol = any(Metric::kRtolToPass);
  // A tolerance this small takes nothing from any error that matters: the bound of |d| / |e| serves.
  plan.rtol_bound = plan.rtol && plan.atol > 1e-30;
  plan.median = any(Metric::kSignificantBitsMedian);
  plan.first_mismatch = any(Metric::kMismatchFirst);
  plan.first_class_mismatch = any(Metric::kClassMismatchFirst);
  plan.sums = plan.worst || plan.scaled ||
              any(Metric::kCosine, Metric::kRelL2Error, Metric::kRmsExpected, Metric::kMintCosine, Metric::kTorchCosine);
  plan.error_bins = any(Metric::kSignificantBitsMedian, Metric::kErrorHistogram);
  plan.ulp = any(Metric::kMaxUlp, Metric::kMeanUlp);
  plan.ulp_bins = any(Metric::kUlpHistogram);
  plan.peer =
      is_real_float && any(Metric::kTorchCosine, Metric::kTorchHundredth, Metric::kTorchThousandth, Metric::kTorchTenThousandth,
                           Metric::kTorchErrorBalance, Metric::kTorchRmse, Metric::kTorchSmallValueRatio, Metric::kTorchMaxRelError,
                           Metric::kTorchMeanRelError, Metric::kTorchInfNanRatio, Metric::kTorchRelativeRatio,
                           Metric::kTorchAbsoluteRatio, Metric::kTorchUlpMax, Metric::kTorchUlpMean, Metric::kTorchUlpShare);
  plan.relative = plan.peer || plan.worst || plan.scaled || plan.rtol ||
                  any(Metric::kMaxRelError, Metric::kMeanRelError, Metric::kSignificantBitsWorst, Metric::kMintMaxRelError);
  return plan;
}

}  // namespace assay::engine
