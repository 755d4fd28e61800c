// The values that a recorded call is repeated with.
#pragma once

#include <cstdint>
#include <string>

#include "dump/inputs.hpp"
#include "pipeline/engine.hpp"

namespace assay {

/// A seed of its own for each call, the same in every run.
std::uint64_t call_seed(std::uint64_t seed, const std::string& stem);

/// Why a recorded direction can't be repeated at all; empty if it can.
std::string entry_problem(const RecordedCall& call, bool backward);

/// The arguments of the call's forward entry; with `backward` also the gradients that arrive. Both entries must be there and sound.
/// errors  those of InputBuilder::build
Result<CallInputs> build_call_inputs(const InputBuilder& builder, const RecordedCall& call, bool backward);

}  // namespace assay
