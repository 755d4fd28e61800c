#include "compare/precision_rules.hpp"

#include "base/text.hpp"

namespace assay {

namespace {

/// In the order of TorchMetric.
constexpr const char* kMetricWords[kTorchMetricCount] = {"small-value error share",
                                                         "RMSE",
                                                         "max relative error",
                                                         "mean relative error",
                                                         "error balance",
                                                         "binary error rate",
                                                         "inf/nan error rate",
                                                         "relative error rate",
                                                         "absolute error rate",
                                                         "mean ULP error",
                                                         "share of large ULP errors",
                                                         "thousandth ratio"};

Verdict status(bool passed) { return passed ? Verdict::kPass : Verdict::kError; }

}  // namespace

void PrecisionRules::failed(const std::string& what) { failures_.push_back(what); }

void PrecisionRules::unavailable(TorchMetric metric, bool in_tested, bool in_baseline) {
  const char* where = in_tested && in_baseline ? "" : in_tested ? " in the tested table" : " in the baseline";
  remarks_.push_back(std::string(kMetricWords[metric]) + " not available" + where);
  if (in_tested != in_baseline) lopsided_ = true;
}

std::optional<double> PrecisionRules::own(TorchMetric metric) {
  const std::optional<double> value = tested_.metrics[metric];
  if (value) {
    ++judged_;
  } else {
    unavailable(metric, true, true);
  }
  return value;
}

void PrecisionRules::ratio(PrecisionRow& row, PrecisionFigure figure, TorchMetric metric, double limit, bool counts) {
  const std::optional<double> tested = tested_.metrics[metric];
  const std::optional<double> baseline = baseline_.metrics[metric];
  Figure& out = row.figures[figure];
  if (!tested || !baseline) {
    out.status = Verdict::kSkip;
    if (counts) unavailable(metric, !tested, !baseline);
    return;
  }
  const ErrorRatio ratio = error_ratio(*tested, *baseline, standard_.smallest_denominator.at(dtype_));
  out.value = ratio.value;
  const bool passed = ratio.finite ? ratio.value <= limit : ratio.consistent;
  out.status = status(passed);
  if (!counts) return;
  ++judged_;
  if (passed) return;
  const std::string numbers = format_number(*tested) + " against " + format_number(*baseline);
  failed(std::string(kMetricWords[metric]) +
         (ratio.finite ? " ratio " + format_number(ratio.value) + " above " + format_number(limit) + " (" + numbers + ")"
                       : " " + numbers + ": infinite or NaN on one side only"));
}

void PrecisionRules::benchmark(PrecisionRow& row) {
  const BenchmarkLimits& limits = standard_.benchmark_limits(api_);
  ratio(row, kSmallValueRatio, kSmallValueShare, limits.small_value, true);
  ratio(row, kRmseRatio, kRmse, limits.rmse, true);
  ratio(row, kMaxRelRatio, kMaxRelError, limits.max_relative, true);
  ratio(row, kMeanRelRatio, kMeanRelError, limits.mean_relative, true);
  ratio(row, kBalanceFigure, kErrorBalance, limits.balance, false);
}

void PrecisionRules::ulp(PrecisionRow& row) {
  const UlpLimits* limits = standard_.ulp_limits(dtype_);
  if (limits == nullptr) {
    remarks_.push_back("no ULP limits for dtype " + dtype_);
    return;
  }
  const std::optional<double> mean = tested_.metrics[kUlpMean];
  const std::optional<double> share = tested_.metrics[kUlpShare];
  const std::optional<double> trusted = baseline_.metrics[kUlpShare];
  row.figures[kUlpMeanFigure].value = mean;
  row.figures[kUlpShareFigure].value = share;
  bool passed = false;
  std::vector<std::string> misses;
  const auto look = [&](const std::optional<double>& value, const std::optional<double>& limit, const char* words) {
    if (!value || !limit) return;
    ++judged_;
    passed = passed || *value < *limit;
    misses.push_back(std::string(words) + " " + format_number(*value) + " not below " + format_number(*limit));
  };
  if (limits->mean_below && !mean) unavailable(kUlpMean, true, true);
  if (!share) unavailable(kUlpShare, true, true);
  look(mean, limits->mean_below, kMetricWords[kUlpMean]);
  look(share, limits->share_below, kMetricWords[kUlpShare]);
  if (share && trusted) {
    const ErrorRatio ratio = error_ratio(*share, *trusted, standard_.smallest_denominator.at(dtype_));
    row.figures[kUlpShareRatio].value = ratio.value;
    look(ratio.value, limits->share_ratio_below, "its ratio to the baseline's");
    if (!ratio.finite && ratio.consistent && limits->share_ratio_below) passed = true;
  } else if (share && limits->share_ratio_below) {
    remarks_.push_back(std::string(kMetricWords[kUlpShare]) + " not available in the baseline");
  }
  if (judged_ == 0) return;
  row.figures[kUlpMeanFigure].status = status(passed);
  if (!passed) failed(join(misses, ", "));
}

void PrecisionRules::zero(PrecisionRow& row, PrecisionFigure figure, TorchMetric metric) {
  Figure& out = row.figures[figure];
  out.value = own(metric);
  out.status = out.value ? status(*out.value == 0) : Verdict::kSkip;
  if (out.status == Verdict::kError)
    failed(std::string(kMetricWords[metric]) + " is " + format_number(*out.value) + ", expected 0");
}

void PrecisionRules::absolute(PrecisionRow& row) {
  zero(row, kInfNanFigure, kInfNanRate);
  zero(row, kRelativeFigure, kRelativeRate);
  zero(row, kAbsoluteFigure, kAbsoluteRate);
}

void PrecisionRules::accumulative(PrecisionRow& row) {
  absolute(row);
  Figure& out = row.figures[kBalanceFigure];
  out.value = own(kErrorBalance);
  const double limit = standard_.accumulative_balance.at(dtype_);
  out.status = out.value ? status(*out.value <= limit) : Verdict::kSkip;
  if (out.status == Verdict::kError) failed("error balance " + format_number(*out.value) + " above " + format_number(limit));
}

void PrecisionRules::thousandth(PrecisionRow& row) {
  Figure& out = row.figures[kThousandthFigure];
  out.value = own(kThousandth);
  const double limit = standard_.thousandth_at_least;
  out.status = out.value ? status(*out.value >= limit) : Verdict::kSkip;
  if (out.status == Verdict::kError) failed("thousandth ratio " + format_number(*out.value) + " below " + format_number(limit));
}

void PrecisionRules::apply(PrecisionRow& row) {
  switch (*row.algorithm) {
    case Algorithm::kBenchmark: benchmark(row); break;
    case Algorithm::kUlp: ulp(row); break;
    case Algorithm::kBinary: zero(row, kErrorRateFigure, kErrorRate); break;
    case Algorithm::kAbsolute: absolute(row); break;
    case Algorithm::kThousandth: thousandth(row); break;
    case Algorithm::kAccumulative: accumulative(row); break;
  }
  if (!failures_.empty()) {
    row.verdict = Verdict::kError;
  } else if (judged_ == 0) {
    row.verdict = Verdict::kSkip;
  } else {
    row.verdict = lopsided_ ? Verdict::kWarning : Verdict::kPass;
  }
  std::vector<std::string> parts = failures_;
  parts.insert(parts.end(), remarks_.begin(), remarks_.end());
  row.message = join(parts, "; ");
  if (row.verdict == Verdict::kSkip) {
    row.message =
        "nothing to judge by: " + row.message + "; the table may come from another version of the checker, see --standard";
  }
}

}  // namespace assay
