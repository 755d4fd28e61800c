// Calls the torch adapter through the plugin boundary, as the host does.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/abi/adapter.h"
#include "assay/sdk/value.hpp"
#include "loader/registry.hpp"

namespace assay::test {

/// A float32 tensor over memory that it owns.
inline Tensor floats(std::vector<std::int64_t> shape, const std::vector<float>& values) {
  Tensor tensor = Tensor::allocate(kFloat32, std::move(shape));
  if (!values.empty()) std::memcpy(tensor.data_as<float>(), values.data(), values.size() * sizeof(float));
  return tensor;
}

inline Tensor ints(std::vector<std::int64_t> shape, const std::vector<std::int64_t>& values) {
  Tensor tensor = Tensor::allocate(kInt64, std::move(shape));
  if (!values.empty()) std::memcpy(tensor.data_as<std::int64_t>(), values.data(), values.size() * sizeof(std::int64_t));
  return tensor;
}

inline Tensor halves(std::vector<std::int64_t> shape, const std::vector<double>& values) {
  Tensor tensor = Tensor::allocate(kFloat16, std::move(shape));
  for (std::size_t i = 0; i < values.size(); ++i) tensor.data_as<std::uint16_t>()[i] = double_to_float16(values[i]);
  return tensor;
}

/// The elements of a tensor value as doubles, in row-major order.
inline std::vector<double> numbers(const assay_value& value) {
  std::vector<double> out;
  if (value.kind != ASSAY_VALUE_TENSOR) {
    ADD_FAILURE() << "not a tensor: kind " << value.kind;
    return out;
  }
  const TensorView view(*value.as.tensor);
  view.for_each_offset([&](std::int64_t, std::int64_t offset) { out.push_back(view.number_at(offset)); });
  return out;
}

/// One call and what came of it; results live as long as the object.
class Invocation {
 public:
  std::string api;
  std::vector<Value> args;
  std::vector<NamedValue> kwargs;
  std::vector<Value> grads;
  std::int32_t direction = ASSAY_FORWARD;
  std::int32_t precision = ASSAY_PRECISION_AS_RECORDED;
  std::uint32_t flags = 0;
  std::uint64_t seed = 0;

  Invocation(std::string name, std::vector<Value> arguments, std::vector<NamedValue> keywords = {})
      : api(std::move(name)), args(std::move(arguments)), kwargs(std::move(keywords)) {}
  ~Invocation() {
    if (results_.release != nullptr) results_.release(&results_);
  }
  Invocation(const Invocation&) = delete;
  Invocation& operator=(const Invocation&) = delete;

  Invocation& backward(std::vector<Value> arriving) {
    direction = ASSAY_BACKWARD;
    grads = std::move(arriving);
    return *this;
  }

  assay_status run(const Instance& adapter) {
    ValueArena arena;
    assay_call call{};
    call.struct_size = sizeof call;
    call.direction = direction;
    call.api = api.c_str();
    call.precision = precision;
    call.flags = flags;
    call.device = {ASSAY_DEVICE_CPU, 0};
    call.seed = seed;
    call.args = arena.lower_all(args);
    call.arg_count = args.size();
    call.kwargs = arena.lower_named(kwargs);
    call.kwarg_count = kwargs.size();
    call.grad_outputs = arena.lower_all(grads);
    call.grad_output_count = grads.size();
    results_.struct_size = sizeof results_;
    ErrorSlot error;
    const auto* table = adapter.extension<assay_adapter>(ASSAY_EXT_ADAPTER);
    const assay_status status = table->invoke(adapter.get(), &call, &results_, error.get());
    if (status != ASSAY_OK) message_ = error.message();
    return status;
  }

  [[nodiscard]] const std::string& message() const { return message_; }
  [[nodiscard]] const assay_results& results() const { return results_; }
  [[nodiscard]] const assay_value& output(std::size_t i = 0) const { return results_.outputs[i]; }
  [[nodiscard]] std::string_view dtype(std::size_t i = 0) const { return dtype_name(output(i).as.tensor->dl.dtype); }

  /// The gradient of an argument; null if the adapter gave none for that path.
  [[nodiscard]] const assay_value* gradient(const std::string& path) const {
    for (std::uint64_t i = 0; i < results_.gradient_count; ++i) {
      if (path == results_.gradients[i].path) return &results_.gradients[i].value;
    }
    return nullptr;
  }

  [[nodiscard]] std::string notes() const {
    std::string out;
    for (std::uint64_t i = 0; i < results_.note_count; ++i) out += std::string(results_.notes[i]) + "\n";
    return out;
  }

 private:
  assay_results results_{};
  std::string message_;
};

/// One adapter for all cases of a test executable: LibTorch is loaded once.
class TorchAdapter : public ::testing::Test {
 protected:
  static const Instance& adapter() {
    static Registry registry = Registry::discover({std::string(ASSAY_BINARY_DIR) + "/lib/assay/plugins"});
    static const Result<Instance> instance = registry.create("assay.torch", "adapter", R"({"threads": 1})");
    if (!instance) throw std::runtime_error(instance.failure().message);
    return *instance;
  }

  /// Runs a call that has to succeed.
  static void succeed(Invocation& call) { ASSERT_EQ(call.run(adapter()), ASSAY_OK) << call.message(); }
};

}  // namespace assay::test
