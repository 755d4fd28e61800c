#include "results.hpp"

namespace assay::operators {

Results outputs(const std::vector<Array>& arrays) {
  Results results;
  for (const Array& array : arrays) results.outputs.emplace_back(to_tensor(array));
  return results;
}

Results gradients(const Arguments& args, const std::vector<Gradient>& gradients) {
  const assay_call& call = args.call();
  const auto value_of = [](const Gradient& gradient) { return gradient.value ? Value(to_tensor(*gradient.value)) : Value(); };
  const auto at_path = [&](const std::string& path) {
    for (const Gradient& gradient : gradients) {
      if (args.path(gradient.parameter) == path) return value_of(gradient);
    }
    return Value();
  };
  const auto differentiable = [](const assay_value& value) {
    return value.kind == ASSAY_VALUE_TENSOR && (is_floating(value.as.tensor->dl.dtype) || is_complex(value.as.tensor->dl.dtype));
  };
  Results results;
  for (std::uint64_t i = 0; i < call.arg_count; ++i) {
    if (differentiable(call.args[i])) results.gradients.emplace_back(std::to_string(i), at_path(std::to_string(i)));
  }
  for (std::uint64_t i = 0; i < call.kwarg_count; ++i) {
    if (differentiable(call.kwargs[i].value)) results.gradients.emplace_back(call.kwargs[i].name, at_path(call.kwargs[i].name));
  }
  if ((call.flags & ASSAY_CALL_NODE_GRADIENTS) != 0) {
    for (std::size_t i = 0; i < gradients.size(); ++i)
      results.gradients.emplace_back("node." + std::to_string(i), value_of(gradients[i]));
  }
  for (std::uint64_t i = 1; i < call.grad_output_count; ++i) {
    if (call.grad_outputs[i].kind == ASSAY_VALUE_TENSOR) {
      results.notes.push_back("the gradient that arrives at output " + std::to_string(i) +
                              " is left out: the framework takes that output as not differentiable");
    }
  }
  return results;
}

}  // namespace assay::operators
