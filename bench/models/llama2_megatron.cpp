#include <ATen/ATen.h>

#include <cmath>
#include <optional>

#include "decoder.hpp"
#include "factories.hpp"

namespace assay::bench {
namespace {

/// LLaMA2-7B as Megatron arranges it: sequence before batch, five matmuls for all projections (queries, keys and values of a head
/// adjacent; gate and up in one matrix), scores by baddbmm, a mask written in place, labels shifted by the caller.
class Llama2Megatron final : public Model {
 public:
  Llama2Megatron(const Sizes& sizes, const at::TensorOptions& options) : Model(sizes), options_(options) {
    const std::int64_t inner = sizes.heads * sizes.head_size;
    const auto norm = [&] { return std::make_shared<RmsNorm>(sizes.hidden, 1e-5, 0, options); };
    const auto matrix = [&](std::int64_t in, std::int64_t out) { return std::make_shared<Linear>(in, out, false, options); };
    emb_ = register_module("emb", std::make_shared<Embedding>(sizes.vocabulary, sizes.hidden, options));
    norm1_ = register_module("norm1", norm());
    qkv_ = register_module("qkv", matrix(sizes.hidden, 3 * inner));
    o_ = register_module("o", matrix(inner, sizes.hidden));
    norm2_ = register_module("norm2", norm());
    gate_up_ = register_module("gate_up", matrix(sizes.hidden, 2 * sizes.mlp));
    down_ = register_module("down", matrix(sizes.mlp, sizes.hidden));
    norm_f_ = register_module("norm_f", norm());
    head_ = register_module("head", matrix(sizes.hidden, sizes.vocabulary));
  }

  /// (S, B, V)
  at::Tensor output(const Batch& batch) override {
    at::Tensor x = emb_->forward(batch.tensors.at(0)).transpose(0, 1).contiguous();
    x = x + at::matmul(attend(norm1_->forward(x)), o_->weight.t());
    const std::vector<at::Tensor> halves = at::matmul(norm2_->forward(x), gate_up_->weight.t()).chunk(2, -1);
    x = x + at::matmul(at::silu(halves[0]) * halves[1], down_->weight.t());
    return at::matmul(norm_f_->forward(x), head_->weight.t());
  }

  at::Tensor loss(const Batch& batch) override {
    const at::Tensor logits = output(batch);
    return at::cross_entropy_loss(wide(logits).view({-1, sizes().vocabulary}), batch.tensors.at(1).transpose(0, 1).reshape({-1}));
  }

  /// Ids, and the ids that follow them.
  [[nodiscard]] Batch make_batch(std::uint64_t seed) const override {
    Sizes longer = sizes();
    longer.sequence += 1;
    const at::Tensor ids = random_ids(longer, seed).tensors[0];
    return {{ids.narrow(1, 0, sizes().sequence).contiguous(), ids.narrow(1, 1, sizes().sequence).contiguous()}};
  }

  void initialise(std::uint64_t seed) override { initialise_normal(*this, seed, 0.02, 1); }

 private:
  at::Tensor attend(const at::Tensor& x) {
    const std::int64_t length = x.size(0), batch = x.size(1), heads = sizes().heads, width = sizes().head_size;
    if (!rotary_) rotary_.emplace(length, width, options_);
    const at::Tensor fused = at::matmul(x, qkv_->weight.t()).view({length, batch, heads, 3 * width});
    const std::vector<at::Tensor> parts = fused.split(width, -1);
    const auto rows = [&](const at::Tensor& part) { return part.reshape({length, batch * heads, width}).transpose(0, 1); };
    const at::Tensor q = rotary_->forward(parts[0], 2);
    const at::Tensor k = rotary_->forward(parts[1], 2);
    const at::Tensor buffer = at::empty({batch * heads, length, length}, q.options().requires_grad(false));
    const at::Tensor scores = at::baddbmm(buffer, rows(q), rows(k).transpose(1, 2), 0, 1 / std::sqrt(static_cast<double>(width)));
    if (!hidden_.defined()) hidden_ = causal_mask(length, options_).ne(0);
    const at::Tensor masked = wide(scores.view({batch, heads, length, length})).masked_fill_(hidden_, -10000.0);
    const at::Tensor weights = at::softmax(masked, -1).to(x.scalar_type());
    const at::Tensor context = at::bmm(weights.view({batch * heads, length, length}), rows(parts[2]));
    return context.view({batch, heads, length, width}).permute({2, 0, 1, 3}).contiguous().view({length, batch, heads * width});
  }

  at::TensorOptions options_;
  std::shared_ptr<Embedding> emb_;
  std::shared_ptr<RmsNorm> norm1_, norm2_, norm_f_;
  std::shared_ptr<Linear> qkv_, o_, gate_up_, down_, head_;
  std::optional<Rotary> rotary_;
  at::Tensor hidden_;
};

}  // namespace

std::shared_ptr<Model> make_llama2_megatron(const Sizes& sizes, const at::TensorOptions& options) {
  return std::make_shared<Llama2Megatron>(sizes, options);
}

}  // namespace assay::bench
