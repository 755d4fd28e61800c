// plugins/comparisons/engine/metrics.hpp: every metric the engine knows, from one table.
//
//   const assay_metric_info& info = engine::metric_info(engine::Metric::kMaxUlp);
//   std::optional<engine::MetricSet> set = engine::metrics_by_name("msprobe-mint");
//
// docs/metrics.md holds the full definitions. In the formulas below a is the actual element, e the expected one, d = a - e.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string_view>

#include "assay/abi/comparison.h"

/// X(enumerator, name, kind, better, length, unit, formula), in output order.
#define ASSAY_OWN_METRICS(X)                                                                                                     \
  X(kNumel, "numel", COUNT, NEITHER, 1, "element", "elements in the tensor")                                                     \
  X(kCosine, "cosine", SCALAR, HIGHER, 1, "1", "sum(a*e) / (|a|*|e|) over finite pairs; NaN if classes mismatch")                \
  X(kMaxAbsError, "max_abs_error", SCALAR, LOWER, 1, "1", "max |d|")                                                             \
  X(kMeanAbsError, "mean_abs_error", SCALAR, LOWER, 1, "1", "mean |d|")                                                          \
  X(kMaxRelError, "max_rel_error", SCALAR, LOWER, 1, "1", "max |d| / |e|; 0 where equal, inf where only e is 0")                 \
  X(kMeanRelError, "mean_rel_error", SCALAR, LOWER, 1, "1", "mean of the finite |d| / |e|")                                      \
  X(kRelL2Error, "rel_l2_error", SCALAR, LOWER, 1, "1", "sqrt(sum d^2 / sum e^2)")                                               \
  X(kMaxAbsExpected, "max_abs_expected", SCALAR, NEITHER, 1, "1", "max |e|")                                                     \
  X(kRmsExpected, "rms_expected", SCALAR, NEITHER, 1, "1", "sqrt(mean e^2)")                                                     \
  X(kMaxUlp, "max_ulp", SCALAR, LOWER, 1, "ulp", "largest distance on the ordered numbers of the actual's dtype")                \
  X(kMeanUlp, "mean_ulp", SCALAR, LOWER, 1, "ulp", "mean distance on the ordered numbers of the actual's dtype")                 \
  X(kUlpHistogram, "ulp_histogram", HISTOGRAM, NEITHER, 64, "element", "elements by ulp distance: 0, 1, 2, 3-4, 5-8, ...")       \
  X(kSignificantBitsWorst, "significant_bits_worst", SCALAR, HIGHER, 1, "bit", "min of -log2(|d|/|e|) within [0, precision]")    \
  X(kSignificantBitsMedian, "significant_bits_median", SCALAR, HIGHER, 1, "bit", "median of the same, from quarter-bit bins")    \
  X(kMismatchCount, "mismatch_count", COUNT, LOWER, 1, "element", "elements whose value differs; NaN equals NaN, -0 equals 0")   \
  X(kMismatchFirst, "mismatch_first", INDEX, NEITHER, 1, "element", "first element whose value differs")                         \
  X(kNanActual, "nan_actual", COUNT, NEITHER, 1, "element", "NaNs in actual")                                                    \
  X(kNanExpected, "nan_expected", COUNT, NEITHER, 1, "element", "NaNs in expected")                                              \
  X(kPosInfActual, "pos_inf_actual", COUNT, NEITHER, 1, "element", "+infinities in actual")                                      \
  X(kPosInfExpected, "pos_inf_expected", COUNT, NEITHER, 1, "element", "+infinities in expected")                                \
  X(kNegInfActual, "neg_inf_actual", COUNT, NEITHER, 1, "element", "-infinities in actual")                                      \
  X(kNegInfExpected, "neg_inf_expected", COUNT, NEITHER, 1, "element", "-infinities in expected")                                \
  X(kClassMismatchCount, "class_mismatch_count", COUNT, LOWER, 1, "element", "elements of another class: finite, NaN, +/-inf")   \
  X(kClassMismatchFirst, "class_mismatch_first", INDEX, NEITHER, 1, "element", "first element of another class")                 \
  X(kRtolToPass, "rtol_to_pass", SCALAR, LOWER, 1, "1", "max (|d| - atol) / |e|, at least 0: the rtol that passes at 'atol'")    \
  X(kWorstIndex, "worst_index", INDEX, NEITHER, 1, "element", "first of worst_indices")                                          \
  X(kWorstIndices, "worst_indices", INDEX, NEITHER, 8, "element", "class mismatches, then by |d| / max(|e|, rms_expected)")      \
  X(kErrorHistogram, "error_histogram", HISTOGRAM, NEITHER, 64, "element", "elements by |d|/|e|: 0, < 2^-60, then octaves to 2") \
  X(kMaxScaledError, "max_scaled_error", SCALAR, LOWER, 1, "1", "max |d| / max(|e|, rms_expected)")                              \
  X(kZeroCountActual, "zero_count_actual", COUNT, NEITHER, 1, "element", "zeros in actual")

#define ASSAY_MINT_METRICS(X)                                                                                          \
  X(kMintCosine, "msprobe_mint_cosine", SCALAR, HIGHER, 1, "1", "(1e-8 + sum(a*e)) / (1e-8 + |a|*|e|)")                \
  X(kMintMaxAbsError, "msprobe_mint_max_abs_error", SCALAR, LOWER, 1, "1", "max |d|; NaN if any pair's difference is") \
  X(kMintMaxRelError, "msprobe_mint_max_rel_error", SCALAR, LOWER, 1, "1", "max |d| / (|e| + 1e-8 where e is 0)")

#define ASSAY_TORCH_METRICS(X)                                                                                                 \
  X(kTorchCosine, "msprobe_cosine", SCALAR, HIGHER, 1, "1", "cosine, clipped; none for 1 element or all but zero tensors")     \
  X(kTorchMaxAbsError, "msprobe_max_abs_error", SCALAR, LOWER, 1, "1", "max |d|; NaN if any pair's difference is")             \
  X(kTorchHundredth, "msprobe_hundredth_ratio", SCALAR, HIGHER, 1, "1", "share of |d| / (|e| + eps) < 1e-2")                   \
  X(kTorchThousandth, "msprobe_thousandth_ratio", SCALAR, HIGHER, 1, "1", "share of |d| / (|e| + eps) < 1e-3")                 \
  X(kTorchTenThousandth, "msprobe_ten_thousandth_ratio", SCALAR, HIGHER, 1, "1", "share of |d| / (|e| + eps) < 1e-4")          \
  X(kTorchErrorRate, "msprobe_error_rate", SCALAR, LOWER, 1, "1", "share of a != e")                                           \
  X(kTorchErrorBalance, "msprobe_error_balance", SCALAR, LOWER, 1, "1", "|#(d > 0) - #(d < 0)| / n")                           \
  X(kTorchRmse, "msprobe_rmse", SCALAR, LOWER, 1, "1", "root mean square error over normal values")                            \
  X(kTorchSmallValueRatio, "msprobe_small_value_error_ratio", SCALAR, LOWER, 1, "1", "share of small e with |d| > atol")       \
  X(kTorchMaxRelError, "msprobe_max_rel_error", SCALAR, LOWER, 1, "1", "max |d| / (|e| + eps) over normal values")             \
  X(kTorchMeanRelError, "msprobe_mean_rel_error", SCALAR, LOWER, 1, "1", "mean |d| / (|e| + eps) over normal values")          \
  X(kTorchInfNanRatio, "msprobe_inf_nan_error_ratio", SCALAR, LOWER, 1, "1", "share of wrong pairs among the non-finite")      \
  X(kTorchRelativeRatio, "msprobe_relative_error_ratio", SCALAR, LOWER, 1, "1", "share of normal values with an error > rtol") \
  X(kTorchAbsoluteRatio, "msprobe_absolute_error_ratio", SCALAR, LOWER, 1, "1", "share of small e with |d| > atol")            \
  X(kTorchUlpMax, "msprobe_ulp_max", SCALAR, LOWER, 1, "ulp", "max |d| / ulp(e)")                                              \
  X(kTorchUlpMean, "msprobe_ulp_mean", SCALAR, LOWER, 1, "ulp", "mean |d| / ulp(e)")                                           \
  X(kTorchUlpShare, "msprobe_ulp_share", SCALAR, LOWER, 1, "1", "share of |d| / ulp(e) > 32 (float32) or > 1 (others)")

#define ASSAY_ALL_METRICS(X) \
  ASSAY_OWN_METRICS(X)       \
  ASSAY_MINT_METRICS(X)      \
  ASSAY_TORCH_METRICS(X)

namespace assay::engine {

enum class Metric : std::uint8_t {
#define ASSAY_ENUMERATOR(enumerator, ...) enumerator,
  ASSAY_ALL_METRICS(ASSAY_ENUMERATOR)
#undef ASSAY_ENUMERATOR
      kCount
};

inline constexpr std::size_t kMetricCount = static_cast<std::size_t>(Metric::kCount);
inline constexpr int kUlpBins = 64;
inline constexpr int kErrorBins = 64;
inline constexpr int kWorstCount = 8;

using MetricSet = std::bitset<kMetricCount>;

inline bool has(const MetricSet& set, Metric metric) { return set[static_cast<std::size_t>(metric)]; }

/// Static, like everything in it.
const assay_metric_info& metric_info(Metric metric);

/// One metric by its name, or a group: "assay", "msprobe-mint", "msprobe-torch".
std::optional<MetricSet> metrics_by_name(std::string_view name);

/// The groups "assay" and "msprobe-mint".
MetricSet default_metrics();

}  // namespace assay::engine
