#include "llama_layer.hpp"

#include <cmath>

namespace assay::bench {

using torch::Tensor;

LlamaStep::LlamaStep(const LayerSize& size, at::ScalarType type) : size_(size) {
  torch::manual_seed(1);
  const auto weight = [&](std::int64_t rows, std::int64_t columns) {
    return (torch::randn({rows, columns}) / std::sqrt(static_cast<double>(columns))).to(type).set_requires_grad(true);
  };
  const auto ones = [&] { return torch::ones({size.hidden}, type).set_requires_grad(true); };
  for (int i = 0; i < size.layers; ++i) {
    layers_.push_back({ones(), ones(), weight(size.hidden, size.hidden), weight(size.hidden, size.hidden),
                       weight(size.hidden, size.hidden), weight(size.hidden, size.hidden), weight(size.inner, size.hidden),
                       weight(size.inner, size.hidden), weight(size.hidden, size.inner)});
  }
  input_ = torch::randn({1, size.sequence, size.hidden}).to(type);
  const std::int64_t half = size.hidden / size.heads / 2;
  const Tensor angles =
      torch::outer(torch::arange(size.sequence, at::kFloat), torch::pow(10000.0, -torch::arange(half, at::kFloat) / half));
  cos_ = torch::cat({angles, angles}, 1).cos().to(type);
  sin_ = torch::cat({angles, angles}, 1).sin().to(type);
  mask_ = torch::full({size.sequence, size.sequence}, -1e4).triu(1).to(type);
}

Tensor LlamaStep::norm(const Tensor& x, const Tensor& weight) const {
  return x * torch::rsqrt(x.square().mean(-1, true) + 1e-6) * weight;
}

Tensor LlamaStep::rotate(const Tensor& x) const {
  const std::vector<Tensor> halves = x.chunk(2, -1);
  return x * cos_ + torch::cat({-halves[1], halves[0]}, -1) * sin_;
}

Tensor LlamaStep::forward(const Layer& layer, Tensor x) const {
  const std::int64_t width = size_.hidden / size_.heads;
  const Tensor h = norm(x, layer.norm1);
  const auto heads = [&](const Tensor& w) {
    return torch::linear(h, w).view({1, size_.sequence, size_.heads, width}).transpose(1, 2);
  };
  const Tensor q = rotate(heads(layer.q));
  const Tensor k = rotate(heads(layer.k));
  const Tensor scores = torch::matmul(q, k.transpose(2, 3)) / std::sqrt(static_cast<double>(width)) + mask_;
  const Tensor mixed =
      torch::matmul(torch::softmax(scores, -1), heads(layer.v)).transpose(1, 2).reshape({1, size_.sequence, size_.hidden});
  x = x + torch::linear(mixed, layer.o);
  const Tensor g = norm(x, layer.norm2);
  return x + torch::linear(torch::silu(torch::linear(g, layer.gate)) * torch::linear(g, layer.up), layer.down);
}

void LlamaStep::run() {
  Tensor x = input_;
  for (const Layer& layer : layers_) x = forward(layer, x);
  x.square().mean().backward();
}

}  // namespace assay::bench
