// Differentiates a forward run: the gradients of its tensor arguments from the gradients that arrive at its outputs.
#pragma once

#include <vector>

#include "assay/sdk/value.hpp"
#include "execution.hpp"

namespace assay::torch_adapter {

struct Gradients {
  std::vector<at::Tensor> of_slots;  ///< one for each tensor slot; undefined where none reached it
  std::vector<at::Tensor> of_node;   ///< what the last autograd node itself gives; empty unless asked for or not to be had
  std::vector<at::Tensor> arrived;   ///< the gradients that arrived at the outputs; a gradient above can be a view of one
};

/// Throws Error(ASSAY_UNSUPPORTED) where no output depends on an argument differentiably, Error(ASSAY_INVALID_ARGUMENT) where the
/// arriving gradients don't fit the outputs.
Gradients run_backward(const ForwardRun& run, const assay_call& call, bool node_gradients);

}  // namespace assay::torch_adapter
