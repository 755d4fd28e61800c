// The metrics of all comparisons side by side: found by name, computed for one pair of tensors.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "judge/judge.hpp"

namespace assay {

/// The metrics of one pair, by name.
class Measured {
 public:
  Measured(const std::vector<MetricValue>& values) : values_(&values) {}

  /// Nothing: no such metric, or it has no value for this pair.
  [[nodiscard]] std::optional<double> get(std::string_view name) const;
  /// Every number of a metric; empty where get() gives nothing.
  [[nodiscard]] std::vector<double> all(std::string_view name) const;

 private:
  const std::vector<MetricValue>* values_;
};

class MetricSet {
 public:
  explicit MetricSet(std::vector<ComparisonHandle> comparisons);

  [[nodiscard]] bool has(std::string_view name) const;
  /// Scalar-valued metrics in table order.
  [[nodiscard]] std::vector<std::string> scalar_names() const;

  /// Every metric of the pair; a comparison that refuses the pair leaves its metrics unavailable, `refusals` says why.
  /// errors  kPlugin: every comparison refused
  [[nodiscard]] Result<std::vector<MetricValue>> compute(const assay_tensor& actual, const assay_tensor& expected,
                                                         const std::string& api, std::uint32_t max_threads,
                                                         std::vector<std::string>& refusals) const;

 private:
  struct Member {
    ComparisonHandle handle;
    std::vector<const assay_metric_info*> infos;
    std::size_t numbers = 0;
  };
  std::vector<Member> members_;
};

}  // namespace assay
