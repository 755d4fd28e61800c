// npu_sort_v2(self, dim=-1, descending=False, out=None) -> Tensor
//
//   the values in order along dim, without indices; NaN counts as the largest, as in torch.sort
//
// source  torch_npu's page of the operator
#include <algorithm>
#include <cmath>

#include "functions.hpp"
#include "results.hpp"

namespace assay::operators {

namespace {

Arguments bind(const assay_call& call) { return Arguments(call, {"self|input", "dim", "descending", "out"}); }

/// Sorted element i is element order[i] of the input. Equal elements keep their order.
std::vector<std::int64_t> sorted_order(const Arguments& args, const Array& x) {
  const std::size_t rank = std::max<std::size_t>(1, x.shape.size());
  const std::size_t dim = wrap_dim(args.integer("dim", -1), rank);
  const bool descending = args.flag("descending", false);
  const std::int64_t size = x.shape.empty() ? 1 : x.shape[dim];
  const std::int64_t stride = x.shape.empty() ? 1 : count(x.shape, dim + 1, x.shape.size());
  const auto before = [&](std::int64_t left, std::int64_t right) {
    const double l = *x.at(descending ? right : left);
    const double r = *x.at(descending ? left : right);
    return std::isnan(r) ? !std::isnan(l) : l < r;
  };
  std::vector<std::int64_t> order(x.data.size());
  std::vector<std::int64_t> line(static_cast<std::size_t>(size));
  for (std::int64_t start = 0; start < x.numel(); ++start) {
    if (start / stride % size != 0) continue;
    for (std::int64_t i = 0; i < size; ++i) line[static_cast<std::size_t>(i)] = start + i * stride;
    std::stable_sort(line.begin(), line.end(), before);
    for (std::int64_t i = 0; i < size; ++i) order[static_cast<std::size_t>(start + i * stride)] = line[static_cast<std::size_t>(i)];
  }
  return order;
}

}  // namespace

Results sort_v2_forward(const assay_call& call) {
  const Arguments args = bind(call);
  const TensorView x = args.tensor("self");
  Results results;
  results.outputs.emplace_back(take(x, sorted_order(args, to_array(x)), x.shape()));
  return results;
}

Results sort_v2_backward(const assay_call& call) {
  const Arguments args = bind(call);
  const Array x = args.array("self");
  const std::vector<std::int64_t> order = sorted_order(args, x);
  const Array dy = grad_output(call, 0, x.shape);
  Array dx = Array::zeros(x.shape);
  for (std::size_t i = 0; i < order.size(); ++i) *dx.at(order[i]) = dy.data[i];
  return gradients(args, {{"self", std::move(dx)}});
}

}  // namespace assay::operators
