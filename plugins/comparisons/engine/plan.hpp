// plugins/comparisons/engine/plan.hpp: what one walk over a pair has to gather for the metrics that were asked for.
#pragma once

#include "format.hpp"
#include "metrics.hpp"

namespace assay::engine {

struct Plan {
  MetricSet metrics;
  Format format;           ///< of the actual
  PeerLimits limits;       ///< for `peer`
  double atol = 0;         ///< of rtol_to_pass
  double scale_guess = 0;  ///< about the root mean square of expected; 0: unknown

  // What a block has to gather. Counts, classes and max |d| are always gathered.
  bool sums = false;        ///< of squares and products
  bool relative = false;    ///< |d| / |e|: maximum and sum
  bool error_bins = false;  ///< |d| / |e|: histogram
  bool rtol_bound = false;  ///< (|d| - atol) / |e|: maximum
  bool ulp = false;         ///< maximum and sum
  bool ulp_bins = false;
  bool peer = false;  ///< the metrics of ASSAY_TORCH_METRICS; floats only

  // What a second look at a few blocks has to find.
  bool worst = false;
  bool scaled = false;
  bool difference = false;
  bool rtol = false;
  bool median = false;
  bool first_mismatch = false;
  bool first_class_mismatch = false;
};

/// `atol` < 0: the smallest normal number of the actual's dtype.
Plan make_plan(const MetricSet& metrics, double atol, assay_dtype actual, assay_dtype expected);

}  // namespace assay::engine
