// Moves floating-point inputs by one unit in the last place, to see how much of an error is the input's conditioning.
#pragma once

#include <cstdint>

#include "pipeline/engine.hpp"

namespace assay {

/// A copy of the inputs in which every finite non-zero element of a floating or complex tensor is the neighbour above or below it,
/// chosen by (seed, argument, element index). Everything else is shared with the original.
CallInputs nudge(const CallInputs& inputs, std::uint64_t seed);

}  // namespace assay
