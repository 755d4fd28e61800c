// An adapter: a framework of its own, five elementwise operators interpreted in double precision, with broadcasting and gradients
// of the ones with one argument.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "assay/sdk/adapter.hpp"

namespace {

using Numbers = std::vector<double>;
using Shape = std::vector<std::int64_t>;

[[noreturn]] void refuse(assay_status status, const std::string& why) { throw assay::Error(status, why); }

bool is_float(assay_dtype dtype) { return assay::dtype_name(dtype) == "float32" || assay::dtype_name(dtype) == "float64"; }

/// One argument, read into double precision: a tensor or a number.
struct Operand {
  Shape shape;
  Numbers numbers;

  explicit Operand(const assay_value& value) {
    if (value.kind == ASSAY_VALUE_INT) numbers = {static_cast<double>(value.as.integer)};
    if (value.kind == ASSAY_VALUE_FLOAT) numbers = {value.as.real};
    if (!numbers.empty()) return;
    if (value.kind != ASSAY_VALUE_TENSOR) refuse(ASSAY_INVALID_ARGUMENT, "expected a tensor or a number");
    const assay::TensorView view(*value.as.tensor);
    if (!view.on_cpu() || !is_float(view.dtype())) refuse(ASSAY_UNSUPPORTED, "needs float32 or float64 on the CPU");
    shape = view.shape();
    numbers.resize(static_cast<std::size_t>(view.numel()));
    view.for_each_offset([&](auto index, auto offset) { numbers[static_cast<std::size_t>(index)] = view.number_at(offset); });
  }

  /// The number that row-major element `index` of a larger shape sees.
  [[nodiscard]] double at(std::int64_t index, const Shape& whole) const {
    std::int64_t place = 0;
    std::int64_t stride = 1;
    for (std::size_t d = whole.size(); d-- > whole.size() - shape.size(); index /= whole[d]) {
      const std::int64_t size = shape[d + shape.size() - whole.size()];
      place += size == 1 ? 0 : index % whole[d] * stride;
      stride *= size;
    }
    return numbers[static_cast<std::size_t>(place)];
  }
};

Shape broadcast(const std::vector<Operand>& operands) {
  Shape whole;
  for (const Operand& operand : operands) {
    const Shape& shape = operand.shape;
    if (shape.size() > whole.size()) whole.insert(whole.begin(), shape.size() - whole.size(), 1);
    for (std::size_t i = 0; i < shape.size(); ++i) {
      std::int64_t& size = whole[whole.size() - shape.size() + i];
      if (size != shape[i] && size != 1 && shape[i] != 1) refuse(ASSAY_INVALID_ARGUMENT, "shapes don't fit together");
      if (size == 1) size = shape[i];
    }
  }
  return whole;
}

struct Function {
  std::size_t arguments;
  std::function<double(double, double)> value;
  std::function<double(double)> derivative;  ///< empty: no gradients
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

const std::map<std::string, Function>& functions() {
  static const std::map<std::string, Function> all = {
      {"add", {2, [](double x, double y) { return x + y; }, nullptr}},
      {"mul", {2, [](double x, double y) { return x * y; }, nullptr}},
      {"neg", {1, [](double x, double) { return -x; }, [](double) { return -1.0; }}},
      {"square", {1, [](double x, double) { return x * x; }, [](double x) { return 2 * x; }}},
      {"silu",
       {1, [](double x, double) { return x * sigmoid(x); }, [](double x) { return sigmoid(x) * (1 + x * (1 - sigmoid(x))); }}}};
  return all;
}

class Interpreter final : public assay::Adapter {
 public:
  explicit Interpreter(const assay::Context&) {}

  const assay::AdapterInfo& describe() override {
    static const assay::AdapterInfo info = {"example-adapter", "1.0", "five operators, interpreted", {{ASSAY_DEVICE_CPU, 0}}};
    return info;
  }

  void require_support(const std::string& api, std::int32_t direction) override {
    const Function& function = find(api);
    if (direction == ASSAY_BACKWARD && !function.derivative) refuse(ASSAY_UNSUPPORTED, "no gradient of " + api);
  }

  assay::Results invoke(const assay_call& call) override {
    require_support(call.api, call.direction);
    const Function& function = find(call.api);
    if (call.arg_count != function.arguments || call.kwarg_count != 0)
      refuse(ASSAY_INVALID_ARGUMENT, "expected " + std::to_string(function.arguments) + " positional arguments");
    std::vector<Operand> operands;
    for (std::uint64_t i = 0; i < call.arg_count; ++i) operands.emplace_back(call.args[i]);
    assay::Results results;
    if (call.direction == ASSAY_FORWARD) {
      const auto value = [&](double x, double y) { return function.value(x, y); };
      results.outputs.emplace_back(elementwise(call, operands, value));
      return results;
    }
    if (call.grad_output_count != 1) refuse(ASSAY_INVALID_ARGUMENT, "expected one arriving gradient");
    operands.emplace_back(call.grad_outputs[0]);
    const auto gradient = [&](double x, double arriving) { return function.derivative(x) * arriving; };
    results.gradients.emplace_back("0", elementwise(call, operands, gradient));
    return results;
  }

 private:
  /// "Mint.add", "Functional.silu", "Tensor.add": the last part is the function.
  static const Function& find(const std::string& api) {
    const std::size_t dot = api.rfind('.');
    const auto found = functions().find(api.substr(dot == std::string::npos ? 0 : dot + 1));
    if (dot == std::string::npos || found == functions().end()) refuse(ASSAY_NOT_FOUND, "no function of that name");
    return found->second;
  }

  template <class F>
  static assay::Tensor elementwise(const assay_call& call, const std::vector<Operand>& operands, F&& f) {
    const Shape shape = broadcast(operands);
    const bool wide = call.precision == ASSAY_PRECISION_FLOAT64 ||
                      (call.precision == ASSAY_PRECISION_AS_RECORDED && call.args[0].kind == ASSAY_VALUE_TENSOR &&
                       call.args[0].as.tensor->dl.dtype.bits == 64);
    assay::Tensor out = assay::Tensor::allocate(wide ? assay::kFloat64 : assay::kFloat32, shape);
    for (std::int64_t i = 0; i < out.numel(); ++i) {
      const double value = f(operands[0].at(i, shape), operands.size() > 1 ? operands[1].at(i, shape) : 0);
      if (wide) out.data_as<double>()[i] = value;
      if (!wide) out.data_as<float>()[i] = static_cast<float>(value);
    }
    return out;
  }
};

}  // namespace

ASSAY_EXPORT_PLUGIN("com.example.example-adapter", "1.0.0",
                    ASSAY_COMPONENT(Interpreter, "com.example.example-adapter", "1.0.0", "five operators", R"({"type": "object"})"))
