#include "family.hpp"
#include "functions.hpp"

namespace assay::operators {
namespace {

class FusedOptimizers final : public Family {
 public:
  explicit FusedOptimizers(const Context&)
      : Family({{"NPU.npu_apply_adam", apply_adam_forward, nullptr}, {"NPU.npu_apply_adam_w", apply_adam_w_forward, nullptr}}) {}
};

}  // namespace
}  // namespace assay::operators

ASSAY_EXPORT_PLUGIN("assay.fused-optimizers", "0.1.0",
                    ASSAY_COMPONENT(assay::operators::FusedOptimizers, "assay.fused-optimizers", "0.1.0",
                                    "references of npu_apply_adam and npu_apply_adam_w in double precision",
                                    R"({"type": "object", "additionalProperties": false})"))
