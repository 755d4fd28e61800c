#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <cmath>

#include "decoder.hpp"
#include "factories.hpp"

namespace assay::bench {
namespace {

/// A head whose rows are divided by their norms at every step; the gradient flows through the division.
class NormHead final : public torch::nn::Module {
 public:
  NormHead(std::int64_t in, std::int64_t out, const at::TensorOptions& options) {
    weight = register_parameter("weight", at::empty({out, in}, options));
  }

  [[nodiscard]] at::Tensor forward(const at::Tensor& x) const {
    const at::Tensor norms = at::norm(weight, 2, {1}, /*keepdim=*/true).clamp_min(1e-12);
    return at::linear(x, weight / norms.expand_as(weight));
  }

  at::Tensor weight;
};

/// Baichuan2-7B: fused projection, normalised head, and the z-loss, which is computed although its published weight is 0.
class Baichuan2 final : public Decoder {
 public:
  Baichuan2(const Sizes& sizes, const DecoderTraits& traits, const at::TensorOptions& options)
      : Decoder(sizes, traits, options),
        norm_head_(register_module("head", std::make_shared<NormHead>(sizes.hidden, sizes.vocabulary, options))) {}

  at::Tensor loss(const Batch& batch) override {
    const at::Tensor& ids = batch.tensors.at(0);
    const at::Tensor logits = wide(output(batch)).narrow(1, 0, ids.size(1) - 1).reshape({-1, sizes().vocabulary});
    const at::Tensor z_loss = at::mean(at::pow(std::get<0>(at::max(logits, -1)), 2)) * kZLossWeight;
    return at::cross_entropy_loss(logits, ids.narrow(1, 1, ids.size(1) - 1).reshape({-1})) + z_loss;
  }

  void initialise(std::uint64_t seed) override {
    Decoder::initialise(seed);
    const at::NoGradGuard no_grad;
    const double bound = 1 / std::sqrt(static_cast<double>(sizes().hidden));
    norm_head_->weight.uniform_(-bound, bound, at::detail::createCPUGenerator(seed + 1));
  }

 protected:
  [[nodiscard]] at::Tensor head(const at::Tensor& x) const override { return norm_head_->forward(x); }

 private:
  static constexpr double kZLossWeight = 0;

  std::shared_ptr<NormHead> norm_head_;
};

}  // namespace

std::shared_ptr<Model> make_baichuan2(const Sizes& sizes, const at::TensorOptions& options) {
  DecoderTraits traits;
  traits.norm_eps = 1e-6;
  traits.fused_qkv = true;
  traits.plain_head = false;
  return std::make_shared<Baichuan2>(sizes, traits, options);
}

}  // namespace assay::bench
