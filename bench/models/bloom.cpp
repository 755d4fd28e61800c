#include <ATen/ATen.h>

#include <cmath>

#include "decoder.hpp"
#include "factories.hpp"

namespace assay::bench {
namespace {

/// GELU by its tanh formula in nine operators, as Bloom writes it.
at::Tensor written_out_gelu(const at::Tensor& x) {
  const at::Tensor half = x * 0.5;
  const at::Tensor linear = x * 0.79788456;
  const at::Tensor cubic = x * 0.044715 * x + 1;
  return half * (at::tanh(linear * cubic) + 1);
}

/// Bloom-7B1: layer norms with bias, linear biases to the distance instead of rotations, heads interleaved in one matrix, tied
/// head.
class Bloom final : public Model {
 public:
  Bloom(const Sizes& sizes, const at::TensorOptions& options) : Model(sizes), options_(options) {
    const auto norm = [&] { return std::make_shared<LayerNorm>(sizes.hidden, 1e-5, true, options); };
    const auto linear = [&](std::int64_t in, std::int64_t out) { return std::make_shared<Linear>(in, out, true, options); };
    emb_ = register_module("emb", std::make_shared<Embedding>(sizes.vocabulary, sizes.hidden, options));
    emb_norm_ = register_module("emb_norm", norm());
    norm1_ = register_module("norm1", norm());
    qkv_ = register_module("qkv", linear(sizes.hidden, 3 * sizes.hidden));
    o_ = register_module("o", linear(sizes.hidden, sizes.hidden));
    norm2_ = register_module("norm2", norm());
    up_ = register_module("up", linear(sizes.hidden, sizes.mlp));
    down_ = register_module("down", linear(sizes.mlp, sizes.hidden));
    norm_f_ = register_module("norm_f", norm());
  }

  at::Tensor output(const Batch& batch) override {
    at::Tensor x = emb_norm_->forward(emb_->forward(batch.tensors.at(0)));
    x = o_->forward(attend(norm1_->forward(x))) + x;
    x = down_->forward(written_out_gelu(up_->forward(norm2_->forward(x)))) + x;
    return at::linear(norm_f_->forward(x), emb_->weight);
  }

  at::Tensor loss(const Batch& batch) override { return next_token_loss(output(batch), batch.tensors.at(0)); }
  [[nodiscard]] Batch make_batch(std::uint64_t seed) const override { return random_ids(sizes(), seed); }
  void initialise(std::uint64_t seed) override { initialise_normal(*this, seed, 0.02, 1); }

 private:
  at::Tensor attend(const at::Tensor& x) {
    const std::int64_t batch = x.size(0), length = x.size(1), heads = sizes().heads, width = sizes().head_size;
    const at::Tensor fused = qkv_->forward(x).view({batch, length, heads, 3, width});
    const auto part = [&](std::int64_t i) { return fused.select(3, i).transpose(1, 2).reshape({batch * heads, length, width}); };
    const at::Tensor scores =
        at::baddbmm(alibi(batch, length, x), part(0), part(1).transpose(1, 2), 1, 1 / std::sqrt(static_cast<double>(width)));
    if (!mask_.defined()) mask_ = causal_mask(length, options_);
    const at::Tensor weights = at::softmax(wide(scores.view({batch, heads, length, length})) + mask_, -1).to(x.scalar_type());
    const at::Tensor context = at::bmm(weights.view({batch * heads, length, length}), part(2));
    return context.view({batch, heads, length, width}).permute({0, 2, 1, 3}).reshape({batch, length, heads * width});
  }

  /// (B n, 1, S): the slope of the head times the key's position.
  at::Tensor alibi(std::int64_t batch, std::int64_t length, const at::Tensor& like) {
    if (alibi_.defined()) return alibi_;
    const at::Tensor slopes = at::tensor(alibi_slopes(sizes().heads), at::TensorOptions().dtype(at::kDouble));
    const at::Tensor positions = at::arange(length, at::TensorOptions().dtype(at::kDouble));
    alibi_ = at::outer(slopes.repeat({batch}), positions).unsqueeze(1).to(like.scalar_type());
    return alibi_;
  }

  at::TensorOptions options_;
  std::shared_ptr<Embedding> emb_;
  std::shared_ptr<LayerNorm> emb_norm_, norm1_, norm2_, norm_f_;
  std::shared_ptr<Linear> qkv_, o_, up_, down_;
  at::Tensor alibi_, mask_;
};

}  // namespace

std::shared_ptr<Model> make_bloom(const Sizes& sizes, const at::TensorOptions& options) {
  return std::make_shared<Bloom>(sizes, options);
}

}  // namespace assay::bench
