// npu_mish(self) -> Tensor
//
//   y = x tanh(softplus(x)), softplus(x) = log(1 + exp(x))
//
// source  torch_npu's page of the operator; Misra, "Mish: a self regularized non-monotonic activation function" (2019)
#include <algorithm>

#include "formulas.hpp"
#include "functions.hpp"
#include "results.hpp"

namespace assay::operators {

namespace {

Arguments bind(const assay_call& call) { return Arguments(call, {"self|input"}); }

double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }

double slope(double x) {
  const double s = softplus(x);
  // 1 - tanh^2 without the difference.
  const double cosh = std::cosh(s);
  return std::tanh(s) + x * sigmoid(x) / cosh / cosh;
}

}  // namespace

Results mish_forward(const assay_call& call) {
  return outputs({map(bind(call).array("self"), [](double x) { return x * std::tanh(softplus(x)); })});
}

Results mish_backward(const assay_call& call) {
  const Arguments args = bind(call);
  const Array x = args.array("self");
  Array dx = grad_output(call, 0, x.shape);
  for (std::size_t i = 0; i < dx.data.size(); ++i) dx.data[i] *= slope(x.data[i]);
  return gradients(args, {{"self", std::move(dx)}});
}

}  // namespace assay::operators
