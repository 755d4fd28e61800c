// plugins/comparisons/engine/finish.hpp: a metric's numbers from what the walk gathered.
#pragma once

#include "plan.hpp"
#include "second_look.hpp"

namespace assay::engine {

struct Outcome {
  const Plan& plan;
  const Walk& walk;
  const SecondLook& look;
  assay_dtype actual;
  assay_dtype expected;
};

/// Writes the metric's numbers to `out`; false: it has none for this pair.
bool finish_metric(const Outcome& outcome, Metric metric, double* out);

}  // namespace assay::engine
