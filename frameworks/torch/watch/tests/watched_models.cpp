#include "watched_models.hpp"

#include <ATen/autocast_mode.h>
#include <torch/torch.h>

namespace assay::watch_test {

namespace {

namespace nn = torch::nn;
using torch::Tensor;

std::string bytes_of(const Tensor& tensor) {
  if (!tensor.defined()) return "none";
  const Tensor plain = tensor.detach().contiguous();
  return std::string(static_cast<const char*>(plain.data_ptr()),
                     static_cast<std::size_t>(plain.numel()) * static_cast<std::size_t>(plain.element_size()));
}

/// Trains with momentum; `loss_of` builds the step's loss.
Training train(const std::shared_ptr<nn::Module>& model, int steps, const std::function<void()>& after_step,
               const std::function<Tensor()>& loss_of) {
  Training out;
  torch::optim::SGD optimizer(model->parameters(), torch::optim::SGDOptions(0.05).momentum(0.9));
  for (int step = 0; step < steps; ++step) {
    optimizer.zero_grad();
    const Tensor loss = loss_of();
    loss.backward();
    out.losses.push_back({loss.item<double>()});
    optimizer.step();
    after_step();
  }
  for (const Tensor& parameter : model->parameters()) {
    out.tensors.push_back(bytes_of(parameter));
    out.tensors.push_back(bytes_of(parameter.grad()));
  }
  for (const Tensor& buffer : model->buffers()) out.tensors.push_back(bytes_of(buffer));
  const Tensor next = torch::randn({8});
  for (int i = 0; i < 8; ++i) out.next_random.push_back(next[i].item<float>());
  return out;
}

struct TransformerImpl : nn::Module {
  TransformerImpl() {
    embed = register_module("embed", nn::Embedding(50, 32));
    layer = register_module(
        "layer", nn::TransformerEncoderLayer(nn::TransformerEncoderLayerOptions(32, 4).dim_feedforward(64).dropout(0.1)));
    head = register_module("head", nn::Linear(32, 50));
  }
  Tensor forward(const Tensor& tokens) { return head(layer(embed(tokens))); }
  nn::Embedding embed{nullptr};
  nn::TransformerEncoderLayer layer{nullptr};
  nn::Linear head{nullptr};
};

struct ResidualImpl : nn::Module {
  explicit ResidualImpl(int width) {
    first = register_module("first", nn::Conv2d(nn::Conv2dOptions(width, width, 3).padding(1).bias(false)));
    norm = register_module("norm", nn::BatchNorm2d(width));
    second = register_module("second", nn::Conv2d(nn::Conv2dOptions(width, width, 3).padding(1).bias(false)));
    norm2 = register_module("norm2", nn::BatchNorm2d(width));
  }
  Tensor forward(const Tensor& x) { return torch::relu_(norm2(second(torch::relu(norm(first(x))))).add_(x)); }
  nn::Conv2d first{nullptr}, second{nullptr};
  nn::BatchNorm2d norm{nullptr}, norm2{nullptr};
};
TORCH_MODULE(Residual);

}  // namespace

bool same_bits(const Training& left, const Training& right) {
  return left.losses == right.losses && left.tensors == right.tensors && left.next_random == right.next_random;
}

Training train_transformer(int steps, const std::function<void()>& after_step) {
  torch::manual_seed(3);
  const auto model = std::make_shared<TransformerImpl>();
  const Tensor tokens = torch::randint(50, {12, 4});
  return train(model, steps, after_step,
               [&] { return nn::functional::cross_entropy(model->forward(tokens).flatten(0, 1), tokens.roll(1, 0).flatten()); });
}

Training train_resnet(int steps, const std::function<void()>& after_step) {
  torch::manual_seed(4);
  const nn::Sequential model(nn::Conv2d(nn::Conv2dOptions(3, 8, 3).padding(1)), nn::BatchNorm2d(8), nn::ReLU(nn::ReLUOptions(true)),
                             Residual(8), nn::MaxPool2d(2), Residual(8), nn::AdaptiveAvgPool2d(1), nn::Flatten(), nn::Linear(8, 5));
  const Tensor images = torch::randn({6, 3, 12, 12});
  const Tensor classes = torch::randint(5, {6});
  return train(model.ptr(), steps, after_step,
               [&] { return nn::functional::cross_entropy(nn::Sequential(model)->forward(images), classes); });
}

Training train_lstm(int steps, const std::function<void()>& after_step) {
  torch::manual_seed(5);
  const nn::LSTM model(nn::LSTMOptions(10, 12).num_layers(2).dropout(0.2));
  const Tensor input = torch::randn({7, 3, 10});
  return train(model.ptr(), steps, after_step, [&] { return std::get<0>(nn::LSTM(model)->forward(input)).square().mean(); });
}

Training train_in_place(int steps, const std::function<void()>& after_step) {
  torch::manual_seed(6);
  const nn::Linear model(16, 16);
  const Tensor input = torch::randn({8, 16});
  return train(model.ptr(), steps, after_step, [&] {
    Tensor x = nn::Linear(model)->forward(input);
    Tensor left = x.narrow(1, 0, 8);
    left.mul_(1.5);
    x.t().add_(x.t());
    x.sigmoid_();
    Tensor noise = torch::empty_like(x).uniform_();
    x = x + noise.expand({8, 16});
    Tensor out = torch::zeros({16, 8});
    {
      torch::NoGradGuard guard;
      at::mul_out(out, input.t(), input.t());
      out.log1p_();
    }
    return (torch::dropout(x, 0.3, true) * out.t()).square().mean();
  });
}

Training train_autocast(int steps, const std::function<void()>& after_step) {
  torch::manual_seed(7);
  const nn::Sequential model(nn::Linear(16, 32), nn::Tanh(), nn::GELU(), nn::Dropout(0.1), nn::Linear(32, 4));
  const Tensor input = torch::randn({8, 16});
  const Tensor classes = torch::randint(4, {8});
  return train(model.ptr(), steps, after_step, [&] {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
    at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
    at::autocast::set_autocast_enabled(at::kCPU, true);
#else
    at::autocast::set_autocast_cpu_dtype(at::kBFloat16);
    at::autocast::set_cpu_enabled(true);
#endif
    at::autocast::increment_nesting();
    const Tensor scores = nn::Sequential(model)->forward(input);
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
    at::autocast::set_autocast_enabled(at::kCPU, false);
#else
    at::autocast::set_cpu_enabled(false);
#endif
    return nn::functional::cross_entropy(scores.to(at::kFloat), classes);
  });
}

}  // namespace assay::watch_test
