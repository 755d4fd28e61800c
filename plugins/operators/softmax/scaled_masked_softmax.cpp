// npu_scaled_masked_softmax(x, mask, scale=1.0, fixed_triu_mask=False) -> Tensor
//
//   y = softmax(where(mask, -10000, scale x)) over the last dimension; fixed_triu_mask: the mask is everything above the diagonal
//
// A row that is masked throughout is uniform: its entries are equal.
// source  torch_npu's page and unit test of the operator (the fill value)
#include "formulas.hpp"
#include "functions.hpp"
#include "results.hpp"

namespace assay::operators {

namespace {

constexpr double kFill = -10000;

struct ScaledMaskedSoftmax {
  Arguments args;
  Array y;  ///< the output
  double scale;
  std::vector<bool> masked;

  explicit ScaledMaskedSoftmax(const assay_call& call)
      : args(call, {"x|self|input", "mask", "scale", "fixed_triu_mask"}), y(args.array("x")), scale(args.real("scale", 1.0)) {
    const Array mask = args.array("mask");
    const std::vector<std::int64_t> at = broadcast_offsets(mask.shape, y.shape, "mask");
    if (y.shape.empty()) throw Error(ASSAY_INVALID_ARGUMENT, "the input has no dimensions");
    const bool triangle = args.flag("fixed_triu_mask", false);
    const auto columns = static_cast<std::size_t>(y.shape.back());
    const auto rows = static_cast<std::size_t>(y.shape.size() > 1 ? y.shape[y.shape.size() - 2] : 1);
    masked.resize(y.data.size());
    for (std::size_t i = 0; i < y.data.size(); ++i) {
      masked[i] = triangle ? i % columns > i / columns % rows : *mask.at(at[i]) != 0;
      y.data[i] = masked[i] ? kFill : scale * y.data[i];
    }
    for (std::size_t row = 0; row < y.data.size(); row += columns) softmax(y.data.data() + row, y.shape.back());
  }
};

}  // namespace

Results scaled_masked_softmax_forward(const assay_call& call) { return outputs({ScaledMaskedSoftmax(call).y}); }

Results scaled_masked_softmax_backward(const assay_call& call) {
  const ScaledMaskedSoftmax op(call);
  const Array dy = grad_output(call, 0, op.y.shape);
  Array dx = Array::zeros(op.y.shape);
  const auto columns = static_cast<std::size_t>(op.y.shape.back());
  for (std::size_t row = 0; row < dx.data.size(); row += columns) {
    const double along = dot(dy.data.data() + row, op.y.data.data() + row, op.y.shape.back());
    for (std::size_t i = row; i < row + columns; ++i)
      dx.data[i] = op.masked[i] ? 0 : op.scale * op.y.data[i] * (dy.data[i] - along);
  }
  return gradients(op.args, {{"x", std::move(dx)}});
}

}  // namespace assay::operators
