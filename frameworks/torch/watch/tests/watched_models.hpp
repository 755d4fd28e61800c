// Small models to train under the watch, and what is left of a training run: losses, parameters, buffers, the next random numbers.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace assay::watch_test {

struct Training {
  std::vector<std::vector<double>> losses;  ///< one in each step
  std::vector<std::string> tensors;         ///< the bytes of every parameter, gradient and buffer
  std::vector<float> next_random;           ///< what the generator gives afterwards
};

bool same_bits(const Training& left, const Training& right);

/// Trains a fresh model with a fixed seed for some steps; calls `after_step` after each.
using Trainer = std::function<Training(int steps, const std::function<void()>& after_step)>;

Training train_transformer(int steps, const std::function<void()>& after_step);
Training train_resnet(int steps, const std::function<void()>& after_step);
Training train_lstm(int steps, const std::function<void()>& after_step);
Training train_in_place(int steps, const std::function<void()>& after_step);
Training train_autocast(int steps, const std::function<void()>& after_step);

}  // namespace assay::watch_test
