// improve-precision: the same values in the next wider floating-point type.
#include "assay/sdk/perturbation.hpp"
#include "assay/sdk/widen.hpp"

namespace assay {
namespace {

constexpr char kSchema[] = R"({
  "type": "object",
  "properties": {"compat": {"enum": ["none", "msprobe"]}},
  "additionalProperties": false
})";

class ImprovePrecision final : public Perturbation {
 public:
  explicit ImprovePrecision(const Context& context) : compat_(context.config.get<std::string>("compat", "none") == "msprobe") {}

  static const void* extension(const char* id) { return extension_with_flags<ASSAY_PERTURBATION_ALL_INPUTS>(id); }

  [[nodiscard]] PerturbedLayout plan(const TensorView& input) const override {
    require_known_dtype(input);
    if (!input.on_cpu()) throw Error(ASSAY_UNSUPPORTED, "tensor is on a device");
    const assay_dtype dtype = input.dtype();
    const assay_dtype wide = wider_dtype(dtype);
    const bool half = dtype == kFloat16 || dtype == kBFloat16;
    if (wide == dtype || (compat_ && !half)) {
      throw Error(ASSAY_UNSUPPORTED, "dtype " + std::string(dtype_name(dtype)) + " has no wider type here");
    }
    return {wide, input.abi().dl.device};
  }

  std::uint64_t apply(const TensorView& input, std::uint64_t, std::uint32_t max_threads, assay_tensor& output) const override {
    require_output(input, output, plan(input).dtype);
    widen_tensor(input, output, max_threads);
    return 0;
  }

 private:
  bool compat_;
};

}  // namespace
}  // namespace assay

ASSAY_EXPORT_PLUGIN("assay.improve-precision", "0.1.0",
                    ASSAY_COMPONENT(assay::ImprovePrecision, "assay.improve-precision", "0.1.0",
                                    "the same values in the next wider floating-point type", assay::kSchema))
