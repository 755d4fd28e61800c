// A few numbers that tell what a value looks like.
#pragma once

#include "pipeline/results.hpp"

namespace assay {

/// dtype, shape and text of a value; min, max, mean and norm too if `statistics`. A null value gives an empty summary.
ValueSummary summarise(const Value* value, bool statistics);

}  // namespace assay
