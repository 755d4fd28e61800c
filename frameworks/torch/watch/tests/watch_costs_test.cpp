// What the watch leaves alone: memory where nothing is selected, tensors of a device; and what the preheat learns.
#include <c10/core/Allocator.h>
#include <c10/core/TensorImpl.h>
#include <c10/core/impl/alloc_cpu.h>
#include <torch/torch.h>

#include <algorithm>
#include <atomic>

#include "watch_fixture.hpp"
#include "watched_models.hpp"

namespace assay::watch_test {

namespace {

using torch::Tensor;

/// LibTorch's memory, counted while this is there.
class CountedMemory {
 public:
  CountedMemory() : own_(c10::GetAllocator(c10::kCPU)) {
    peak = now = 0;
    c10::SetAllocator(c10::kCPU, &counting_, 100);
  }
  ~CountedMemory() { c10::SetAllocator(c10::kCPU, own_, 100); }
  CountedMemory(const CountedMemory&) = delete;
  CountedMemory& operator=(const CountedMemory&) = delete;

  static std::size_t take_peak() { return peak.exchange(now); }

 private:
  struct Block {
    std::size_t size;
    void* memory;
  };
  struct Counting final : c10::Allocator {
    c10::DataPtr allocate(std::size_t size) const override {
      auto* block = new Block{size, c10::alloc_cpu(size)};
      now += size;
      peak = std::max(peak.load(), now.load());
      return {block->memory, block, &release, c10::Device(c10::kCPU)};
    }
    static void release(void* context) {
      auto* block = static_cast<Block*>(context);
      now -= block->size;
      c10::free_cpu(block->memory);
      delete block;
    }
  };
  static inline std::atomic<std::size_t> now{0};
  static inline std::atomic<std::size_t> peak{0};
  Counting counting_;
  c10::Allocator* own_;
};

/// A device without memory of its own, whose tensors can only be counted.
Tensor on_a_device() {
  return at::detail::make_tensor<c10::TensorImpl>(c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
                                                  caffe2::TypeMeta::Make<float>(), c10::Device(c10::kPrivateUse1, 0));
}

std::atomic<int> device_calls{0};
Tensor abs_on_a_device(const Tensor&) {
  ++device_calls;
  return on_a_device();
}
TORCH_LIBRARY_IMPL(aten, PrivateUse1, library) { library.impl("abs", abs_on_a_device); }

class WatchCosts : public WatchTest {};

}  // namespace

TEST_F(WatchCosts, AWatchOfNothingTakesNoMemory) {
  const CountedMemory memory;
  const auto peak_of_training = [] {
    CountedMemory::take_peak();
    train_transformer(2, [] {});
    return CountedMemory::take_peak();
  };
  peak_of_training();
  const std::size_t plain = peak_of_training();
  start(R"({"budget": "none", "only": ["nothing"]})");
  const std::size_t watched = peak_of_training();
  EXPECT_EQ(numbers().checked, 0u);
  EXPECT_GT(numbers().operators, 100u);
  EXPECT_EQ(watched, plain);
}

TEST_F(WatchCosts, TensorsOfADeviceArePassedThroughUnreadAndCounted) {
  start(R"({"budget": "none", "rows": "all"})");
  device_calls = 0;
  const Tensor out = at::abs(on_a_device());
  assay_watch_step();
  assay_watch_stop();
  EXPECT_EQ(device_calls, 1);
  EXPECT_EQ(out.device().type(), c10::kPrivateUse1);
  EXPECT_TRUE(rows().empty());
  EXPECT_NE(read("summary.json").find("\"aten::abs: a tensor on a device\":1"), std::string::npos) << read("summary.json");
}

TEST_F(WatchCosts, PreheatingLearnsThresholdsAndThenJudgesByThem) {
  start(R"({"budget": "none", "rows": "all", "handler": "preheat", "stage": "forward", "preheat": {"steps": 4, "max_samples": 20},
            "perturbations": [{"component": "improve-precision"}], "only": ["Torch.exp", "Torch.mul"]})");
  torch::manual_seed(1);
  const Tensor x = (torch::rand({64, 64}) + 1).to(at::kBFloat16);
  for (int step = 0; step < 6; ++step) {
    torch::exp(x * x * 0.25);
    assay_watch_step();
  }
  assay_watch_stop();
  const std::string summary = read("summary.json");
  for (const char* api : {"Torch.exp", "Torch.mul"}) {
    EXPECT_NE(summary.find("{\"api\":\"" + std::string(api) + "\",\"dtype\":\"bfloat16\",\"threshold\":1."), std::string::npos)
        << summary;
  }
  std::map<std::string, std::set<double>> limits;
  for (auto& row : rows()) {
    EXPECT_EQ(row["verdict"], "pass") << row["message"];
    limits[row["step"]].insert(std::stod(row["limit"]));
  }
  ASSERT_EQ(limits.size(), 6u);
  // Nothing is known at first; each step of the preheat that finds everything consistent asks for more, later ones don't.
  EXPECT_NEAR(*limits["0"].rbegin(), 2.05, 1e-9);
  EXPECT_LT(*limits["4"].rbegin(), *limits["0"].rbegin());
  EXPECT_EQ(limits["4"], limits["5"]);
}

}  // namespace assay::watch_test
