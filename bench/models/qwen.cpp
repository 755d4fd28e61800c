#include <ATen/ATen.h>

#include <limits>

#include "decoder.hpp"
#include "factories.hpp"

namespace assay::bench {
namespace {

/// Qwen-7B, first version: fused projection with bias, a mask that chooses instead of adding, `up` before `gate`.
class Qwen final : public Decoder {
 public:
  using Decoder::Decoder;

 protected:
  at::Tensor masked(const at::Tensor& scores) override {
    if (!visible_.defined()) visible_ = mask(scores.size(-1)).eq(0);
    const at::Tensor lowest = at::full({}, double(std::numeric_limits<float>::lowest()), scores.options().requires_grad(false));
    return at::where(visible_, scores, lowest);
  }

  [[nodiscard]] at::Tensor mlp(const at::Tensor& x) const override {
    const at::Tensor wide_part = up_->forward(x);
    return down_->forward(wide_part * at::silu(gate_->forward(x)));
  }

 private:
  at::Tensor visible_;
};

}  // namespace

std::shared_ptr<Model> make_qwen(const Sizes& sizes, const at::TensorOptions& options) {
  DecoderTraits traits;
  traits.norm_eps = 1e-6;
  traits.fused_qkv = true;
  traits.qkv_bias = true;
  return std::make_shared<Qwen>(sizes, traits, options);
}

}  // namespace assay::bench
