// npu_fast_gelu(self) -> Tensor
//
//   y = x sigmoid(1.702 x)
//
// source  torch_npu's page of the operator; its older form x exp(0.851 (x - |x|)) / (1 + exp(-1.702 |x|)) is the same function
#include "formulas.hpp"
#include "functions.hpp"
#include "results.hpp"

namespace assay::operators {

namespace {

constexpr double kSteepness = 1.702;

Arguments bind(const assay_call& call) { return Arguments(call, {"self|input"}); }

}  // namespace

Results fast_gelu_forward(const assay_call& call) {
  return outputs({map(bind(call).array("self"), [](double x) { return x * sigmoid(kSteepness * x); })});
}

Results fast_gelu_backward(const assay_call& call) {
  const Arguments args = bind(call);
  const Array x = args.array("self");
  Array dx = grad_output(call, 0, x.shape);
  for (std::size_t i = 0; i < dx.data.size(); ++i) {
    const double slope = sigmoid(kSteepness * x.data[i]) + kSteepness * x.data[i] * sigmoid_slope(kSteepness * x.data[i]);
    dx.data[i] *= slope;
  }
  return gradients(args, {{"self", std::move(dx)}});
}

}  // namespace assay::operators
