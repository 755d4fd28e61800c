// npu_rotary_mul(input, r1, r2, rotary_mode='half') -> Tensor
//
//   y = r1 x + r2 rotate(x); r1 and r2 (cosines and sines) broadcast to x
//   half:        rotate(x) = (-second half, first half) of the last dimension
//   interleave:  rotate(x) = (-x1, x0, -x3, x2, ...)
//
// source  torch_npu's page of the operator; Su et al., "RoFormer" (2021)
#include "functions.hpp"
#include "results.hpp"

namespace assay::operators {

namespace {

struct Rotary {
  Arguments args;
  Array x;
  Array r1;
  Array r2;
  std::vector<std::int64_t> at1;  ///< the element of r1 that belongs to each of x
  std::vector<std::int64_t> at2;
  bool half = true;

  explicit Rotary(const assay_call& call)
      : args(call, {"input|self|x", "r1|cos", "r2|sin", "rotary_mode"}),
        x(args.array("input")),
        r1(args.array("r1")),
        r2(args.array("r2")),
        at1(broadcast_offsets(r1.shape, x.shape, "r1")),
        at2(broadcast_offsets(r2.shape, x.shape, "r2")) {
    const std::string mode = args.string("rotary_mode", "half");
    if (mode != "half" && mode != "interleave") throw Error(ASSAY_UNSUPPORTED, "rotary_mode '" + mode + "' is not supported");
    half = mode == "half";
    if (x.shape.empty() || x.shape.back() % 2 != 0)
      throw Error(ASSAY_INVALID_ARGUMENT, "the last dimension of " + text(x.shape) + " can't be halved");
  }

  /// The element that rotation puts in place of element i, and its sign.
  [[nodiscard]] std::size_t partner(std::size_t i, double& sign) const {
    const auto size = static_cast<std::size_t>(x.shape.back());
    const std::size_t column = i % size;
    const bool negative = half ? column < size / 2 : column % 2 == 0;
    const std::size_t distance = half ? size / 2 : 1;
    sign = negative ? -1 : 1;
    return negative ? i + distance : i - distance;
  }
};

}  // namespace

Results rotary_mul_forward(const assay_call& call) {
  const Rotary op(call);
  Array y = Array::zeros(op.x.shape);
  for (std::size_t i = 0; i < y.data.size(); ++i) {
    double sign = 0;
    const std::size_t other = op.partner(i, sign);
    y.data[i] = *op.r1.at(op.at1[i]) * op.x.data[i] + *op.r2.at(op.at2[i]) * (sign * op.x.data[other]);
  }
  return outputs({y});
}

Results rotary_mul_backward(const assay_call& call) {
  const Rotary op(call);
  const Array dy = grad_output(call, 0, op.x.shape);
  Array dx = Array::zeros(op.x.shape);
  Array dr1 = dx;
  Array dr2 = dx;
  for (std::size_t i = 0; i < dy.data.size(); ++i) {
    double sign = 0;
    const std::size_t other = op.partner(i, sign);
    dx.data[i] += dy.data[i] * *op.r1.at(op.at1[i]);
    dx.data[other] += dy.data[i] * *op.r2.at(op.at2[i]) * sign;
    dr1.data[i] = dy.data[i] * op.x.data[i];
    dr2.data[i] = dy.data[i] * (sign * op.x.data[other]);
  }
  return gradients(op.args, {{"input", std::move(dx)}, {"r1", sum_to(dr1, op.r1.shape)}, {"r2", sum_to(dr2, op.r2.shape)}});
}

}  // namespace assay::operators
