#include "family.hpp"
#include "functions.hpp"

namespace assay::operators {
namespace {

class FusedNorms final : public Family {
 public:
  explicit FusedNorms(const Context&)
      : Family({{"NPU.npu_group_norm_silu", group_norm_silu_forward, group_norm_silu_backward},
                {"NPU.npu_layer_norm_eval", layer_norm_eval_forward, layer_norm_eval_backward},
                {"NPU.npu_rms_norm", rms_norm_forward, rms_norm_backward}}) {}
};

}  // namespace
}  // namespace assay::operators

ASSAY_EXPORT_PLUGIN("assay.fused-norms", "0.1.0",
                    ASSAY_COMPONENT(assay::operators::FusedNorms, "assay.fused-norms", "0.1.0",
                                    "references of npu_rms_norm, npu_layer_norm_eval and npu_group_norm_silu in double precision",
                                    R"({"type": "object", "additionalProperties": false})"))
