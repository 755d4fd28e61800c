#include "state.hpp"

namespace assay::operators {

OptimizerState::OptimizerState(const Arguments& args, const Shape& shape) {
  const std::vector<TensorView> given = args.tensors("out");
  if (given.size() != 3) throw Error(ASSAY_INVALID_ARGUMENT, "argument 'out' is not three tensors (var, m, v)");
  Array* const members[] = {&var, &m, &v};
  for (std::size_t i = 0; i < given.size(); ++i) {
    *members[i] = to_array(given[i]);
    if (members[i]->shape != shape) {
      throw Error(ASSAY_INVALID_ARGUMENT,
                  "a tensor of 'out' has shape " + text(members[i]->shape) + ", the gradient " + text(shape));
    }
  }
}

Results OptimizerState::results(const Arguments& args) const {
  Results results = outputs({var, m, v});
  for (std::size_t i = 0; i < results.outputs.size(); ++i)
    results.mutated.emplace_back(args.path("out") + "." + std::to_string(i), results.outputs[i]);
  return results;
}

}  // namespace assay::operators
