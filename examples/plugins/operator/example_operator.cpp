// An operator: x * sigmoid(1.702 x), forward and backward in double precision, under the name that a recording gives it.
#include <cmath>

#include "assay/sdk/operator.hpp"

namespace {

constexpr const char* kApi = "NPU.npu_quick_gelu";

assay::TensorView tensor_of(const assay_value* values, std::uint64_t count) {
  if (count != 1 || values[0].kind != ASSAY_VALUE_TENSOR) throw assay::Error(ASSAY_INVALID_ARGUMENT, "expected one tensor");
  const assay::TensorView view(*values[0].as.tensor);
  if (!view.on_cpu() || !assay::is_floating(view.dtype()) || assay::dtype_name(view.dtype()) == "unknown")
    throw assay::Error(ASSAY_UNSUPPORTED, "needs a floating-point tensor on the CPU");
  return view;
}

class QuickGelu final : public assay::Operator {
 public:
  explicit QuickGelu(const assay::Context&) {}

  [[nodiscard]] const std::vector<const char*>& apis() const override {
    static const std::vector<const char*> names = {kApi};
    return names;
  }

  assay::Results invoke(const assay_call& call) override {
    if (std::strcmp(call.api, kApi) != 0) throw assay::Error(ASSAY_NOT_FOUND, "only " + std::string(kApi) + " is here");
    if (call.kwarg_count != 0) throw assay::Error(ASSAY_INVALID_ARGUMENT, "takes no keyword arguments");
    const bool forward = call.direction == ASSAY_FORWARD;
    const assay::TensorView input = tensor_of(call.args, call.arg_count);
    assay::Tensor result = assay::Tensor::allocate(assay::kFloat64, input.shape());
    auto* const out = result.data_as<double>();
    input.for_each_offset([&](std::int64_t index, std::int64_t offset) {
      const double x = input.number_at(offset);
      const double sigmoid = 1 / (1 + std::exp(-1.702 * x));
      out[index] = forward ? x * sigmoid : sigmoid + 1.702 * x * sigmoid * (1 - sigmoid);
    });
    assay::Results results;
    if (forward) {
      results.outputs.emplace_back(result);
      return results;
    }
    const assay::TensorView arriving = tensor_of(call.grad_outputs, call.grad_output_count);
    if (arriving.shape() != input.shape()) throw assay::Error(ASSAY_INVALID_ARGUMENT, "the gradient has another shape");
    arriving.for_each_offset([&](std::int64_t index, std::int64_t offset) { out[index] *= arriving.number_at(offset); });
    results.gradients.emplace_back("0", result);
    return results;
  }
};

}  // namespace

ASSAY_EXPORT_PLUGIN("com.example.example-operator", "1.0.0",
                    ASSAY_COMPONENT(QuickGelu, "com.example.example-operator", "1.0.0", "quick GELU", R"({"type": "object"})"))
