// Activations of one half of a tensor times the other half.
#include <cmath>

#include "kernels/axes.hpp"
#include "kernels/special.hpp"

namespace assay::emulator {
namespace {

// The two halves of a view along an axis.
struct Halves {
  View first;
  View second;
};
Halves halves(const View& view, std::int64_t dim) {
  const std::size_t axis = axis_of(view, dim);
  if (view.rank() == 0 || view.shape[axis] % 2 != 0) {
    refuse("the axis has no two halves");
  }
  Halves result{view, view};
  result.first.shape[axis] /= 2;
  result.second.shape[axis] /= 2;
  if (view.data != nullptr) {
    result.second.data += result.first.shape[axis] * view.strides[axis] * static_cast<std::int64_t>(item_size(view.dtype));
  }
  return result;
}

double silu(double x) { return x * sigmoid(x); }
double silu_slope(double x) { return sigmoid(x) * (1.0 + x * (1.0 - sigmoid(x))); }

void check_gate(const Args& args, const char* input) {
  require_shape(args.tensor("out"), halves(args.tensor(input), args.integer("dim")).first.shape, "out");
}
void check_gate_gradient(const Args& args, const char* gradient, const char* input) {
  require_shape(args.tensor("out"), args.tensor(input).shape, "out");
  require_shape(args.tensor(gradient), halves(args.tensor(input), args.integer("dim")).first.shape, gradient);
}

// out = active(one half) * other half
void gate(const View& in, const View& out, std::int64_t dim, double (*active)(double), bool first_is_active,
          const View* active_out) {
  const Halves parts = halves(in, dim);
  Reals active_part = read_real(first_is_active ? parts.first : parts.second);
  Reals other = read_real(first_is_active ? parts.second : parts.first);
  for (std::size_t i = 0; i < other.size(); ++i) {
    active_part[i] = rounded_to(active(active_part[i]), in.dtype == ACL_DOUBLE ? ACL_DOUBLE : ACL_FLOAT);
    other[i] *= active_part[i];
  }
  write_real(out, other);
  if (active_out != nullptr) {
    write_real(*active_out, active_part);
  }
}

void gate_gradient(const View& gradient, const View& in, const View& out, std::int64_t dim, double (*active)(double),
                   double (*slope)(double), bool first_is_active) {
  const Halves parts = halves(in, dim);
  const Halves results = halves(out, dim);
  const Reals g = read_real(gradient);
  const Reals x = read_real(first_is_active ? parts.first : parts.second);
  const Reals other = read_real(first_is_active ? parts.second : parts.first);
  Reals to_active(g.size());
  Reals to_other(g.size());
  for (std::size_t i = 0; i < g.size(); ++i) {
    to_active[i] = g[i] * other[i] * slope(x[i]);
    to_other[i] = g[i] * active(x[i]);
  }
  write_real(first_is_active ? results.first : results.second, to_active);
  write_real(first_is_active ? results.second : results.first, to_other);
}

double sigmoid_slope(double x) { return sigmoid(x) * (1.0 - sigmoid(x)); }

void check_glu(const Args& args) { check_gate(args, "self"); }
void run_glu(const Args& args) { gate(args.tensor("self"), args.tensor("out"), args.integer("dim"), sigmoid, false, nullptr); }
void check_glu_backward(const Args& args) { check_gate_gradient(args, "gradOut", "self"); }
void run_glu_backward(const Args& args) {
  gate_gradient(args.tensor("gradOut"), args.tensor("self"), args.tensor("out"), args.integer("dim"), sigmoid, sigmoid_slope,
                false);
}

void check_swiglu(const Args& args) { check_gate(args, "x"); }
void run_swiglu(const Args& args) { gate(args.tensor("x"), args.tensor("out"), args.integer("dim"), silu, true, nullptr); }
void check_swiglu_grad(const Args& args) { check_gate_gradient(args, "yGrad", "x"); }
void run_swiglu_grad(const Args& args) {
  gate_gradient(args.tensor("yGrad"), args.tensor("x"), args.tensor("out"), args.integer("dim"), silu, silu_slope, true);
}

void check_geglu(const Args& args) {
  check_gate(args, "self");
  require_shape(args.tensor("outGelu"), args.tensor("out").shape, "outGelu");
}
double (*gelu(const Args& args))(double) { return args.integer("approximate") == 1 ? gelu_tanh : gelu_erf; }
void run_geglu(const Args& args) {
  gate(args.tensor("self"), args.tensor("out"), args.integer("dim"), gelu(args), false, &args.tensor("outGelu"));
}
void run_geglu_v3(const Args& args) {
  gate(args.tensor("self"), args.tensor("out"), args.integer("dim"), gelu(args), args.flag("activateLeft"),
       &args.tensor("outGelu"));
}
void check_geglu_backward(const Args& args) { require_shape(args.tensor("gradInput"), args.tensor("self").shape, "gradInput"); }
void run_geglu_backward(const Args& args) {
  gate_gradient(args.tensor("gradOutput"), args.tensor("self"), args.tensor("gradInput"), args.integer("dim"), gelu(args),
                args.integer("approximate") == 1 ? gelu_tanh_slope : gelu_erf_slope, false);
}

const Kernel kKernels[] = {
    {"aclnnGlu", check_glu, run_glu},
    {"aclnnGluBackward", check_glu_backward, run_glu_backward},
    {"aclnnSwiGlu", check_swiglu, run_swiglu},
    {"aclnnSwiGluGrad", check_swiglu_grad, run_swiglu_grad},
    {"aclnnGeGlu", check_geglu, run_geglu},
    {"aclnnGeGluV3", check_geglu, run_geglu_v3},
    {"aclnnGeGluBackward", check_geglu_backward, run_geglu_backward},
};
const RegisterKernels kRegister(kKernels);

}  // namespace
}  // namespace assay::emulator
