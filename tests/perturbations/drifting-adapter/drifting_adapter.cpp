// An adapter of a few operators on float32 tensors: "double" computes 2 x, "drift" adds how often it was called (an operator that
// isn't deterministic), "grow" returns one element more at each call. "crash" and "hang" end or hold their process.
#include <csignal>
#include <string>
#include <thread>

#include "assay/sdk/adapter.hpp"

namespace assay {
namespace {

class DriftingAdapter final : public Adapter {
 public:
  explicit DriftingAdapter(const Context&) { info_ = {"Drifting", "1.0", "a few operators", {{ASSAY_DEVICE_CPU, 0}}}; }

  const AdapterInfo& describe() override { return info_; }

  void require_support(const std::string& api, std::int32_t direction) override {
    const std::string name = api.substr(api.rfind('.') + 1);
    if (name != "double" && name != "drift" && name != "grow" && name != "crash" && name != "hang")
      throw Error(ASSAY_NOT_FOUND, "no operator '" + name + "'");
    if (direction != ASSAY_FORWARD) throw Error(ASSAY_UNSUPPORTED, "no gradients");
  }

  Results invoke(const assay_call& call) override {
    require_support(call.api, call.direction);
    if (call.arg_count != 1 || call.args[0].kind != ASSAY_VALUE_TENSOR || call.args[0].as.tensor->dl.dtype != kFloat32) {
      throw Error(ASSAY_INVALID_ARGUMENT, "expected one float32 tensor");
    }
    const std::string name = std::string(call.api).substr(std::string(call.api).rfind('.') + 1);
    if (name == "crash") std::raise(SIGSEGV);
    while (name == "hang") std::this_thread::sleep_for(std::chrono::seconds(1));
    ++calls_;
    const TensorView input(*call.args[0].as.tensor);
    const bool grows = name == "grow";
    const double added = name == "drift" ? calls_ : 0;
    Tensor output = Tensor::allocate(kFloat32, grows ? std::vector<std::int64_t>{calls_} : input.shape());
    if (grows) {
      for (std::int64_t i = 0; i < calls_; ++i) output.data_as<float>()[i] = 0;
    } else {
      input.for_each_offset([&](std::int64_t index, std::int64_t offset) {
        output.data_as<float>()[index] = static_cast<float>(2 * input.number_at(offset) + added);
      });
    }
    Results results;
    results.outputs.emplace_back(std::move(output));
    return results;
  }

 private:
  AdapterInfo info_;
  int calls_ = 0;
};

}  // namespace
}  // namespace assay

ASSAY_EXPORT_PLUGIN("example.drifting", "0.1.0",
                    ASSAY_COMPONENT(assay::DriftingAdapter, "example.drifting", "0.1.0", "a few operators that don't behave",
                                    R"({"type": "object", "additionalProperties": false})"))
