// no-change: an exact copy. The control of every run: if it changes a result, the operator isn't deterministic.
#include "assay/sdk/elementwise.hpp"
#include "assay/sdk/perturbation.hpp"

namespace assay {
namespace {

constexpr char kSchema[] = R"({
  "type": "object",
  "properties": {"compat": {"enum": ["none", "msprobe"]}},
  "additionalProperties": false
})";

class NoChange final : public Perturbation {
 public:
  explicit NoChange(const Context&) {}

  static const void* extension(const char* id) {
    return extension_with_flags<ASSAY_PERTURBATION_IDENTITY | ASSAY_PERTURBATION_ALL_INPUTS>(id);
  }

  [[nodiscard]] PerturbedLayout plan(const TensorView& input) const override {
    require_known_dtype(input);
    if (!input.on_cpu()) throw Error(ASSAY_UNSUPPORTED, "tensor is on a device");
    return {input.dtype(), input.abi().dl.device};
  }

  std::uint64_t apply(const TensorView& input, std::uint64_t, std::uint32_t max_threads, assay_tensor& output) const override {
    require_output(input, output, input.dtype());
    copy_tensor(input, output, max_threads);
    return 0;
  }
};

}  // namespace
}  // namespace assay

ASSAY_EXPORT_PLUGIN("assay.no-change", "0.1.0",
                    ASSAY_COMPONENT(assay::NoChange, "assay.no-change", "0.1.0", "an exact copy: the control of every run",
                                    assay::kSchema))
