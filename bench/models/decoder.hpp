// One pre-norm decoder layer between an embedding and a head: the frame that the LLaMA-like models share.
//
//   x = embed(ids);  x += o(attend(norm1(x)));  x += mlp(norm2(x));  logits = head(norm_f(x))
#pragma once

#include <optional>

#include "layers.hpp"
#include "model.hpp"

namespace assay::bench {

/// Queries, keys and values, each (B, heads, S, head size).
struct Heads {
  at::Tensor q, k, v;
};

/// What differs between the members of the family in numbers.
struct DecoderTraits {
  double norm_eps = 1e-5;
  double norm_offset = 0;  ///< 1: the norm's weight is 1 + w
  bool fused_qkv = false;  ///< one matrix for queries, keys and values
  bool qkv_bias = false;
  bool output_bias = false;
  bool tied_head = false;
  bool plain_head = true;  ///< a linear layer; else the model brings its own
};

class Decoder : public Model {
 public:
  Decoder(const Sizes& sizes, const DecoderTraits& traits, const at::TensorOptions& options);

  at::Tensor output(const Batch& batch) override;
  at::Tensor loss(const Batch& batch) override;
  [[nodiscard]] Batch make_batch(std::uint64_t seed) const override;
  void initialise(std::uint64_t seed) override;

 protected:
  [[nodiscard]] virtual at::Tensor embed(const at::Tensor& ids) const;
  [[nodiscard]] virtual Heads project(const at::Tensor& x) const;
  [[nodiscard]] virtual at::Tensor masked(const at::Tensor& scores);
  [[nodiscard]] virtual at::Tensor mlp(const at::Tensor& x) const;
  [[nodiscard]] virtual at::Tensor head(const at::Tensor& x) const;

  /// (B, S, n D) to (B, n, S, D)
  [[nodiscard]] at::Tensor split_heads(const at::Tensor& x) const;
  [[nodiscard]] at::Tensor mask(std::int64_t length);

  std::shared_ptr<Embedding> emb_;
  std::shared_ptr<RmsNorm> norm1_, norm2_, norm_f_;
  std::shared_ptr<Linear> q_, k_, v_, qkv_, o_, gate_, up_, down_, head_;

 private:
  DecoderTraits traits_;
  at::TensorOptions options_;
  std::optional<Rotary> rotary_;
  at::Tensor mask_;
};

/// Fills every parameter of two or more dimensions from N(0, deviation), biases with 0 and norm weights with `norm_weight`.
void initialise_normal(torch::nn::Module& module, std::uint64_t seed, double deviation, double norm_weight);

/// Token ids (B, S), uniform over the vocabulary.
Batch random_ids(const Sizes& sizes, std::uint64_t seed);

}  // namespace assay::bench
