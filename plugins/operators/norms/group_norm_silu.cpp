// npu_group_norm_silu(input, weight, bias, group, eps=1e-05) -> (Tensor out, Tensor mean, Tensor rstd)
//
//   the channels (dimension 1) of each sample in `group` groups, each normalised as a whole:
//   z = (x - mean) rstd weight + bias (weight and bias for each channel);  out = z sigmoid(z);  mean, rstd: [samples, group]
//
// source  torch_npu's page of the operator
#include "formulas.hpp"
#include "functions.hpp"
#include "normalize.hpp"
#include "results.hpp"

namespace assay::operators {

namespace {

struct GroupNorm {
  Arguments args;
  Array x;
  std::optional<Array> weight;
  std::optional<Array> bias;
  std::int64_t group;
  double epsilon;
  std::int64_t rows = 0;     ///< samples times groups
  std::int64_t size = 0;     ///< elements of a group
  std::int64_t channel = 0;  ///< elements of a channel

  explicit GroupNorm(const assay_call& call)
      : args(call, {"input|self|x", "weight|gamma", "bias|beta", "group|num_groups", "eps"}),
        x(args.array("input")),
        weight(args.optional_array("weight")),
        bias(args.optional_array("bias")),
        group(args.integer("group")),
        epsilon(args.real("eps", 1e-5)) {
    if (x.shape.size() < 2 || group <= 0 || x.shape[1] % group != 0) {
      throw Error(ASSAY_INVALID_ARGUMENT,
                  "the channels of " + text(x.shape) + " can't be put in " + std::to_string(group) + " groups");
    }
    for (const auto* factor : {&weight, &bias}) {
      if (*factor && (*factor)->shape != Shape{x.shape[1]})
        throw Error(ASSAY_INVALID_ARGUMENT, "weight or bias has shape " + text((*factor)->shape) + ", not one number a channel");
    }
    channel = count(x.shape, 2, x.shape.size());
    rows = x.shape[0] * group;
    size = x.shape[1] / group * channel;
  }

  /// Of element i of a row.
  [[nodiscard]] std::size_t channel_of(std::int64_t row, std::int64_t i) const {
    return static_cast<std::size_t>(row % group * (x.shape[1] / group) + i / channel);
  }
  [[nodiscard]] double scaled(double normalized, std::size_t c) const {
    return normalized * (weight ? weight->data[c] : 1.0) + (bias ? bias->data[c] : 0.0);
  }
};

}  // namespace

Results group_norm_silu_forward(const assay_call& call) {
  const GroupNorm op(call);
  Array out = Array::zeros(op.x.shape);
  Array mean = Array::zeros({op.x.shape[0], op.group});
  Array rstd = mean;
  for (std::int64_t row = 0; row < op.rows; ++row) {
    double* y = out.at(row * op.size);
    const RowStatistics statistics = normalize(op.x.at(row * op.size), op.size, op.epsilon, y);
    *mean.at(row) = statistics.mean;
    *rstd.at(row) = statistics.rstd;
    for (std::int64_t i = 0; i < op.size; ++i) y[i] = silu(op.scaled(y[i], op.channel_of(row, i)));
  }
  return outputs({out, mean, rstd});
}

Results group_norm_silu_backward(const assay_call& call) {
  const GroupNorm op(call);
  const Array dy = grad_output(call, 0, op.x.shape);
  Array dx = Array::zeros(op.x.shape);
  std::vector<long double> dweight(static_cast<std::size_t>(op.x.shape[1]), 0.0L);
  std::vector<long double> dbias = dweight;
  std::vector<double> normalized(static_cast<std::size_t>(op.size));
  std::vector<double> d_normalized = normalized;
  for (std::int64_t row = 0; row < op.rows; ++row) {
    const RowStatistics statistics = normalize(op.x.at(row * op.size), op.size, op.epsilon, normalized.data());
    for (std::int64_t i = 0; i < op.size; ++i) {
      const std::size_t c = op.channel_of(row, i);
      const auto k = static_cast<std::size_t>(i);
      const double dz = *dy.at(row * op.size + i) * silu_slope(op.scaled(normalized[k], c));
      d_normalized[k] = dz * (op.weight ? op.weight->data[c] : 1.0);
      dweight[c] += static_cast<long double>(dz) * normalized[k];
      dbias[c] += dz;
    }
    normalize_backward(d_normalized.data(), normalized.data(), statistics.rstd, op.size, dx.at(row * op.size));
  }
  return gradients(op.args,
                   {{"input", std::move(dx)}, {"weight", sums_like(op.weight, dweight)}, {"bias", sums_like(op.bias, dbias)}});
}

}  // namespace assay::operators
