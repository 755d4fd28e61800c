// npu_apply_adam_w(beta1_power, beta2_power, lr, weight_decay, beta1, beta2, epsilon, grad, max_grad_norm, amsgrad, maximize,
//                  out=(var, m, v)) -> (var, m, v)
//
//   g = grad, with maximize -grad;  m' = beta1 m + (1 - beta1) g;  v' = beta2 v + (1 - beta2) g^2
//   d = v', with amsgrad max(max_grad_norm, v');  the powers are those before the step: c1 = 1 - beta1_power beta1, c2 likewise
//   var' = var (1 - lr weight_decay) - lr (m' / c1) / (sqrt(d / c2) + epsilon)
//
// source  torch_npu's unit test of the operator; Loshchilov and Hutter, "Decoupled weight decay regularization" (2017)
#include <cmath>

#include "functions.hpp"
#include "state.hpp"

namespace assay::operators {

Results apply_adam_w_forward(const assay_call& call) {
  const Arguments args(call, {"beta1_power", "beta2_power", "lr", "weight_decay", "beta1", "beta2", "epsilon|eps", "grad",
                              "max_grad_norm", "amsgrad", "maximize", "out"});
  const Array grad = args.array("grad");
  OptimizerState state(args, grad.shape);
  const double lr = args.real("lr");
  const double beta1 = args.real("beta1");
  const double beta2 = args.real("beta2");
  const double epsilon = args.real("epsilon");
  const double decay = 1 - lr * args.real("weight_decay");
  const double correction1 = 1 - args.real("beta1_power") * beta1;
  const double correction2 = 1 - args.real("beta2_power") * beta2;
  const double sign = args.flag("maximize", false) ? -1 : 1;
  const bool amsgrad = args.flag("amsgrad", false);
  const Array largest = amsgrad ? args.array("max_grad_norm") : Array();
  if (amsgrad && largest.shape != grad.shape)
    throw Error(ASSAY_INVALID_ARGUMENT, "max_grad_norm has shape " + text(largest.shape) + ", the gradient " + text(grad.shape));
  for (std::size_t i = 0; i < grad.data.size(); ++i) {
    const double g = sign * grad.data[i];
    const double m = beta1 * state.m.data[i] + (1 - beta1) * g;
    const double v = beta2 * state.v.data[i] + (1 - beta2) * g * g;
    const double denominator = std::sqrt((amsgrad && !(largest.data[i] < v) ? largest.data[i] : v) / correction2) + epsilon;
    state.var.data[i] = state.var.data[i] * decay - lr * (m / correction1) / denominator;
    state.m.data[i] = m;
    state.v.data[i] = v;
  }
  return state.results(args);
}

}  // namespace assay::operators
