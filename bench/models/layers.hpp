// Layers that several models share, written out in the operators that the published models call.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>

namespace assay::bench {

/// The tensor itself, or in float32 where its own type is narrower: norms, softmax and losses are computed so.
at::Tensor wide(const at::Tensor& x);

/// y = x Wt + b
class Linear : public torch::nn::Module {
 public:
  Linear(std::int64_t in, std::int64_t out, bool with_bias, const at::TensorOptions& options);
  at::Tensor forward(const at::Tensor& x) const;

  at::Tensor weight;  ///< (out, in)
  at::Tensor bias;    ///< (out), or undefined
};

class Embedding : public torch::nn::Module {
 public:
  Embedding(std::int64_t rows, std::int64_t width, const at::TensorOptions& options);
  at::Tensor forward(const at::Tensor& ids) const;

  at::Tensor weight;  ///< (rows, width)
};

/// w x / sqrt(mean(x^2) + eps) over the last dimension, in six operators; in float32 whatever the type of x, as in the published code.
/// Offset 1: the weight is 1 + w (Gemma).
class RmsNorm : public torch::nn::Module {
 public:
  RmsNorm(std::int64_t width, double eps, double offset, const at::TensorOptions& options);
  at::Tensor forward(const at::Tensor& x) const;

  at::Tensor weight;

 private:
  double eps_;
  double offset_;
};

class LayerNorm : public torch::nn::Module {
 public:
  /// affine  whether there are a weight and a bias
  LayerNorm(std::int64_t width, double eps, bool affine, const at::TensorOptions& options);
  at::Tensor forward(const at::Tensor& x) const;

  at::Tensor weight;
  at::Tensor bias;

 private:
  std::int64_t width_;
  double eps_;
};

/// Rotary positions in the half-split form: x cos + concat(-x2, x1) sin, with angles t base^(-2i/D).
class Rotary {
 public:
  Rotary(std::int64_t length, std::int64_t head_size, const at::TensorOptions& options, double base = 1e4);
  /// x  (..., length, head size), or with `middle` dimensions between the two
  [[nodiscard]] at::Tensor forward(const at::Tensor& x, std::int64_t middle = 0) const;

 private:
  at::Tensor cos_, sin_;  ///< (length, head size)
};

/// (1, 1, length, length): 0 on and below the diagonal, the lowest float32 above it.
at::Tensor causal_mask(std::int64_t length, const at::TensorOptions& options);

/// Slopes of ALiBi for any number of heads: 2^(-8h/n), and for other numbers than powers of two those of the next power in between.
std::vector<double> alibi_slopes(std::int64_t heads);

/// 0.5 x (1 + tanh(...)) in one operator.
at::Tensor gelu_tanh(const at::Tensor& x);

/// Mean cross-entropy of each position's logits (B, S, V) against the next position's id (B, S).
at::Tensor next_token_loss(const at::Tensor& logits, const at::Tensor& ids);

/// softmax(q kt / sqrt(D)) v in one operator; q (B, n, S, D), k and v (B, n, L, D).
at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v);

}  // namespace assay::bench
