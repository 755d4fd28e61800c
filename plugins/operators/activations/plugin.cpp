#include "family.hpp"
#include "functions.hpp"

namespace assay::operators {
namespace {

class FusedActivations final : public Family {
 public:
  explicit FusedActivations(const Context&)
      : Family({{"NPU.npu_fast_gelu", fast_gelu_forward, fast_gelu_backward},
                {"NPU.npu_mish", mish_forward, mish_backward},
                {"NPU.npu_swiglu", swiglu_forward, swiglu_backward}}) {}
};

}  // namespace
}  // namespace assay::operators

ASSAY_EXPORT_PLUGIN("assay.fused-activations", "0.1.0",
                    ASSAY_COMPONENT(assay::operators::FusedActivations, "assay.fused-activations", "0.1.0",
                                    "references of npu_fast_gelu, npu_mish and npu_swiglu in double precision",
                                    R"({"type": "object", "additionalProperties": false})"))
