// npu_rms_norm(self, gamma, epsilon=1e-06) -> (Tensor y, Tensor rstd)
//
//   rstd = 1 / sqrt(mean(x^2) + epsilon), the mean over the dimensions of gamma;  y = x rstd gamma
//
// source  torch_npu's page of the operator; Zhang and Sennrich, "Root mean square layer normalization" (2019)
#include "formulas.hpp"
#include "functions.hpp"
#include "results.hpp"

namespace assay::operators {

namespace {

struct RmsNorm {
  Arguments args;
  Array x;
  Array gamma;
  double epsilon;
  Shape rstd_shape;
  std::int64_t rows;
  std::int64_t size;

  explicit RmsNorm(const assay_call& call)
      : args(call, {"self|x|input", "gamma|weight", "epsilon|eps"}),
        x(args.array("self")),
        gamma(args.array("gamma")),
        epsilon(args.real("epsilon", 1e-6)),
        rstd_shape(x.shape) {
    const std::size_t kept = x.shape.size() - std::min(x.shape.size(), gamma.shape.size());
    if (gamma.shape.empty() || Shape(x.shape.begin() + static_cast<std::ptrdiff_t>(kept), x.shape.end()) != gamma.shape) {
      throw Error(ASSAY_INVALID_ARGUMENT,
                  "gamma of shape " + text(gamma.shape) + " is not the end of the input's shape " + text(x.shape));
    }
    for (std::size_t d = kept; d < rstd_shape.size(); ++d) rstd_shape[d] = 1;
    rows = count(rstd_shape);
    size = gamma.numel();
  }

  [[nodiscard]] long double rstd(std::int64_t row) const {
    long double squares = 0;
    for (std::int64_t i = 0; i < size; ++i) {
      const long double value = *x.at(row * size + i);
      squares += value * value;
    }
    return 1 / std::sqrt(squares / static_cast<long double>(size) + epsilon);
  }
};

}  // namespace

Results rms_norm_forward(const assay_call& call) {
  const RmsNorm op(call);
  Array y = Array::zeros(op.x.shape);
  Array rstd = Array::zeros(op.rstd_shape);
  for (std::int64_t row = 0; row < op.rows; ++row) {
    const long double r = op.rstd(row);
    *rstd.at(row) = static_cast<double>(r);
    for (std::int64_t i = 0; i < op.size; ++i) {
      *y.at(row * op.size + i) = static_cast<double>(*op.x.at(row * op.size + i) * r * op.gamma.data[static_cast<std::size_t>(i)]);
    }
  }
  return outputs({y, rstd});
}

Results rms_norm_backward(const assay_call& call) {
  const RmsNorm op(call);
  const Array dy = grad_output(call, 0, op.x.shape);
  Array dx = Array::zeros(op.x.shape);
  std::vector<long double> dgamma(op.gamma.data.size(), 0.0L);
  for (std::int64_t row = 0; row < op.rows; ++row) {
    const double* x = op.x.at(row * op.size);
    const double* g = dy.at(row * op.size);
    const long double r = op.rstd(row);
    long double along = 0;
    for (std::int64_t i = 0; i < op.size; ++i) along += static_cast<long double>(g[i]) * *op.gamma.at(i) * (x[i] * r);
    along /= static_cast<long double>(op.size);
    for (std::int64_t i = 0; i < op.size; ++i) {
      *dx.at(row * op.size + i) = static_cast<double>(r * (static_cast<long double>(g[i]) * *op.gamma.at(i) - x[i] * r * along));
      dgamma[static_cast<std::size_t>(i)] += g[i] * (x[i] * r);
    }
  }
  return gradients(op.args, {{"self", std::move(dx)}, {"gamma", from_sums(op.gamma.shape, dgamma)}});
}

}  // namespace assay::operators
