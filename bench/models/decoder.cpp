#include "decoder.hpp"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <cmath>

namespace assay::bench {

Decoder::Decoder(const Sizes& sizes, const DecoderTraits& traits, const at::TensorOptions& options)
    : Model(sizes), traits_(traits), options_(options) {
  const std::int64_t inner = sizes.heads * sizes.head_size;
  const auto norm = [&] { return std::make_shared<RmsNorm>(sizes.hidden, traits.norm_eps, traits.norm_offset, options); };
  emb_ = register_module("emb", std::make_shared<Embedding>(sizes.vocabulary, sizes.hidden, options));
  norm1_ = register_module("norm1", norm());
  if (traits.fused_qkv) {
    qkv_ = register_module("qkv", std::make_shared<Linear>(sizes.hidden, 3 * inner, traits.qkv_bias, options));
  } else {
    q_ = register_module("q", std::make_shared<Linear>(sizes.hidden, inner, traits.qkv_bias, options));
    k_ = register_module("k", std::make_shared<Linear>(sizes.hidden, inner, traits.qkv_bias, options));
    v_ = register_module("v", std::make_shared<Linear>(sizes.hidden, inner, traits.qkv_bias, options));
  }
  o_ = register_module("o", std::make_shared<Linear>(inner, sizes.hidden, traits.output_bias, options));
  norm2_ = register_module("norm2", norm());
  gate_ = register_module("gate", std::make_shared<Linear>(sizes.hidden, sizes.mlp, false, options));
  up_ = register_module("up", std::make_shared<Linear>(sizes.hidden, sizes.mlp, false, options));
  down_ = register_module("down", std::make_shared<Linear>(sizes.mlp, sizes.hidden, false, options));
  norm_f_ = register_module("norm_f", norm());
  if (traits.plain_head && !traits.tied_head) {
    head_ = register_module("head", std::make_shared<Linear>(sizes.hidden, sizes.vocabulary, false, options));
  }
}

at::Tensor Decoder::embed(const at::Tensor& ids) const { return emb_->forward(ids); }

at::Tensor Decoder::split_heads(const at::Tensor& x) const {
  return x.view({x.size(0), x.size(1), sizes().heads, sizes().head_size}).transpose(1, 2);
}

Heads Decoder::project(const at::Tensor& x) const {
  if (!traits_.fused_qkv) return {split_heads(q_->forward(x)), split_heads(k_->forward(x)), split_heads(v_->forward(x))};
  const std::vector<at::Tensor> parts = qkv_->forward(x).chunk(3, -1);
  return {split_heads(parts[0]), split_heads(parts[1]), split_heads(parts[2])};
}

at::Tensor Decoder::mask(std::int64_t length) {
  if (!mask_.defined()) mask_ = causal_mask(length, options_);
  return mask_;
}

at::Tensor Decoder::masked(const at::Tensor& scores) { return scores + mask(scores.size(-1)); }

at::Tensor Decoder::mlp(const at::Tensor& x) const {
  const at::Tensor gated = at::silu(gate_->forward(x));
  return down_->forward(gated * up_->forward(x));
}

at::Tensor Decoder::head(const at::Tensor& x) const { return traits_.tied_head ? at::linear(x, emb_->weight) : head_->forward(x); }

at::Tensor Decoder::output(const Batch& batch) {
  const at::Tensor& ids = batch.tensors.at(0);
  at::Tensor x = embed(ids);
  if (!rotary_) rotary_.emplace(ids.size(1), sizes().head_size, options_);

  Heads heads = project(norm1_->forward(x));
  heads.q = rotary_->forward(heads.q);
  heads.k = rotary_->forward(heads.k);
  const at::Tensor scores = at::matmul(heads.q, heads.k.transpose(-2, -1)) / std::sqrt(static_cast<double>(sizes().head_size));
  const at::Tensor weights = at::softmax(masked(wide(scores)), -1).to(x.scalar_type());
  const at::Tensor context = at::matmul(weights, heads.v);
  x = x + o_->forward(context.transpose(1, 2).reshape({ids.size(0), ids.size(1), -1}));
  x = x + mlp(norm2_->forward(x));
  return head(norm_f_->forward(x));
}

at::Tensor Decoder::loss(const Batch& batch) { return next_token_loss(output(batch), batch.tensors.at(0)); }

Batch Decoder::make_batch(std::uint64_t seed) const { return random_ids(sizes(), seed); }

void Decoder::initialise(std::uint64_t seed) { initialise_normal(*this, seed, 0.02, 1 - traits_.norm_offset); }

void initialise_normal(torch::nn::Module& module, std::uint64_t seed, double deviation, double norm_weight) {
  const at::NoGradGuard no_grad;
  const at::Generator generator = at::detail::createCPUGenerator(seed);
  for (const auto& item : module.named_parameters()) {
    at::Tensor parameter = item.value();
    if (parameter.dim() > 1) {
      parameter.normal_(0, deviation, generator);
    } else {
      const bool is_bias = item.key().size() > 4 && item.key().compare(item.key().size() - 4, 4, "bias") == 0;
      parameter.fill_(is_bias ? 0 : norm_weight);
    }
  }
}

Batch random_ids(const Sizes& sizes, std::uint64_t seed) {
  const at::Generator generator = at::detail::createCPUGenerator(seed);
  return {{at::randint(0, sizes.vocabulary, {sizes.batch, sizes.sequence}, generator, at::TensorOptions().dtype(at::kLong))}};
}

}  // namespace assay::bench
