// A training job that knows nothing of the watch: it is preloaded into it.
#include <torch/torch.h>

#include <cstdio>

int main() {
  torch::manual_seed(1);
  torch::Tensor weight = torch::randn({8, 8}).set_requires_grad(true);
  const torch::Tensor x = torch::randn({4, 8});
  for (int step = 0; step < 3; ++step) {
    const torch::Tensor loss = torch::linear(x, weight).relu().square().mean();
    loss.backward();
    const torch::NoGradGuard no_grad;
    weight.sub_(weight.grad(), 0.1);
    weight.mutable_grad().zero_();
    std::printf("%.9g\n", loss.item<double>());
  }
  return 0;
}
