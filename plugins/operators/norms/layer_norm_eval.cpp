// npu_layer_norm_eval(input, normalized_shape, weight=None, bias=None, eps=1e-05) -> Tensor
//
//   y = (x - mean) / sqrt(variance + eps) weight + bias, over the last dimensions, which are `normalized_shape`
//
// source  torch_npu's page of the operator, which names it the inference form of torch.nn.functional.layer_norm
#include "functions.hpp"
#include "normalize.hpp"
#include "results.hpp"

namespace assay::operators {

namespace {

struct LayerNorm {
  Arguments args;
  Array x;
  std::optional<Array> weight;
  std::optional<Array> bias;
  double epsilon;
  std::int64_t rows;
  std::int64_t size;

  explicit LayerNorm(const assay_call& call)
      : args(call, {"input|self", "normalized_shape", "weight", "bias", "eps"}),
        x(args.array("input")),
        weight(args.optional_array("weight")),
        bias(args.optional_array("bias")),
        epsilon(args.real("eps", 1e-5)) {
    const Shape normalized = args.integers("normalized_shape");
    const std::size_t kept = x.shape.size() - std::min(x.shape.size(), normalized.size());
    if (normalized.empty() || Shape(x.shape.begin() + static_cast<std::ptrdiff_t>(kept), x.shape.end()) != normalized) {
      throw Error(ASSAY_INVALID_ARGUMENT,
                  "normalized_shape " + text(normalized) + " is not the end of the input's shape " + text(x.shape));
    }
    for (const auto* factor : {&weight, &bias}) {
      if (*factor && (*factor)->shape != normalized)
        throw Error(ASSAY_INVALID_ARGUMENT, "weight or bias has shape " + text((*factor)->shape) + ", not normalized_shape");
    }
    rows = count(x.shape, 0, kept);
    size = count(normalized);
  }
};

}  // namespace

Results layer_norm_eval_forward(const assay_call& call) {
  const LayerNorm op(call);
  Array y = Array::zeros(op.x.shape);
  for (std::int64_t row = 0; row < op.rows; ++row) {
    double* out = y.at(row * op.size);
    normalize(op.x.at(row * op.size), op.size, op.epsilon, out);
    for (std::int64_t i = 0; i < op.size; ++i) {
      if (op.weight) out[i] *= *op.weight->at(i);
      if (op.bias) out[i] += *op.bias->at(i);
    }
  }
  return outputs({y});
}

Results layer_norm_eval_backward(const assay_call& call) {
  const LayerNorm op(call);
  const Array dy = grad_output(call, 0, op.x.shape);
  Array dx = Array::zeros(op.x.shape);
  const auto size = static_cast<std::size_t>(op.size);
  std::vector<long double> dweight(size, 0.0L);
  std::vector<long double> dbias(size, 0.0L);
  std::vector<double> normalized(size);
  std::vector<double> d_normalized(size);
  for (std::int64_t row = 0; row < op.rows; ++row) {
    const RowStatistics statistics = normalize(op.x.at(row * op.size), op.size, op.epsilon, normalized.data());
    const double* g = dy.at(row * op.size);
    for (std::size_t i = 0; i < size; ++i) {
      d_normalized[i] = g[i] * (op.weight ? op.weight->data[i] : 1.0);
      dweight[i] += static_cast<long double>(g[i]) * normalized[i];
      dbias[i] += g[i];
    }
    normalize_backward(d_normalized.data(), normalized.data(), statistics.rstd, op.size, dx.at(row * op.size));
  }
  return gradients(op.args,
                   {{"input", std::move(dx)}, {"weight", sums_like(op.weight, dweight)}, {"bias", sums_like(op.bias, dbias)}});
}

}  // namespace assay::operators
