// npu_apply_adam(beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad, use_locking, use_nesterov, out=(var, m, v)) -> (var, m,
// v)
//
//   m' = beta1 m + (1 - beta1) g;  v' = beta2 v + (1 - beta2) g^2;  rate = lr sqrt(1 - beta2_power) / (1 - beta1_power)
//   var' = var - rate u / (sqrt(v') + epsilon), u = m', with use_nesterov beta1 m' + (1 - beta1) g
//
// source  torch_npu's page of the operator; Kingma and Ba, "Adam" (2014), section 2; Dozat, "Incorporating Nesterov momentum into
//         Adam" (2016)
#include <cmath>

#include "functions.hpp"
#include "state.hpp"

namespace assay::operators {

Results apply_adam_forward(const assay_call& call) {
  const Arguments args(
      call, {"beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon", "grad", "use_locking", "use_nesterov", "out"});
  const Array grad = args.array("grad");
  OptimizerState state(args, grad.shape);
  const double beta1 = args.real("beta1");
  const double beta2 = args.real("beta2");
  const double epsilon = args.real("epsilon");
  const double rate = args.real("lr") * std::sqrt(1 - args.real("beta2_power")) / (1 - args.real("beta1_power"));
  const bool nesterov = args.flag("use_nesterov", false);
  for (std::size_t i = 0; i < grad.data.size(); ++i) {
    const double g = grad.data[i];
    const double m = beta1 * state.m.data[i] + (1 - beta1) * g;
    const double v = beta2 * state.v.data[i] + (1 - beta2) * g * g;
    const double step = nesterov ? beta1 * m + (1 - beta1) * g : m;
    state.var.data[i] -= rate * step / (std::sqrt(v) + epsilon);
    state.m.data[i] = m;
    state.v.data[i] = v;
  }
  return state.results(args);
}

}  // namespace assay::operators
