// Arguments that one side of a check changed and the other left alone: an in-place API that doesn't work in place, or one that
// writes to what it should only read. What both sides changed is among their outputs.
#pragma once

#include <string>
#include <vector>

#include "pipeline/engine.hpp"
#include "pipeline/results.hpp"

namespace assay {

/// One row named `prefix` + argument path for each such argument whose values differ from those that were passed.
///
/// prefix      "Tensor.add_.0.forward.input."
/// statistics  fill min, max, mean and norm of both sides
std::vector<OutputRow> changed_input_rows(const std::string& prefix, const CallInputs& inputs, const Results& target,
                                          const Results& reference, bool statistics);

}  // namespace assay
