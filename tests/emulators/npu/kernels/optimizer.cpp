// Steps of optimisers: parameters, moments and the step change in place.
#include <cmath>

#include "kernels/access.hpp"

namespace assay::emulator {
namespace {

void check_adam(const Args& args) {
  for (const char* name : {"mRef", "vRef", "grad"}) {
    require_shape(args.tensor(name), args.tensor("varRef").shape, name);
  }
  if (args.flag("amsgrad") && !args.has("maxGradNormOptionalRef")) {
    throw Refused(ACLNN_ERR_PARAM_NULLPTR, "'maxGradNormOptionalRef' is null though amsgrad needs it");
  }
}
void run_adam(const Args& args) {
  Reals x = read_real(args.tensor("varRef"));
  Reals m = read_real(args.tensor("mRef"));
  Reals v = read_real(args.tensor("vRef"));
  Reals highest = args.flag("amsgrad") ? read_real(args.tensor("maxGradNormOptionalRef")) : Reals{};
  const Reals g = read_real(args.tensor("grad"));
  const double step = read_real(args.tensor("step")).at(0);
  const double beta1 = args.real("beta1");
  const double beta2 = args.real("beta2");
  const double lr = args.real("lr");
  const double correction1 = 1.0 - std::pow(beta1, step);
  const double correction2 = 1.0 - std::pow(beta2, step);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double gradient = args.flag("maximize") ? -g[i] : g[i];
    x[i] = rounded_to(x[i] * (1.0 - lr * args.real("weightDecay")), ACL_FLOAT);
    m[i] = rounded_to(beta1 * m[i] + (1.0 - beta1) * gradient, ACL_FLOAT);
    v[i] = rounded_to(beta2 * v[i] + (1.0 - beta2) * gradient * gradient, ACL_FLOAT);
    double second = v[i];
    if (!highest.empty()) {
      second = highest[i] = std::fmax(highest[i], v[i]);
    }
    const double root = rounded_to(std::sqrt(second / correction2), ACL_FLOAT) + args.real("eps");
    x[i] -= lr / correction1 * m[i] / root;
  }
  write_real(args.tensor("varRef"), x);
  write_real(args.tensor("mRef"), m);
  write_real(args.tensor("vRef"), v);
  if (!highest.empty()) {
    write_real(args.tensor("maxGradNormOptionalRef"), highest);
  }
}

const Kernel kKernels[] = {
    {"aclnnApplyAdamWV2", check_adam, run_adam},
};
const RegisterKernels kRegister(kKernels);

}  // namespace
}  // namespace assay::emulator
