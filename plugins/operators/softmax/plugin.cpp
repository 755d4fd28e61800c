#include "family.hpp"
#include "functions.hpp"

namespace assay::operators {
namespace {

class FusedSoftmax final : public Family {
 public:
  explicit FusedSoftmax(const Context&)
      : Family({{"NPU.npu_moe_gating_top_k_softmax", moe_gating_forward, moe_gating_backward},
                {"NPU.npu_scaled_masked_softmax", scaled_masked_softmax_forward, scaled_masked_softmax_backward}}) {}
};

}  // namespace
}  // namespace assay::operators

ASSAY_EXPORT_PLUGIN("assay.fused-softmax", "0.1.0",
                    ASSAY_COMPONENT(assay::operators::FusedSoftmax, "assay.fused-softmax", "0.1.0",
                                    "references of npu_scaled_masked_softmax and npu_moe_gating_top_k_softmax in double precision",
                                    R"({"type": "object", "additionalProperties": false})"))
