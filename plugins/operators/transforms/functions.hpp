// plugins/operators/transforms/functions.hpp: the operators of this plugin; each is documented in its source file.
#pragma once

#include "assay/sdk/value.hpp"

namespace assay::operators {

Results confusion_transpose_forward(const assay_call& call);
Results confusion_transpose_backward(const assay_call& call);
Results linear_forward(const assay_call& call);
Results linear_backward(const assay_call& call);
Results rotary_mul_forward(const assay_call& call);
Results rotary_mul_backward(const assay_call& call);
Results sort_v2_forward(const assay_call& call);
Results sort_v2_backward(const assay_call& call);

}  // namespace assay::operators
