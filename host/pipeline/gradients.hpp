// Which recorded gradient belongs to which computed one.
//
// Recordings differ: one gradient for each tensor argument, one for each positional tensor, or (PyTorch dumps of the public tool)
// the outputs of the last autograd node in that node's own order. Number, shapes and order decide which readings are sound.
#pragma once

#include <string>
#include <vector>

#include "dump/dump.hpp"
#include "pipeline/engine.hpp"

namespace assay {

/// One sound reading of a recorded gradient list.
struct GradientPairing {
  std::string how;                     ///< "one for each tensor argument"
  std::vector<std::size_t> positions;  ///< in the recorded list; parallel to the two below
  std::vector<Value> actual;           ///< recorded
  std::vector<Value> expected;         ///< computed
  std::vector<std::string> notes;      ///< gradients that only one side has, and so weren't compared
};

/// Every sound reading, the likeliest first; none: the recording can't be paired.
///
/// recorded  the backward entry's outputs; None where no gradient was recorded
/// computed  results of a backward call with node gradients
std::vector<GradientPairing> pair_gradients(const std::vector<Value>& recorded, const Results& computed, const CallInputs& inputs,
                                            Framework framework);

/// Gradients of two adapters for the same call, paired by argument path; positions count the paths that at least one side has.
GradientPairing pair_by_path(const Results& actual, const Results& expected);

/// The computed gradients of another run of the same call, for the reading and positions of an earlier pairing; empty where they no
/// longer fit.
std::vector<Value> gradients_by_reading(const std::string& how, const Results& computed, const CallInputs& inputs,
                                        const std::vector<std::size_t>& positions);

}  // namespace assay
