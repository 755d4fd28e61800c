#include "family.hpp"
#include "functions.hpp"

namespace assay::operators {
namespace {

class FusedAttention final : public Family {
 public:
  explicit FusedAttention(const Context&)
      : Family({{"Functional.flash_attention_score", flash_attention_score_forward, flash_attention_score_backward},
                {"NPU.npu_fusion_attention", fusion_attention_forward, fusion_attention_backward}}) {}
};

}  // namespace
}  // namespace assay::operators

ASSAY_EXPORT_PLUGIN("assay.fused-attention", "0.1.0",
                    ASSAY_COMPONENT(assay::operators::FusedAttention, "assay.fused-attention", "0.1.0",
                                    "references of npu_fusion_attention and flash_attention_score in double precision",
                                    R"({"type": "object", "additionalProperties": false})"))
