// What the changes of a repeated call's outputs mean: the verdict of a row.
#pragma once

#include <vector>

#include "perturb/stability.hpp"
#include "watch/pair_meter.hpp"
#include "watch/watch_log.hpp"

namespace assay {

/// One output that was measured.
struct OutputMeasure {
  std::size_t output = 0;
  assay_dtype dtype{};
  PairChange change;
};

/// Fills finding, verdict, reason, message, output, output_change, amplification and limit from the output that changed most.
/// input_change  relative; what the perturbation did
void judge_row(const std::vector<OutputMeasure>& outputs, double input_change, const StabilityLimit& limit, WatchRow& row);

/// The row of a call that made NaN or infinity of finite inputs.
void judge_not_finite(const OutputMeasure& output, WatchRow& row);

/// The row of a repetition on the same inputs that gave other outputs.
void judge_repetition(std::size_t output, std::int64_t differing, WatchRow& row);

}  // namespace assay
