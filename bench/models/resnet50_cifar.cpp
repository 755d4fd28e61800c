#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <cmath>

#include "factories.hpp"
#include "layers.hpp"

namespace assay::bench {
namespace {

class Conv final : public torch::nn::Module {
 public:
  Conv(std::int64_t in, std::int64_t out, std::int64_t size, std::int64_t stride, const at::TensorOptions& options)
      : stride_(stride), padding_(size / 2) {
    weight = register_parameter("weight", at::empty({out, in, size, size}, options));
  }

  [[nodiscard]] at::Tensor forward(const at::Tensor& x) const {
    return at::conv2d(x, weight, {}, at::IntArrayRef{stride_, stride_}, at::IntArrayRef{padding_, padding_});
  }

  at::Tensor weight;  ///< (out, in, size, size)

 private:
  std::int64_t stride_, padding_;
};

/// Batch norm in training mode, with its running statistics and its counter of batches.
class BatchNorm final : public torch::nn::Module {
 public:
  BatchNorm(std::int64_t channels, const at::TensorOptions& options) {
    weight = register_parameter("weight", at::empty({channels}, options));
    bias = register_parameter("bias", at::empty({channels}, options));
    running_mean_ = register_buffer("running_mean", at::zeros({channels}, options));
    running_var_ = register_buffer("running_var", at::ones({channels}, options));
    batches_ = register_buffer("num_batches_tracked", at::zeros({}, options.dtype(at::kLong)));
  }

  at::Tensor forward(const at::Tensor& x) {
    batches_.add_(1);
    return at::batch_norm(x, weight, bias, running_mean_, running_var_, /*training=*/true, 0.1, 1e-5, /*cudnn_enabled=*/false);
  }

  at::Tensor weight, bias;

 private:
  at::Tensor running_mean_, running_var_, batches_;
};

/// 1x1, 3x3 with the stride, 1x1 to four times the width; the shortcut is a convolution where the shape changes.
class Bottleneck final : public torch::nn::Module {
 public:
  Bottleneck(std::int64_t in, std::int64_t width, std::int64_t stride, bool changes_shape, const at::TensorOptions& options) {
    conv1_ = register_module("conv1", std::make_shared<Conv>(in, width, 1, 1, options));
    bn1_ = register_module("bn1", std::make_shared<BatchNorm>(width, options));
    conv2_ = register_module("conv2", std::make_shared<Conv>(width, width, 3, stride, options));
    bn2_ = register_module("bn2", std::make_shared<BatchNorm>(width, options));
    conv3_ = register_module("conv3", std::make_shared<Conv>(width, 4 * width, 1, 1, options));
    bn3_ = register_module("bn3", std::make_shared<BatchNorm>(4 * width, options));
    if (!changes_shape) return;
    shortcut_ = register_module("shortcut", std::make_shared<Conv>(in, 4 * width, 1, stride, options));
    shortcut_bn_ = register_module("shortcut_bn", std::make_shared<BatchNorm>(4 * width, options));
  }

  at::Tensor forward(const at::Tensor& x) {
    at::Tensor out = at::relu(bn1_->forward(conv1_->forward(x)));
    out = at::relu(bn2_->forward(conv2_->forward(out)));
    out = bn3_->forward(conv3_->forward(out));
    out.add_(shortcut_ ? shortcut_bn_->forward(shortcut_->forward(x)) : x);
    return at::relu(out);
  }

 private:
  std::shared_ptr<Conv> conv1_, conv2_, conv3_, shortcut_;
  std::shared_ptr<BatchNorm> bn1_, bn2_, bn3_, shortcut_bn_;
};

/// ResNet-50 for pictures of 32 x 32: a 3x3 stem of stride 1, no pooling after it, stages of 3, 4, 6 and 3 blocks.
class Resnet50Cifar final : public Model {
 public:
  Resnet50Cifar(const Sizes& sizes, const at::TensorOptions& options) : Model(sizes), options_(options) {
    std::int64_t width = sizes.hidden;
    std::int64_t in = width;
    stem_ = register_module("stem", std::make_shared<Conv>(3, width, 3, 1, options));
    stem_bn_ = register_module("stem_bn", std::make_shared<BatchNorm>(width, options));
    for (const int blocks : {3, 4, 6, 3}) {
      for (int i = 0; i < blocks; ++i) {
        const std::int64_t stride = i == 0 && width != sizes.hidden ? 2 : 1;
        blocks_.push_back(register_module("block" + std::to_string(blocks_.size()),
                                          std::make_shared<Bottleneck>(in, width, stride, i == 0, options)));
        in = 4 * width;
      }
      width *= 2;
    }
    fc_ = register_module("fc", std::make_shared<Linear>(in, sizes.vocabulary, true, options));
  }

  at::Tensor output(const Batch& batch) override {
    at::Tensor x = at::relu(stem_bn_->forward(stem_->forward(batch.tensors.at(0))));
    for (const auto& block : blocks_) x = block->forward(x);
    return fc_->forward(at::adaptive_avg_pool2d(x, {1, 1}).flatten(1));
  }

  at::Tensor loss(const Batch& batch) override { return at::cross_entropy_loss(wide(output(batch)), batch.tensors.at(1)); }

  [[nodiscard]] Batch make_batch(std::uint64_t seed) const override {
    const at::Generator generator = at::detail::createCPUGenerator(seed);
    const at::Tensor pictures = at::randn({sizes().batch, 3, sizes().image, sizes().image}, generator, at::TensorOptions());
    const at::Tensor labels = at::randint(0, sizes().vocabulary, {sizes().batch}, generator, at::TensorOptions().dtype(at::kLong));
    return {{pictures.to(options_.dtype()), labels}};
  }

  /// Kaiming normal over the fan out. The last batch norm of a block starts at 1, not at the published 0: with 0 no gradient would
  /// reach the block's convolutions in the first step.
  void initialise(std::uint64_t seed) override {
    const at::NoGradGuard no_grad;
    const at::Generator generator = at::detail::createCPUGenerator(seed);
    for (const auto& item : named_parameters()) {
      at::Tensor parameter = item.value();
      if (parameter.dim() == 4) {
        const double fan_out = double(parameter.size(0) * parameter.size(2) * parameter.size(3));
        parameter.normal_(0, std::sqrt(2 / fan_out), generator);
      } else if (parameter.dim() == 2) {
        parameter.normal_(0, 0.01, generator);
      } else {
        parameter.fill_(item.key().back() == 't' ? 1 : 0);  // "weight", "bias"
      }
    }
  }

 private:
  at::TensorOptions options_;
  std::shared_ptr<Conv> stem_;
  std::shared_ptr<BatchNorm> stem_bn_;
  std::vector<std::shared_ptr<Bottleneck>> blocks_;
  std::shared_ptr<Linear> fc_;
};

}  // namespace

std::shared_ptr<Model> make_resnet50_cifar(const Sizes& sizes, const at::TensorOptions& options) {
  return std::make_shared<Resnet50Cifar>(sizes, options);
}

}  // namespace assay::bench
