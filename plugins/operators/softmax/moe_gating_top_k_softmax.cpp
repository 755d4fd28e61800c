// npu_moe_gating_top_k_softmax(x, finished=None, k=1) -> (Tensor y, Tensor expert_idx, Tensor row_idx)
//
//   y, expert_idx = the k largest of softmax(x) over the last dimension, and where they are (of equals, the first)
//   row_idx[r, j] = j rows + r
//   a finished row has the number of experts as every expert_idx
//
// source  torch_npu's page of the operator; CANN's page of aclnnMoeGatingTopKSoftmax
#include <algorithm>
#include <cmath>
#include <numeric>

#include "formulas.hpp"
#include "functions.hpp"
#include "results.hpp"

namespace assay::operators {

namespace {

struct Gating {
  Arguments args;
  Array p;  ///< softmax of the input
  std::int64_t experts = 0;
  std::int64_t rows = 0;
  std::int64_t k;
  Shape output;
  std::vector<std::int64_t> chosen;  ///< [rows, k]

  explicit Gating(const assay_call& call) : args(call, {"x", "finished", "k"}), p(args.array("x")), k(args.integer("k", 1)) {
    if (p.shape.empty() || k < 0 || k > p.shape.back()) {
      throw Error(ASSAY_INVALID_ARGUMENT, "the last dimension of " + text(p.shape) + " has no " + std::to_string(k) + " largest");
    }
    experts = p.shape.back();
    rows = count(p.shape, 0, p.shape.size() - 1);
    output = p.shape;
    output.back() = k;
    std::vector<std::int64_t> order(static_cast<std::size_t>(experts));
    for (std::int64_t row = 0; row < rows && experts > 0; ++row) {
      double* line = p.at(row * experts);
      softmax(line, experts);
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](std::int64_t l, std::int64_t r) {
        return std::isnan(line[l]) ? !std::isnan(line[r]) : line[l] > line[r];
      });
      chosen.insert(chosen.end(), order.begin(), order.begin() + k);
    }
  }

  [[nodiscard]] std::vector<bool> finished() const {
    std::vector<bool> out(static_cast<std::size_t>(rows), false);
    if (!args.has("finished")) return out;
    const Array given = args.array("finished");
    if (given.shape != Shape(p.shape.begin(), p.shape.end() - 1))
      throw Error(ASSAY_INVALID_ARGUMENT, "finished of shape " + text(given.shape) + " is not one flag a row of " + text(p.shape));
    for (std::size_t row = 0; row < out.size(); ++row) out[row] = given.data[row] != 0;
    return out;
  }
};

}  // namespace

Results moe_gating_forward(const assay_call& call) {
  const Gating op(call);
  const std::vector<bool> finished = op.finished();
  Array y = Array::zeros(op.output);
  Tensor expert_index = Tensor::allocate(kInt32, op.output);
  Tensor row_index = Tensor::allocate(kInt32, op.output);
  for (std::int64_t i = 0; i < y.numel(); ++i) {
    const std::int64_t row = i / op.k;
    const std::int64_t expert = op.chosen[static_cast<std::size_t>(i)];
    *y.at(i) = *op.p.at(row * op.experts + expert);
    expert_index.data_as<std::int32_t>()[i] =
        static_cast<std::int32_t>(finished[static_cast<std::size_t>(row)] ? op.experts : expert);
    row_index.data_as<std::int32_t>()[i] = static_cast<std::int32_t>(i % op.k * op.rows + row);
  }
  Results results = outputs({y});
  results.outputs.emplace_back(std::move(expert_index));
  results.outputs.emplace_back(std::move(row_index));
  return results;
}

Results moe_gating_backward(const assay_call& call) {
  const Gating op(call);
  const Array dy = grad_output(call, 0, op.output);
  Array dx = Array::zeros(op.p.shape);
  for (std::int64_t row = 0; row < op.rows; ++row) {
    double* line = dx.at(row * op.experts);
    const double* p = op.p.at(row * op.experts);
    for (std::int64_t j = 0; j < op.k; ++j) line[op.chosen[static_cast<std::size_t>(row * op.k + j)]] = *dy.at(row * op.k + j);
    const double along = dot(line, p, op.experts);
    for (std::int64_t e = 0; e < op.experts; ++e) line[e] = p[e] * (line[e] - along);
  }
  return gradients(op.args, {{"x", std::move(dx)}});
}

}  // namespace assay::operators
