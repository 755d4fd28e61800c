#include <ATen/ATen.h>

#include <cmath>

#include "decoder.hpp"
#include "factories.hpp"

namespace assay::bench {
namespace {

/// Gemma-7B: embedding scaled by sqrt(H), norms with 1 + w, a gated GELU, the head tied to the unscaled embedding.
class Gemma final : public Decoder {
 public:
  using Decoder::Decoder;

 protected:
  [[nodiscard]] at::Tensor embed(const at::Tensor& ids) const override {
    return Decoder::embed(ids) * std::sqrt(static_cast<double>(sizes().hidden));
  }

  [[nodiscard]] at::Tensor mlp(const at::Tensor& x) const override {
    const at::Tensor gated = gelu_tanh(gate_->forward(x));
    return down_->forward(gated * up_->forward(x));
  }
};

}  // namespace

std::shared_ptr<Model> make_gemma(const Sizes& sizes, const at::TensorOptions& options) {
  DecoderTraits traits;
  traits.norm_eps = 1e-6;
  traits.norm_offset = 1;
  traits.tied_head = true;
  return std::make_shared<Gemma>(sizes, traits, options);
}

}  // namespace assay::bench
