// npu_linear(input, weight, bias=None) -> Tensor
//
//   y = x weight^T + bias, over the last dimension of x; weight: [outputs, inputs]
//
// source  torch_npu's page of the operator
#include "functions.hpp"
#include "matrix.hpp"
#include "results.hpp"

namespace assay::operators {

namespace {

struct Linear {
  Arguments args;
  Array x;
  Array weight;
  std::optional<Array> bias;
  Shape output;
  std::int64_t rows = 0;
  std::int64_t inputs = 0;
  std::int64_t outputs = 0;

  explicit Linear(const assay_call& call)
      : args(call, {"input|self|x", "weight", "bias"}),
        x(args.array("input")),
        weight(args.array("weight")),
        bias(args.optional_array("bias")),
        output(x.shape) {
    if (x.shape.empty() || weight.shape.size() != 2 || weight.shape[1] != x.shape.back()) {
      throw Error(ASSAY_INVALID_ARGUMENT, "weight of shape " + text(weight.shape) + " does not fit an input of " + text(x.shape));
    }
    outputs = weight.shape[0];
    inputs = weight.shape[1];
    if (bias && bias->shape != Shape{outputs})
      throw Error(ASSAY_INVALID_ARGUMENT, "bias of shape " + text(bias->shape) + " is not one number an output");
    output.back() = outputs;
    rows = count(x.shape, 0, x.shape.size() - 1);
  }
};

}  // namespace

Results linear_forward(const assay_call& call) {
  const Linear op(call);
  Array y = Array::zeros(op.output);
  const std::vector<double> turned = transpose(op.weight.data.data(), op.outputs, op.inputs, op.inputs);
  multiply(op.x.data.data(), turned.data(), y.data.data(), op.rows, op.inputs, op.outputs);
  for (std::int64_t row = 0; op.bias && row < op.rows; ++row) {
    for (std::int64_t i = 0; i < op.outputs; ++i) *y.at(row * op.outputs + i) += *op.bias->at(i);
  }
  return outputs({y});
}

Results linear_backward(const assay_call& call) {
  const Linear op(call);
  const Array dy = grad_output(call, 0, op.output);
  Array dx = Array::zeros(op.x.shape);
  multiply(dy.data.data(), op.weight.data.data(), dx.data.data(), op.rows, op.outputs, op.inputs);
  Array dweight = Array::zeros(op.weight.shape);
  const std::vector<double> turned = transpose(dy.data.data(), op.rows, op.outputs, op.outputs);
  multiply(turned.data(), op.x.data.data(), dweight.data.data(), op.outputs, op.rows, op.inputs);
  std::optional<Array> dbias;
  if (op.bias) dbias = sum_to(dy, op.bias->shape);
  return gradients(op.args, {{"input", std::move(dx)}, {"weight", std::move(dweight)}, {"bias", std::move(dbias)}});
}

}  // namespace assay::operators
