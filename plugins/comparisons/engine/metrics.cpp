#include "metrics.hpp"

namespace assay::engine {
namespace {

constexpr assay_metric_info kInfos[] = {
#define ASSAY_INFO(enumerator, name, kind, better, length, unit, formula) \
  {sizeof(assay_metric_info), ASSAY_METRIC_##kind, ASSAY_BETTER_##better, length, name, unit, formula},
    ASSAY_ALL_METRICS(ASSAY_INFO)
#undef ASSAY_INFO
};
static_assert(sizeof kInfos / sizeof kInfos[0] == kMetricCount);

MetricSet range(Metric first, Metric last) {
  MetricSet set;
  for (auto m = static_cast<std::size_t>(first); m <= static_cast<std::size_t>(last); ++m) set.set(m);
  return set;
}

}  // namespace

const assay_metric_info& metric_info(Metric metric) { return kInfos[static_cast<std::size_t>(metric)]; }

std::optional<MetricSet> metrics_by_name(std::string_view name) {
  if (name == "assay") return range(Metric::kNumel, Metric::kZeroCountActual);
  if (name == "msprobe-mint") return range(Metric::kMintCosine, Metric::kMintMaxRelError);
  if (name == "msprobe-torch") return range(Metric::kTorchCosine, Metric::kTorchUlpShare);
  for (std::size_t m = 0; m < kMetricCount; ++m) {
    if (name == kInfos[m].name) return MetricSet().set(m);
  }
  return std::nullopt;
}

MetricSet default_metrics() { return range(Metric::kNumel, Metric::kMintMaxRelError); }

}  // namespace assay::engine
