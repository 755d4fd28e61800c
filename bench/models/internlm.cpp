#include <ATen/ATen.h>

#include <limits>

#include "decoder.hpp"
#include "factories.hpp"

namespace assay::bench {
namespace {

/// InternLM-7B: biases on the four projections of attention, and masked scores kept at or above the lowest float32.
class InternLm final : public Decoder {
 public:
  using Decoder::Decoder;

 protected:
  at::Tensor masked(const at::Tensor& scores) override {
    const at::Tensor lowest = at::full({}, double(std::numeric_limits<float>::lowest()), scores.options().requires_grad(false));
    return at::max(Decoder::masked(scores), lowest);
  }
};

}  // namespace

std::shared_ptr<Model> make_internlm(const Sizes& sizes, const at::TensorOptions& options) {
  DecoderTraits traits;
  traits.norm_eps = 1e-6;
  traits.qkv_bias = true;
  traits.output_bias = true;
  return std::make_shared<InternLm>(sizes, traits, options);
}

}  // namespace assay::bench
