// plugins/comparisons/engine/engine.hpp: metrics of a pair of tensors, all in one walk over memory.
//
//   Engine engine({engine::default_metrics(), -1.0});
//   engine.compare(pair, values, available);   // in the order of engine.infos()
//
// Each chunk of memory is read once, whatever is asked; see second_look.hpp for the exception.
#pragma once

#include <vector>

#include "assay/abi/comparison.h"
#include "metrics.hpp"

namespace assay::engine {

struct EngineOptions {
  MetricSet metrics = default_metrics();
  double atol = -1;  ///< of rtol_to_pass; negative: the smallest normal number of the actual's dtype
};

class Engine {
 public:
  explicit Engine(const EngineOptions& options);

  /// One for each metric asked for, in the order of the table in metrics.hpp.
  [[nodiscard]] const std::vector<const assay_metric_info*>& infos() const { return infos_; }

  /// Fills values (the sum of all lengths) and available (one byte a metric). [any-thread]
  /// Throws Error: ASSAY_INVALID_ARGUMENT (shapes differ), ASSAY_UNSUPPORTED (dtype or device).
  void compare(const assay_pair& pair, double* values, std::uint8_t* available) const;

 private:
  EngineOptions options_;
  std::vector<Metric> order_;
  std::vector<const assay_metric_info*> infos_;
};

}  // namespace assay::engine
