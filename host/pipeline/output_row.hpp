// From a judged output to the row that is written about it.
#pragma once

#include <string>

#include "pipeline/results.hpp"

namespace assay {

/// What stands between the direction and the position in a row's name.
inline constexpr const char* kOutputPlace = ".output.";
inline constexpr const char* kInputPlace = ".input.";

/// name        "Functional.linear.3.forward.output.0"
/// statistics  fill min, max, mean and norm of both sides
OutputRow output_row(std::string name, const JudgedOutput& judged, bool statistics);

/// Verdict and message of a direction from those of its outputs: the worst verdict, the messages of outputs that don't pass.
void conclude_from_outputs(DirectionResult& direction);

}  // namespace assay
