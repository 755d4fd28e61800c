#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <cmath>

#include "factories.hpp"
#include "layers.hpp"

namespace assay::bench {
namespace {

constexpr std::int64_t kChannels = 4;
constexpr std::int64_t kPatch = 2;
constexpr std::int64_t kFrequencies = 128;
constexpr double kNormEps = 1e-6;
constexpr double kSpaceScale = 0.5;

std::shared_ptr<Linear> linear(std::int64_t in, std::int64_t out, const at::TensorOptions& options) {
  return std::make_shared<Linear>(in, out, true, options);
}

/// [sin(p w), cos(p w)] for positions p, w_i = 10000^(-i / (width / 2)).
at::Tensor sinusoids(const at::Tensor& positions, std::int64_t width) {
  const auto exact = at::TensorOptions().dtype(at::kDouble);
  const at::Tensor omega = at::pow(10000.0, at::arange(width / 2, exact) / static_cast<double>(-(width / 2)));
  const at::Tensor angles = at::outer(positions, omega);
  return at::cat({angles.sin(), angles.cos()}, 1);
}

/// x (1 + scale) + shift
at::Tensor modulate(const at::Tensor& normed, const at::Tensor& shift, const at::Tensor& scale) {
  const at::Tensor factor = scale + 1;
  return normed * factor + shift;
}

/// Two linear layers with an activation between them.
class Mlp final : public torch::nn::Module {
 public:
  using Activation = at::Tensor (*)(const at::Tensor&);
  Mlp(std::int64_t in, std::int64_t inner, std::int64_t out, Activation activation, const at::TensorOptions& options)
      : activation_(activation) {
    fc1_ = register_module("fc1", linear(in, inner, options));
    fc2_ = register_module("fc2", linear(inner, out, options));
  }
  [[nodiscard]] at::Tensor forward(const at::Tensor& x) const { return fc2_->forward(activation_(fc1_->forward(x))); }

 private:
  Activation activation_;
  std::shared_ptr<Linear> fc1_, fc2_;
};

class SelfAttention final : public torch::nn::Module {
 public:
  SelfAttention(const Sizes& sizes, const at::TensorOptions& options) : heads_(sizes.heads), width_(sizes.head_size) {
    qkv_ = register_module("qkv", linear(sizes.hidden, 3 * sizes.hidden, options));
    proj_ = register_module("proj", linear(sizes.hidden, sizes.hidden, options));
  }
  [[nodiscard]] at::Tensor forward(const at::Tensor& x) const {
    const at::Tensor fused = qkv_->forward(x).view({x.size(0), x.size(1), 3, heads_, width_}).permute({2, 0, 3, 1, 4});
    const std::vector<at::Tensor> parts = fused.unbind(0);
    return proj_->forward(attention(parts[0], parts[1], parts[2]).transpose(1, 2).reshape(x.sizes()));
  }

 private:
  std::int64_t heads_, width_;
  std::shared_ptr<Linear> qkv_, proj_;
};

/// Attention of the video's tokens to the text's.
class CrossAttention final : public torch::nn::Module {
 public:
  CrossAttention(const Sizes& sizes, const at::TensorOptions& options) : heads_(sizes.heads), width_(sizes.head_size) {
    q_ = register_module("q_linear", linear(sizes.hidden, sizes.hidden, options));
    kv_ = register_module("kv_linear", linear(sizes.hidden, 2 * sizes.hidden, options));
    proj_ = register_module("proj", linear(sizes.hidden, sizes.hidden, options));
  }
  [[nodiscard]] at::Tensor forward(const at::Tensor& x, const at::Tensor& text) const {
    const at::Tensor q = q_->forward(x).view({x.size(0), x.size(1), heads_, width_}).transpose(1, 2);
    const at::Tensor fused = kv_->forward(text).view({text.size(0), text.size(1), 2, heads_, width_}).permute({2, 0, 3, 1, 4});
    const std::vector<at::Tensor> parts = fused.unbind(0);
    return proj_->forward(attention(q, parts[0], parts[1]).transpose(1, 2).reshape(x.sizes()));
  }

 private:
  std::int64_t heads_, width_;
  std::shared_ptr<Linear> q_, kv_, proj_;
};

/// Spatial, temporal and cross attention, then an MLP; shift, scale and gate come from the timestep.
class Block final : public torch::nn::Module {
 public:
  Block(const Sizes& sizes, const at::TensorOptions& options) {
    table_ = register_parameter("scale_shift_table", at::empty({6, sizes.hidden}, options));
    norm1_ = register_module("norm1", std::make_shared<LayerNorm>(sizes.hidden, kNormEps, false, options));
    attn_ = register_module("attn", std::make_shared<SelfAttention>(sizes, options));
    attn_temp_ = register_module("attn_temp", std::make_shared<SelfAttention>(sizes, options));
    cross_ = register_module("cross", std::make_shared<CrossAttention>(sizes, options));
    norm2_ = register_module("norm2", std::make_shared<LayerNorm>(sizes.hidden, kNormEps, false, options));
    mlp_ = register_module("mlp", std::make_shared<Mlp>(sizes.hidden, sizes.mlp, sizes.hidden, gelu_tanh, options));
  }

  /// x (B, T S, H); t6 (B, 6 H); temporal: position to add in the temporal branch, or undefined
  at::Tensor forward(at::Tensor x, const at::Tensor& text, const at::Tensor& t6, const at::Tensor& temporal, std::int64_t frames) {
    const std::int64_t batch = x.size(0), tokens = x.size(1) / frames, hidden = x.size(2);
    const std::vector<at::Tensor> m = (table_.unsqueeze(0) + t6.reshape({batch, 6, hidden})).chunk(6, 1);

    const at::Tensor spatial = modulate(norm1_->forward(x), m[0], m[1]).view({batch * frames, tokens, hidden});
    x = x + m[2] * attn_->forward(spatial).view({batch, frames * tokens, hidden});

    at::Tensor by_place = x.view({batch, frames, tokens, hidden}).transpose(1, 2).reshape({batch * tokens, frames, hidden});
    if (temporal.defined()) by_place = by_place + temporal;
    const at::Tensor over_time = attn_temp_->forward(by_place).view({batch, tokens, frames, hidden}).transpose(1, 2);
    x = x + m[2] * over_time.reshape({batch, frames * tokens, hidden});

    x = x + cross_->forward(x, text);
    return x + m[5] * mlp_->forward(modulate(norm2_->forward(x), m[3], m[4]));
  }

 private:
  at::Tensor table_;
  std::shared_ptr<LayerNorm> norm1_, norm2_;
  std::shared_ptr<SelfAttention> attn_, attn_temp_;
  std::shared_ptr<CrossAttention> cross_;
  std::shared_ptr<Mlp> mlp_;
};

/// Open-Sora 1.0's STDiT-XL/2: predicts the noise of a video latent. The loss is the mean square alone, without the variational
/// term, which has no matrix product.
class Stdit final : public Model {
 public:
  Stdit(const Sizes& sizes, const at::TensorOptions& options) : Model(sizes), options_(options) {
    x_embedder_ = register_module("x_embedder", std::make_shared<Embedder>(sizes, options));
    t_embedder_ = register_module("t_embedder", std::make_shared<Mlp>(2 * kFrequencies, sizes.hidden, sizes.hidden, silu, options));
    t_block_ = register_module("t_block", linear(sizes.hidden, 6 * sizes.hidden, options));
    y_embedder_ = register_module("y_embedder", std::make_shared<Mlp>(sizes.text, sizes.hidden, sizes.hidden, gelu_tanh, options));
    for (std::int64_t i = 0; i < sizes.depth; ++i) {
      blocks_.push_back(register_module("block" + std::to_string(i), std::make_shared<Block>(sizes, options)));
    }
    final_table_ = register_parameter("final_scale_shift_table", at::empty({2, sizes.hidden}, options));
    final_norm_ = register_module("final_norm", std::make_shared<LayerNorm>(sizes.hidden, kNormEps, false, options));
    final_linear_ = register_module("final_linear", linear(sizes.hidden, kPatch * kPatch * 2 * kChannels, options));
  }

  /// Noise and variance, (B, 8, T, h, w).
  at::Tensor output(const Batch& batch) override {
    const at::Tensor &latent = batch.tensors.at(0), &caption = batch.tensors.at(1), &dropped = batch.tensors.at(2);
    const at::Tensor& no_caption = batch.tensors.at(3);
    const std::int64_t size = latent.size(0), frames = latent.size(2), grid = latent.size(3) / kPatch, hidden = sizes().hidden;
    if (!space_.defined()) make_positions(grid, frames);

    const at::Tensor angles = timestep_angles(batch.tensors.at(4));
    at::Tensor x = x_embedder_->forward(latent).flatten(2).transpose(1, 2).view({size, frames, grid * grid, hidden});
    x = (x + space_).view({size, -1, hidden});
    const at::Tensor t = t_embedder_->forward(angles.to(options_.dtype()));
    const at::Tensor t6 = t_block_->forward(at::silu(t));
    const at::Tensor text = y_embedder_->forward(at::where(dropped.view({size, 1, 1}), no_caption, caption));

    for (std::size_t i = 0; i < blocks_.size(); ++i) x = blocks_[i]->forward(x, text, t6, i == 0 ? time_ : at::Tensor(), frames);

    const std::vector<at::Tensor> m = (final_table_.unsqueeze(0) + t.unsqueeze(1)).chunk(2, 1);
    const at::Tensor patches = final_linear_->forward(modulate(final_norm_->forward(x), m[0], m[1]));
    return patches.view({size, frames, grid, grid, 1, kPatch, kPatch, 2 * kChannels})
        .permute({0, 7, 1, 4, 2, 5, 3, 6})
        .reshape({size, 2 * kChannels, frames, grid * kPatch, grid * kPatch});
  }

  at::Tensor loss(const Batch& batch) override {
    const at::Tensor predicted = output(batch).split(kChannels, 1)[0];
    return at::mean(at::pow(wide(batch.tensors.at(5)) - wide(predicted), 2));
  }

  /// Latent, caption, which captions are dropped, what stands for them, timesteps, noise.
  [[nodiscard]] Batch make_batch(std::uint64_t seed) const override {
    const at::Generator generator = at::detail::createCPUGenerator(seed);
    const auto normal = [&](at::IntArrayRef shape) {
      return at::randn(shape, generator, at::TensorOptions()).to(options_.dtype());
    };
    const Sizes& s = sizes();
    const at::Tensor latent = normal({s.batch, kChannels, s.frames, s.image, s.image});
    const at::Tensor caption = normal({s.batch, s.sequence, s.text});
    const at::Tensor dropped = at::rand({s.batch}, generator, at::TensorOptions()).lt(0.1);
    const at::Tensor no_caption = normal({s.sequence, s.text});
    const at::Tensor timesteps = at::randint(0, 1000, {s.batch}, generator, at::TensorOptions().dtype(at::kLong));
    return {{latent, caption, dropped, no_caption, timesteps, normal(latent.sizes())}};
  }

  /// Xavier uniform; timestep, caption and modulation layers N(0, 0.02); tables N(0, 1) / sqrt(H). The three matrices that start at
  /// zero in the published model start at N(0, 0.02) here: with zeros no gradient would reach the blocks in the first step.
  void initialise(std::uint64_t seed) override {
    const at::NoGradGuard no_grad;
    const at::Generator generator = at::detail::createCPUGenerator(seed);
    const auto has = [](const std::string& name, const char* part) { return name.find(part) != std::string::npos; };
    for (const auto& item : named_parameters()) {
      const std::string& name = item.key();
      at::Tensor parameter = item.value();
      const bool small = has(name, "t_embedder") || has(name, "t_block") || has(name, "y_embedder") || has(name, "final_linear") ||
                         has(name, "attn_temp.proj") || has(name, "cross.proj");
      if (has(name, "table")) {
        parameter.normal_(0, 1 / std::sqrt(static_cast<double>(sizes().hidden)), generator);
      } else if (parameter.dim() == 1) {
        parameter.zero_();
      } else if (small) {
        parameter.normal_(0, 0.02, generator);
      } else {
        const double fans = double(parameter.size(0) + parameter.numel() / parameter.size(0));
        const double bound = std::sqrt(6 / fans);
        parameter.uniform_(-bound, bound, generator);
      }
    }
  }

 private:
  static at::Tensor silu(const at::Tensor& x) { return at::silu(x); }

  /// Patches of the latent, as a convolution whose stride is its size.
  class Embedder final : public torch::nn::Module {
   public:
    Embedder(const Sizes& sizes, const at::TensorOptions& options) {
      weight_ = register_parameter("weight", at::empty({sizes.hidden, kChannels, 1, kPatch, kPatch}, options));
      bias_ = register_parameter("bias", at::empty({sizes.hidden}, options));
    }
    [[nodiscard]] at::Tensor forward(const at::Tensor& latent) const {
      return at::conv3d(latent, weight_, bias_, at::IntArrayRef{1, kPatch, kPatch});
    }

   private:
    at::Tensor weight_, bias_;
  };

  /// [cos(t w), sin(t w)], w_i = 10000^(-i / 128)
  [[nodiscard]] at::Tensor timestep_angles(const at::Tensor& timesteps) const {
    const bool exact = options_.dtype() == at::kDouble;
    const auto type = at::TensorOptions().dtype(exact ? at::kDouble : at::kFloat);
    const at::Tensor omega = at::exp(at::arange(kFrequencies, type) * -std::log(10000.0) / static_cast<double>(kFrequencies));
    const at::Tensor angles = timesteps.to(type.dtype()).unsqueeze(1) * omega.unsqueeze(0);
    const at::Tensor cos = angles.cos();
    return at::cat({cos, angles.sin()}, -1);
  }

  /// The column's position in the first half of the channels, the row's in the second; the frame's.
  void make_positions(std::int64_t grid, std::int64_t frames) {
    const auto exact = at::TensorOptions().dtype(at::kDouble);
    const at::Tensor places = sinusoids(at::arange(grid, exact) / kSpaceScale, sizes().hidden / 2);
    const at::Tensor columns = places.unsqueeze(0).expand({grid, grid, -1});
    const at::Tensor rows = places.unsqueeze(1).expand({grid, grid, -1});
    space_ = at::cat({columns, rows}, -1).reshape({1, grid * grid, sizes().hidden}).to(options_.dtype());
    time_ = sinusoids(at::arange(frames, exact), sizes().hidden).unsqueeze(0).to(options_.dtype());
  }

  at::TensorOptions options_;
  std::shared_ptr<Embedder> x_embedder_;
  std::shared_ptr<Mlp> t_embedder_, y_embedder_;
  std::shared_ptr<Linear> t_block_, final_linear_;
  std::vector<std::shared_ptr<Block>> blocks_;
  at::Tensor final_table_;
  std::shared_ptr<LayerNorm> final_norm_;
  at::Tensor space_, time_;
};

}  // namespace

std::shared_ptr<Model> make_opensora_stdit_xl2(const Sizes& sizes, const at::TensorOptions& options) {
  return std::make_shared<Stdit>(sizes, options);
}

}  // namespace assay::bench
