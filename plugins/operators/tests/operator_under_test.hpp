// A built operator plugin, used as the host uses it, beside a formula of the same operator in extended precision.
//
//   OperatorUnderTest norms("assay.fused-norms");
//   Call call{"NPU.npu_rms_norm", {x, gamma}, {{"epsilon", 1e-6}}};
//   expect_formula(norms, call, [](const Inputs& in) { return rms_norm(in[0], in[1]); });
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "assay/abi/operator.h"
#include "assay/sdk/value.hpp"
#include "base/locations.hpp"
#include "loader/registry.hpp"

namespace assay::testing {

using Real = long double;
using Reals = std::vector<Real>;
/// The elements of the floating-point tensors of a call, in order.
using Inputs = std::vector<Reals>;
/// The first output from the inputs.
using Formula = std::function<Reals(const Inputs&)>;

inline constexpr Real kTolerance = 1e-12L;

/// Numbers in [low, high) that are the same in every run.
inline std::vector<double> draw(std::int64_t count, std::uint64_t seed, double low = -2, double high = 2) {
  std::vector<double> out;
  std::uint64_t state = seed * 0x9E3779B97F4A7C15ull + 1;
  for (std::int64_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    out.push_back(low + (high - low) * static_cast<double>(state >> 11) / 9007199254740992.0);
  }
  return out;
}

inline std::int64_t count_of(const std::vector<std::int64_t>& shape) {
  std::int64_t n = 1;
  for (const std::int64_t size : shape) n *= size;
  return n;
}

inline Tensor doubles(std::vector<std::int64_t> shape, const std::vector<double>& values) {
  Tensor out = Tensor::allocate(kFloat64, std::move(shape));
  EXPECT_EQ(static_cast<std::size_t>(out.numel()), values.size());
  if (!values.empty()) std::memcpy(out.abi().dl.data, values.data(), out.nbytes());
  return out;
}

inline Tensor drawn(std::vector<std::int64_t> shape, std::uint64_t seed, double low = -2, double high = 2) {
  const std::vector<double> values = draw(count_of(shape), seed, low, high);
  return doubles(std::move(shape), values);
}

inline Tensor bytes(std::vector<std::int64_t> shape, const std::vector<int>& values, assay_dtype dtype = kBool) {
  Tensor out = Tensor::allocate(dtype, std::move(shape));
  for (std::size_t i = 0; i < values.size(); ++i) out.data_as<std::uint8_t>()[i] = static_cast<std::uint8_t>(values[i]);
  return out;
}

inline List integers(const std::vector<std::int64_t>& values) {
  List out;
  for (const std::int64_t value : values) out.items.emplace_back(value);
  return out;
}

struct Call {
  std::string api;
  std::vector<Value> args;
  std::vector<NamedValue> kwargs;

  /// Every floating-point tensor, with its path.
  [[nodiscard]] std::vector<std::pair<std::string, Tensor*>> tensors() {
    std::vector<std::pair<std::string, Tensor*>> out;
    const auto add = [&](const std::string& path, Value& value) {
      if (auto* tensor = std::get_if<Tensor>(&value.data); tensor != nullptr && is_floating(tensor->dtype()))
        out.emplace_back(path, tensor);
    };
    for (std::size_t i = 0; i < args.size(); ++i) add(std::to_string(i), args[i]);
    for (auto& [name, value] : kwargs) add(name, value);
    return out;
  }
};

/// What came back, copied.
struct Answer {
  struct Item {
    std::int32_t kind = ASSAY_VALUE_NONE;
    std::vector<std::int64_t> shape;
    assay_dtype dtype{};
    std::vector<double> values;
    std::int64_t integer = 0;
  };
  assay_status status = ASSAY_OK;
  std::string message;
  std::vector<Item> outputs;
  std::vector<std::pair<std::string, Item>> gradients;
  std::vector<std::string> mutated;
  std::vector<std::string> notes;

  [[nodiscard]] const Item* gradient(const std::string& path) const {
    for (const auto& [name, item] : gradients) {
      if (name == path) return &item;
    }
    return nullptr;
  }
};

class OperatorUnderTest {
 public:
  explicit OperatorUnderTest(const std::string& id)
      : registry_(Registry::discover({plugin_folder()})), instance_(registry_.create(id, ASSAY_KIND_OPERATOR, "{}")) {
    if (instance_) table_ = instance_->extension<assay_operator>(ASSAY_EXT_OPERATOR);
    if (table_ == nullptr) throw std::runtime_error(instance_ ? "no table" : instance_.failure().message);
  }

  [[nodiscard]] Answer forward(const Call& call) const { return run(call, ASSAY_FORWARD, {}); }
  [[nodiscard]] Answer backward(const Call& call, const std::vector<Value>& gradients) const {
    return run(call, ASSAY_BACKWARD, gradients);
  }

 private:
  static Answer::Item item(const assay_value& value) {
    Answer::Item out;
    out.kind = value.kind;
    if (value.kind == ASSAY_VALUE_INT) out.integer = value.as.integer;
    if (value.kind != ASSAY_VALUE_TENSOR) return out;
    const TensorView view(*value.as.tensor);
    out.shape = view.shape();
    out.dtype = view.dtype();
    view.for_each_offset([&](std::int64_t, std::int64_t offset) { out.values.push_back(view.number_at(offset)); });
    return out;
  }

  [[nodiscard]] Answer run(const Call& call, std::int32_t direction, const std::vector<Value>& gradients) const {
    ValueArena arena;
    assay_call raw{};
    raw.struct_size = sizeof raw;
    raw.direction = direction;
    raw.api = call.api.c_str();
    raw.precision = ASSAY_PRECISION_FLOAT64;
    raw.device = {ASSAY_DEVICE_CPU, 0};
    raw.args = arena.lower_all(call.args);
    raw.arg_count = call.args.size();
    raw.kwargs = arena.lower_named(call.kwargs);
    raw.kwarg_count = call.kwargs.size();
    raw.grad_outputs = arena.lower_all(gradients);
    raw.grad_output_count = gradients.size();
    assay_results results{};
    results.struct_size = sizeof results;
    ErrorSlot error;
    Answer answer;
    answer.status = table_->invoke(instance_->get(), &raw, &results, error.get());
    if (answer.status != ASSAY_OK) {
      answer.message = error.message();
      return answer;
    }
    for (std::uint64_t i = 0; i < results.output_count; ++i) answer.outputs.push_back(item(results.outputs[i]));
    for (std::uint64_t i = 0; i < results.gradient_count; ++i)
      answer.gradients.emplace_back(results.gradients[i].path, item(results.gradients[i].value));
    for (std::uint64_t i = 0; i < results.mutated_count; ++i) answer.mutated.emplace_back(results.mutated[i].path);
    for (std::uint64_t i = 0; i < results.note_count; ++i) answer.notes.emplace_back(results.notes[i]);
    results.release(&results);
    return answer;
  }

  Registry registry_;
  Result<Instance> instance_;
  const assay_operator* table_ = nullptr;
};

inline void expect_close(const std::vector<double>& actual, const Reals& expected, const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (std::isnan(expected[i])) {
      EXPECT_TRUE(std::isnan(actual[i])) << what << " element " << i << " is " << actual[i] << ", expected NaN";
    } else if (std::isinf(expected[i])) {
      EXPECT_EQ(static_cast<Real>(actual[i]), expected[i]) << what << " element " << i;
    } else {
      EXPECT_LE(std::fabs(actual[i] - expected[i]), kTolerance * std::max<Real>(1, std::fabs(expected[i])))
          << what << " element " << i << " is " << actual[i] << ", expected " << static_cast<double>(expected[i]);
    }
  }
}

inline Inputs inputs_of(Call& call) {
  Inputs out;
  for (const auto& [path, tensor] : call.tensors()) {
    Reals& reals = out.emplace_back();
    const TensorView view = tensor->view();
    for (std::int64_t i = 0; i < view.numel(); ++i) reals.push_back(view.number_at(i));
  }
  return out;
}

/// The derivative of a function of one number at 0, by central differences of sixth order.
inline Real derivative(const std::function<Real(Real)>& f) {
  const Real h = 1.0L / 1024;
  return (45 * (f(h) - f(-h)) - 9 * (f(2 * h) - f(-2 * h)) + (f(3 * h) - f(-3 * h))) / (60 * h);
}

/// Output 0 is the formula's, and every gradient the formula's derivative.
inline void expect_formula(const OperatorUnderTest& op, Call call, const Formula& formula, bool differentiate = true) {
  const Inputs inputs = inputs_of(call);
  const Reals expected = formula(inputs);
  const Answer forward = op.forward(call);
  ASSERT_EQ(forward.status, ASSAY_OK) << forward.message;
  expect_close(forward.outputs.at(0).values, expected, call.api);
  if (!differentiate) return;

  const std::vector<double> g = draw(static_cast<std::int64_t>(expected.size()), 77);
  const Answer backward = op.backward(call, {doubles(forward.outputs[0].shape, g)});
  ASSERT_EQ(backward.status, ASSAY_OK) << backward.message;
  const auto tensors = call.tensors();
  ASSERT_EQ(backward.gradients.size(), tensors.size());
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    const Answer::Item* gradient = backward.gradient(tensors[t].first);
    ASSERT_NE(gradient, nullptr);
    EXPECT_EQ(gradient->shape, tensors[t].second->shape());
    Reals derivatives;
    for (std::size_t i = 0; i < inputs[t].size(); ++i) {
      derivatives.push_back(derivative([&](Real step) {
        Inputs moved = inputs;
        moved[t][i] += step;
        const Reals values = formula(moved);
        Real sum = 0;
        for (std::size_t k = 0; k < values.size(); ++k) sum += g[k] * values[k];
        return sum;
      }));
    }
    expect_close(gradient->values, derivatives, call.api + " gradient of argument " + tensors[t].first);
  }
}

}  // namespace assay::testing
