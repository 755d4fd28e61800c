// npu_confusion_transpose(self, perm, shape, transpose_first) -> Tensor
//
//   transpose_first:  y = reshape(permute(x, perm), shape);  else  y = permute(reshape(x, shape), perm)
//
// source  torch_npu's page of the operator
#include "functions.hpp"
#include "results.hpp"

namespace assay::operators {

namespace {

struct Rearrangement {
  Shape shape;                      ///< of the output
  std::vector<std::int64_t> order;  ///< output element i is input element order[i]
};

/// The elements of a tensor of `shape` in the order of its permutation.
Rearrangement permute(const Shape& shape, const std::vector<std::int64_t>& perm) {
  const std::size_t rank = shape.size();
  if (perm.size() != rank) {
    throw Error(ASSAY_INVALID_ARGUMENT, "perm " + text(perm) + " does not fit " + std::to_string(rank) + " dimensions");
  }
  std::vector<std::int64_t> stride(rank, 1);
  for (std::size_t d = rank; d-- > 1;) stride[d - 1] = stride[d] * shape[d];
  Rearrangement out;
  std::vector<bool> used(rank, false);
  std::vector<std::int64_t> step;
  for (const std::int64_t dim : perm) {
    const std::size_t d = wrap_dim(dim, rank);
    if (used[d]) throw Error(ASSAY_INVALID_ARGUMENT, "perm " + text(perm) + " names a dimension twice");
    used[d] = true;
    out.shape.push_back(shape[d]);
    step.push_back(stride[d]);
  }
  out.order.resize(static_cast<std::size_t>(count(out.shape)));
  std::vector<std::int64_t> position(rank, 0);
  std::int64_t offset = 0;
  for (std::int64_t& element : out.order) {
    element = offset;
    for (std::size_t d = rank; d-- > 0;) {
      offset += step[d];
      if (++position[d] < out.shape[d]) break;
      offset -= step[d] * out.shape[d];
      position[d] = 0;
    }
  }
  return out;
}

/// The shape with its one -1 worked out. Sizes come from the recording: they must make up exactly the elements that are there.
Shape reshaped(Shape shape, std::int64_t elements) {
  std::int64_t known = 1;
  std::int64_t* open = nullptr;
  bool fits = true;
  for (std::int64_t& size : shape) {
    if (size == -1 && open == nullptr) {
      open = &size;
    } else {
      fits = fits && size >= 0 && (size == 0 || known <= elements / size || known == 0);
      if (fits) known *= size;
    }
  }
  if (fits && open != nullptr) {
    fits = known != 0 && elements % known == 0;
    if (fits) *open = elements / known;
  }
  if (!fits || count(shape) != elements)
    throw Error(ASSAY_INVALID_ARGUMENT, "shape " + text(shape) + " does not hold " + std::to_string(elements) + " elements");
  return shape;
}

Rearrangement rearrange(const Arguments& args, const TensorView& x) {
  const Shape shape = reshaped(args.integers("shape"), x.numel());
  const bool transpose_first = args.flag("transpose_first", true);
  Rearrangement out = permute(transpose_first ? x.shape() : shape, args.integers("perm"));
  if (transpose_first) out.shape = shape;
  return out;
}

Arguments bind(const assay_call& call) { return Arguments(call, {"self|input", "perm", "shape", "transpose_first"}); }

}  // namespace

Results confusion_transpose_forward(const assay_call& call) {
  const Arguments args = bind(call);
  const TensorView x = args.tensor("self");
  const Rearrangement rearrangement = rearrange(args, x);
  Results results;
  results.outputs.emplace_back(take(x, rearrangement.order, rearrangement.shape));
  return results;
}

Results confusion_transpose_backward(const assay_call& call) {
  const Arguments args = bind(call);
  const TensorView x = args.tensor("self");
  const Rearrangement rearrangement = rearrange(args, x);
  const Array dy = grad_output(call, 0, rearrangement.shape);
  Array dx = Array::zeros(x.shape());
  for (std::size_t i = 0; i < dy.data.size(); ++i) *dx.at(rearrangement.order[i]) = dy.data[i];
  return gradients(args, {{"self", std::move(dx)}});
}

}  // namespace assay::operators
