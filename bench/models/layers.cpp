#include "layers.hpp"

#include <ATen/ATen.h>
#include <torch/version.h>

#include <cmath>
#include <limits>

namespace assay::bench {

at::Tensor wide(const at::Tensor& x) {
  return x.scalar_type() == at::kBFloat16 || x.scalar_type() == at::kHalf ? x.to(at::kFloat) : x;
}

Linear::Linear(std::int64_t in, std::int64_t out, bool with_bias, const at::TensorOptions& options) {
  weight = register_parameter("weight", at::empty({out, in}, options));
  if (with_bias) bias = register_parameter("bias", at::empty({out}, options));
}

at::Tensor Linear::forward(const at::Tensor& x) const { return at::linear(x, weight, bias); }

Embedding::Embedding(std::int64_t rows, std::int64_t width, const at::TensorOptions& options) {
  weight = register_parameter("weight", at::empty({rows, width}, options));
}

at::Tensor Embedding::forward(const at::Tensor& ids) const { return at::embedding(weight, ids); }

RmsNorm::RmsNorm(std::int64_t width, double eps, double offset, const at::TensorOptions& options) : eps_(eps), offset_(offset) {
  weight = register_parameter("weight", at::empty({width}, options));
}

at::Tensor RmsNorm::forward(const at::Tensor& x) const {
  const at::Tensor in = x.to(at::kFloat);
  const at::Tensor normed = in * at::rsqrt(at::mean(at::pow(in, 2), {-1}, /*keepdim=*/true) + eps_);
  if (offset_ != 0) return (normed * (wide(weight) + offset_)).to(x.scalar_type());
  return weight * normed.to(x.scalar_type());
}

LayerNorm::LayerNorm(std::int64_t width, double eps, bool affine, const at::TensorOptions& options) : width_(width), eps_(eps) {
  if (!affine) return;
  weight = register_parameter("weight", at::empty({width}, options));
  bias = register_parameter("bias", at::empty({width}, options));
}

at::Tensor LayerNorm::forward(const at::Tensor& x) const { return at::layer_norm(x, {width_}, weight, bias, eps_); }

Rotary::Rotary(std::int64_t length, std::int64_t head_size, const at::TensorOptions& options, double base) {
  const auto exact = at::TensorOptions().dtype(at::kDouble);
  const at::Tensor theta = at::pow(base, at::arange(0, head_size, 2, exact) / static_cast<double>(-head_size));
  const at::Tensor angles = at::outer(at::arange(length, exact), theta);
  const at::Tensor both = at::cat({angles, angles}, -1);
  cos_ = both.cos().to(options.dtype());
  sin_ = both.sin().to(options.dtype());
}

at::Tensor Rotary::forward(const at::Tensor& x, std::int64_t middle) const {
  at::Tensor cos = cos_;
  at::Tensor sin = sin_;
  for (std::int64_t i = 0; i < middle; ++i) {
    cos = cos.unsqueeze(1);
    sin = sin.unsqueeze(1);
  }
  const at::Tensor turned = x * cos;
  const std::vector<at::Tensor> halves = x.chunk(2, -1);
  return turned + at::cat({-halves[1], halves[0]}, -1) * sin;
}

at::Tensor causal_mask(std::int64_t length, const at::TensorOptions& options) {
  const double lowest = std::numeric_limits<float>::lowest();
  const at::TensorOptions plain = at::TensorOptions().dtype(options.dtype() == at::kDouble ? at::kDouble : at::kFloat);
  return at::full({length, length}, lowest, plain).triu(1).view({1, 1, length, length});
}

std::vector<double> alibi_slopes(std::int64_t heads) {
  std::int64_t power = 1;
  while (power * 2 <= heads) power *= 2;
  std::vector<double> slopes;
  for (std::int64_t h = 1; h <= power; ++h) slopes.push_back(std::exp2(-8.0 * double(h) / double(power)));
  for (std::int64_t h = 1; std::int64_t(slopes.size()) < heads; h += 2) {
    slopes.push_back(std::exp2(-8.0 * double(h) / double(2 * power)));
  }
  return slopes;
}

at::Tensor gelu_tanh(const at::Tensor& x) { return at::gelu(x, "tanh"); }

at::Tensor next_token_loss(const at::Tensor& logits, const at::Tensor& ids) {
  const std::int64_t length = ids.size(1);
  const at::Tensor rows = wide(logits).narrow(1, 0, length - 1).reshape({-1, logits.size(-1)});
  return at::cross_entropy_loss(rows, ids.narrow(1, 1, length - 1).reshape({-1}));
}

at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
#if TORCH_VERSION_MAJOR >= 2
  return at::scaled_dot_product_attention(q, k, v);
#else
  return std::get<0>(at::_scaled_dot_product_attention(q, k, v));
#endif
}

}  // namespace assay::bench
