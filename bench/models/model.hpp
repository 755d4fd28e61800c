// What the benchmarked models have in common: parameters by name, a batch made from a seed, a loss.
//
//   auto model = make_model("llama2", scaled(full_sizes("llama2"), 8), at::kFloat);
//   model->initialise(42);
//   at::Tensor loss = model->loss(model->make_batch(7));
//   loss.backward();
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace assay::bench {

/// Sizes of a model; those that a model doesn't have stay 0.
struct Sizes {
  std::int64_t batch = 1;
  std::int64_t sequence = 0;  ///< tokens of a sample; of the text for STDiT
  std::int64_t hidden = 0;    ///< width of the residual stream; of the first stage for ResNet
  std::int64_t mlp = 0;
  std::int64_t heads = 0;
  std::int64_t head_size = 0;
  std::int64_t vocabulary = 0;  ///< classes for ResNet
  std::int64_t depth = 0;       ///< blocks of STDiT
  std::int64_t frames = 0;      ///< of a video latent
  std::int64_t image = 0;       ///< height and width of the picture or latent
  std::int64_t text = 0;        ///< width of the text's features
};

/// Inputs and labels of one step.
struct Batch {
  std::vector<at::Tensor> tensors;
};

class Model : public torch::nn::Module {
 public:
  explicit Model(Sizes sizes) : sizes_(sizes) {}

  /// The mean loss of a batch, a scalar with a graph behind it.
  virtual at::Tensor loss(const Batch& batch) = 0;
  /// What the loss of a batch was computed from: logits, or the predicted noise.
  virtual at::Tensor output(const Batch& batch) = 0;
  /// Inputs and labels that depend on the seed only.
  [[nodiscard]] virtual Batch make_batch(std::uint64_t seed) const = 0;
  /// Parameters as the published models start, but none at a zero that would silence gradients.
  virtual void initialise(std::uint64_t seed) = 0;

  [[nodiscard]] const Sizes& sizes() const { return sizes_; }

 private:
  Sizes sizes_;
};

/// llama2, aquila2, baichuan2, bloom, internlm, qwen, gemma, llama2_megatron, resnet50_cifar, opensora_stdit_xl2
const std::vector<std::string>& model_names();

/// The published model with one decoder layer. Throws std::invalid_argument for an unknown name.
Sizes full_sizes(const std::string& name);

/// Hidden, MLP and head size, vocabulary and sequence divided by `scale`; heads, depth and batch stay. Every large tensor of a
/// language model then shrinks by scale squared, so that the shares of memory stay those of the full model.
Sizes scaled(const std::string& name, const Sizes& full, std::int64_t scale);

/// A model without values in its parameters (uninitialised). dtype: that of the parameters; device meta: no memory at all.
std::shared_ptr<Model> make_model(const std::string& name, const Sizes& sizes, at::TensorOptions options);

}  // namespace assay::bench
