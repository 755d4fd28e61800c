// That the models learn, and that no parameter's gradient is silent in the first step.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/optim/adamw.h>
#include <torch/optim/sgd.h>

#include "tiny_models.hpp"

namespace assay::bench {
namespace {

class ModelTraining : public ::testing::TestWithParam<std::string> {};

std::unique_ptr<torch::optim::Optimizer> optimizer_of(const std::string& name, Model& model) {
  if (name == "resnet50_cifar") {
    return std::make_unique<torch::optim::SGD>(model.parameters(), torch::optim::SGDOptions(0.05).momentum(0.9));
  }
  return std::make_unique<torch::optim::AdamW>(model.parameters(), torch::optim::AdamWOptions(1e-3));
}

TEST_P(ModelTraining, ReachesEveryParameterAndLowersTheLoss) {
  const auto model = make_model(GetParam(), tiny_sizes(GetParam()), at::TensorOptions().dtype(at::kFloat));
  model->initialise(1);
  const Batch batch = model->make_batch(2);
  const auto optimizer = optimizer_of(GetParam(), *model);
  double first = 0;
  double last = 0;
  for (int step = 0; step < 20; ++step) {
    optimizer->zero_grad();
    const at::Tensor loss = model->loss(batch);
    loss.backward();
    if (step == 0) {
      first = loss.item<double>();
      for (const auto& item : model->named_parameters()) {
        ASSERT_TRUE(item.value().grad().defined()) << item.key();
        EXPECT_GT(item.value().grad().abs().max().item<double>(), 0) << item.key();
      }
    }
    optimizer->step();
    last = loss.item<double>();
  }
  EXPECT_LT(last, first - 0.01 * std::abs(first));
}

INSTANTIATE_TEST_SUITE_P(Every, ModelTraining, ::testing::ValuesIn(model_names()), [](const auto& item) { return item.param; });

}  // namespace
}  // namespace assay::bench
