#include "training.hpp"

#include <torch/optim/adamw.h>
#include <torch/optim/sgd.h>

#include <algorithm>
#include <map>

namespace assay::bench {

std::string model_of(const std::string& published) {
  // LLaMA2 as Megatron arranges it: only there "matmul" means the five products of the published rows.
  static const std::map<std::string, std::string> kModels = {{"LLaMA2-7B", "llama2_megatron"},
                                                             {"Aquila2-7B", "aquila2"},
                                                             {"Baichuan2-7B", "baichuan2"},
                                                             {"Bloom-7B", "bloom"},
                                                             {"InternLM-7B", "internlm"},
                                                             {"Qwen-7B", "qwen"},
                                                             {"Gemma-7B", "gemma"},
                                                             {"ResNet50-Cifar", "resnet50_cifar"},
                                                             {"OpenSora1.0", "opensora_stdit_xl2"}};
  const auto found = kModels.find(published);
  return found != kModels.end() ? found->second : "";
}

TrainingSetup training_setup(const std::string& published, const TrainingOptions& options) {
  TrainingSetup setup;
  setup.model = model_of(published);
  setup.scale = options.scale;
  const Sizes full = full_sizes(setup.model);
  if (setup.model == "resnet50_cifar") {
    // Its pictures stay as they are, so that half the width is already as light as the language models at a scale of 8.
    setup.scale = std::max<std::int64_t>(1, options.scale / 4);
    setup.sizes = scaled(setup.model, full, setup.scale);
    setup.sizes.batch = std::max<std::int64_t>(2, 128 / options.scale);
  } else {
    if (setup.model == "opensora_stdit_xl2") {
      // Heads of a whole width only.
      while (full.head_size % setup.scale != 0) --setup.scale;
    }
    setup.sizes = scaled(setup.model, full, setup.scale);
    // Latents are cut into patches of two by two.
    setup.sizes.image -= setup.sizes.image % 2;
  }
  if (options.batch > 0) setup.sizes.batch = options.batch;
  if (options.sequence > 0 && setup.sizes.sequence > 0) setup.sizes.sequence = options.sequence;
  return setup;
}

Training::Training(const TrainingSetup& setup, at::ScalarType type)
    : model_(make_model(setup.model, setup.sizes, at::TensorOptions().dtype(type))) {
  model_->initialise(1);
  batch_ = model_->make_batch(2);
  if (setup.model == "resnet50_cifar") {
    const auto options = torch::optim::SGDOptions(0.1 * double(setup.sizes.batch) / 128).momentum(0.9).weight_decay(1e-4);
    optimiser_ = std::make_unique<torch::optim::SGD>(model_->parameters(), options);
  } else {
    const auto options = torch::optim::AdamWOptions(1e-4).betas({0.9, 0.95}).eps(1e-8).weight_decay(0.1);
    optimiser_ = std::make_unique<torch::optim::AdamW>(model_->parameters(), options);
  }
}

void Training::run(const std::function<void()>& before_optimiser) {
  optimiser_->zero_grad();
  model_->loss(batch_).backward();
  before_optimiser();
  optimiser_->step();
}

}  // namespace assay::bench
