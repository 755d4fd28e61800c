// to-cpu: the same values in the CPU's memory, in the type that the reference kernel computes in.
#include "assay/sdk/perturbation.hpp"
#include "assay/sdk/widen.hpp"

namespace assay {
namespace {

constexpr char kSchema[] = R"({
  "type": "object",
  "properties": {"compat": {"enum": ["none", "msprobe"]}},
  "additionalProperties": false
})";

class ToCpu final : public Perturbation {
 public:
  explicit ToCpu(const Context& context) : compat_(context.config.get<std::string>("compat", "none") == "msprobe") {}

  static const void* extension(const char* id) { return extension_with_flags<ASSAY_PERTURBATION_ALL_INPUTS>(id); }

  /// Half types become float32. A CPU tensor already is where it should be: the other kernel is then the one of the next wider
  /// type. Every other dtype is copied.
  [[nodiscard]] PerturbedLayout plan(const TensorView& input) const override {
    require_known_dtype(input);
    const assay_dtype dtype = input.dtype();
    const bool half = dtype == kFloat16 || dtype == kBFloat16;
    const bool widen = half || (!compat_ && input.on_cpu());
    return {widen ? wider_dtype(dtype) : dtype, {ASSAY_DEVICE_CPU, 0}};
  }

  std::uint64_t apply(const TensorView& input, std::uint64_t, std::uint32_t max_threads, assay_tensor& output) const override {
    if (!input.on_cpu()) {
      throw Error(ASSAY_UNSUPPORTED, "memory of device " + std::to_string(input.abi().dl.device.type) + ":" +
                                         std::to_string(input.abi().dl.device.id) +
                                         " can't be read from here; take the tensor from the adapter as a CPU tensor");
    }
    require_output(input, output, plan(input).dtype);
    if (output.dl.dtype == input.dtype()) {
      copy_tensor(input, output, max_threads);
    } else {
      widen_tensor(input, output, max_threads);
    }
    return 0;
  }

 private:
  bool compat_;
};

}  // namespace
}  // namespace assay

ASSAY_EXPORT_PLUGIN("assay.to-cpu", "0.1.0",
                    ASSAY_COMPONENT(assay::ToCpu, "assay.to-cpu", "0.1.0",
                                    "the same values in CPU memory, for the reference kernel", assay::kSchema))
