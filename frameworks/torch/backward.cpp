#include "backward.hpp"

#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/function.h>

#include <algorithm>
#include <numeric>

namespace assay::torch_adapter {
namespace {

void flatten(const assay_value& value, std::vector<at::Tensor>& out) {
  if (value.kind == ASSAY_VALUE_LIST || value.kind == ASSAY_VALUE_TUPLE) {
    for (std::uint64_t i = 0; i < value.as.sequence.size; ++i) flatten(value.as.sequence.items[i], out);
    return;
  }
  const PythonValue converted = convert_value(value);
  const auto* tensor = converted.get_if<at::Tensor>();
  out.push_back(tensor != nullptr ? *tensor : at::Tensor());
}

/// An output that is differentiated, with the gradient that arrives at it.
struct Arrival {
  at::Tensor output;
  at::Tensor gradient;
};

std::vector<Arrival> pair_gradients(const ForwardRun& run, const assay_call& call) {
  const std::vector<at::Tensor> outputs = output_tensors(run);
  std::vector<at::Tensor> gradients;
  for (std::uint64_t i = 0; i < call.grad_output_count; ++i) flatten(call.grad_outputs[i], gradients);
  std::vector<std::size_t> places(outputs.size());
  std::iota(places.begin(), places.end(), 0);
  if (gradients.size() != outputs.size()) {
    // A recorder may leave out the outputs that no gradient can arrive at, such as indices.
    places.erase(std::remove_if(places.begin(), places.end(), [&](std::size_t i) { return !outputs[i].requires_grad(); }),
                 places.end());
  }
  if (gradients.size() != places.size()) {
    throw Error(ASSAY_INVALID_ARGUMENT, "the API has " + std::to_string(outputs.size()) + " output tensors, " +
                                            std::to_string(gradients.size()) + " gradients arrive");
  }
  std::vector<Arrival> arrivals;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const at::Tensor& output = outputs[places[i]];
    if (!gradients[i].defined() || !output.defined() || !output.requires_grad()) continue;
    if (gradients[i].sizes() != output.sizes()) {
      throw Error(ASSAY_INVALID_ARGUMENT, "output " + std::to_string(places[i]) + " has the shape " + c10::str(output.sizes()) +
                                              ", its gradient " + c10::str(gradients[i].sizes()));
    }
    arrivals.push_back({output, gradients[i].to(output.scalar_type())});
  }
  if (arrivals.empty())
    throw Error(ASSAY_UNSUPPORTED, "not differentiable: no output that a gradient arrives at depends on a floating-point argument");
  return arrivals;
}

/// Runs the node that made the first output, as the engine would: on all gradients that arrive at it, each result reduced to the
/// shape and type that the next node expects.
std::vector<at::Tensor> run_last_node(const std::vector<Arrival>& arrivals) {
  const auto node = arrivals[0].output.grad_fn();
  if (!node) return {};
  torch::autograd::variable_list inputs(node->num_inputs());
  for (const Arrival& arrival : arrivals) {
    if (arrival.output.grad_fn().get() == node.get()) inputs.at(arrival.output.output_nr()) = arrival.gradient;
  }
  torch::autograd::variable_list outputs = (*node)(std::move(inputs));
  for (std::size_t i = 0; i < outputs.size() && i < node->num_outputs(); ++i) {
    const torch::autograd::Edge& edge = node->next_edge(i);
    if (!outputs[i].defined() || !edge.is_valid()) continue;
    const auto& expected = edge.function->input_metadata(edge.input_nr);
    if (!expected.is_same_shape(outputs[i]) && expected.is_expandable_to_shape(outputs[i])) {
      outputs[i] = expected.reduce_grad(outputs[i]);
    }
  }
  return outputs;
}

}  // namespace

Gradients run_backward(const ForwardRun& run, const assay_call& call, bool node_gradients) {
  const std::vector<Arrival> arrivals = pair_gradients(run, call);
  std::vector<at::Tensor> outputs;
  std::vector<at::Tensor> arriving;
  for (const Arrival& arrival : arrivals) {
    outputs.push_back(arrival.output);
    arriving.push_back(arrival.gradient);
  }
  std::vector<at::Tensor> leaves;
  for (const TensorSlot& slot : run.call.tensors) {
    if (slot.value.requires_grad()) leaves.push_back(slot.value);
  }
  const auto found = torch::autograd::grad(outputs, leaves, arriving, /*retain_graph=*/node_gradients, /*create_graph=*/false,
                                           /*allow_unused=*/true);
  Gradients gradients;
  gradients.arrived = arriving;
  std::size_t next = 0;
  for (const TensorSlot& slot : run.call.tensors) {
    gradients.of_slots.push_back(slot.value.requires_grad() ? found[next++] : at::Tensor());
  }
  if (node_gradients) {
    try {
      const c10::NoGradGuard no_grad;
      gradients.of_node = run_last_node(arrivals);
    } catch (const std::exception&) {
      // What the node gives is an extra; the gradients above stand without it.
      gradients.of_node.clear();
    }
  }
  return gradients;
}

}  // namespace assay::torch_adapter
