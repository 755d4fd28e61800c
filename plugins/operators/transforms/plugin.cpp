#include "family.hpp"
#include "functions.hpp"

namespace assay::operators {
namespace {

class FusedTransforms final : public Family {
 public:
  explicit FusedTransforms(const Context&)
      : Family({{"NPU.npu_confusion_transpose", confusion_transpose_forward, confusion_transpose_backward},
                {"NPU.npu_linear", linear_forward, linear_backward},
                {"NPU.npu_rotary_mul", rotary_mul_forward, rotary_mul_backward},
                {"NPU.npu_sort_v2", sort_v2_forward, sort_v2_backward}}) {}
};

}  // namespace
}  // namespace assay::operators

ASSAY_EXPORT_PLUGIN(
    "assay.fused-transforms", "0.1.0",
    ASSAY_COMPONENT(assay::operators::FusedTransforms, "assay.fused-transforms", "0.1.0",
                    "references of npu_confusion_transpose, npu_linear, npu_rotary_mul and npu_sort_v2 in double precision",
                    R"({"type": "object", "additionalProperties": false})"))
