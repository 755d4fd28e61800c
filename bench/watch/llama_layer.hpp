// One decoder layer as in Llama: RMSNorm, rotary attention, SwiGLU.
#pragma once

#include <torch/torch.h>

#include <vector>

namespace assay::bench {

struct LayerSize {
  std::int64_t hidden = 1024;
  std::int64_t heads = 16;
  std::int64_t inner = 2752;
  std::int64_t sequence = 512;
  int layers = 1;
};

class LlamaStep {
 public:
  LlamaStep(const LayerSize& size, at::ScalarType type);
  /// Forward and backward.
  void run();

 private:
  struct Layer {
    torch::Tensor norm1, norm2, q, k, v, o, gate, up, down;
  };
  torch::Tensor rotate(const torch::Tensor& x) const;
  torch::Tensor norm(const torch::Tensor& x, const torch::Tensor& weight) const;
  torch::Tensor forward(const Layer& layer, torch::Tensor x) const;

  LayerSize size_;
  std::vector<Layer> layers_;
  torch::Tensor input_, cos_, sin_, mask_;
};

}  // namespace assay::bench
