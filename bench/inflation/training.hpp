// A model of the table in training: one step is zero_grad, forward, loss, backward, optimiser.
//
//   Training training(training_setup("LLaMA2-7B", {.scale = 8}));
//   training.run([] {});
#pragma once

#include <torch/optim/optimizer.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "model.hpp"

namespace assay::bench {

/// What the command line may say; 0 and nothing: as recommended.
struct TrainingOptions {
  std::int64_t scale = 8;
  std::int64_t batch = 0;
  std::int64_t sequence = 0;
};

struct TrainingSetup {
  std::string model;       ///< of make_model
  std::int64_t scale = 1;  ///< the one that the model allows
  Sizes sizes;
};

/// The published name as one of ours; empty: there is no such model.
std::string model_of(const std::string& published);

TrainingSetup training_setup(const std::string& published, const TrainingOptions& options);

class Training {
 public:
  /// type  of parameters and activations; norms, softmax and losses are in float32 at least
  Training(const TrainingSetup& setup, at::ScalarType type);

  /// One step on the batch; `before_optimiser` is called where forward and backward are over.
  void run(const std::function<void()>& before_optimiser);

 private:
  std::shared_ptr<Model> model_;
  std::unique_ptr<torch::optim::Optimizer> optimiser_;
  Batch batch_;
};

}  // namespace assay::bench
