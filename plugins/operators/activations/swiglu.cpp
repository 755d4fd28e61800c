// npu_swiglu(self, dim=-1) -> Tensor
//
//   a, b = halves of x along dim;  y = a sigmoid(a) b
//
// source  torch_npu's page of the operator; Shazeer, "GLU variants improve transformer" (2020), with beta = 1
#include "formulas.hpp"
#include "functions.hpp"
#include "results.hpp"

namespace assay::operators {

namespace {

Arguments bind(const assay_call& call) { return Arguments(call, {"self|input|x", "dim"}); }

/// Where the halves lie: for each of `outer` blocks, `half` elements of a, then as many of b.
struct Halves {
  Shape output;
  std::int64_t outer;
  std::int64_t half;
};

Halves halves(const Arguments& args, const Shape& shape) {
  const std::size_t dim = wrap_dim(args.integer("dim", -1), shape.size());
  if (shape[dim] % 2 != 0) {
    throw Error(ASSAY_INVALID_ARGUMENT, "dimension " + std::to_string(dim) + " of " + text(shape) + " can't be halved");
  }
  Halves out{shape, count(shape, 0, dim), 0};
  out.output[dim] /= 2;
  out.half = count(out.output, dim, shape.size());
  return out;
}

}  // namespace

Results swiglu_forward(const assay_call& call) {
  const Arguments args = bind(call);
  const Array x = args.array("self");
  const Halves layout = halves(args, x.shape);
  Array y = Array::zeros(layout.output);
  for (std::int64_t block = 0; block < layout.outer; ++block) {
    const double* a = x.at(2 * block * layout.half);
    const double* b = a + layout.half;
    double* out = y.at(block * layout.half);
    for (std::int64_t i = 0; i < layout.half; ++i) out[i] = silu(a[i]) * b[i];
  }
  return outputs({y});
}

Results swiglu_backward(const assay_call& call) {
  const Arguments args = bind(call);
  const Array x = args.array("self");
  const Halves layout = halves(args, x.shape);
  const Array dy = grad_output(call, 0, layout.output);
  Array dx = Array::zeros(x.shape);
  for (std::int64_t block = 0; block < layout.outer; ++block) {
    const double* a = x.at(2 * block * layout.half);
    const double* b = a + layout.half;
    const double* g = dy.at(block * layout.half);
    double* da = dx.at(2 * block * layout.half);
    double* db = da + layout.half;
    for (std::int64_t i = 0; i < layout.half; ++i) {
      da[i] = g[i] * silu_slope(a[i]) * b[i];
      db[i] = g[i] * silu(a[i]);
    }
  }
  return gradients(args, {{"self", std::move(dx)}});
}

}  // namespace assay::operators
