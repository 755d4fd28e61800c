// plugins/operators/softmax/functions.hpp: the operators of this plugin; each is documented in its source file.
#pragma once

#include "assay/sdk/value.hpp"

namespace assay::operators {

Results moe_gating_forward(const assay_call& call);
Results moe_gating_backward(const assay_call& call);
Results scaled_masked_softmax_forward(const assay_call& call);
Results scaled_masked_softmax_backward(const assay_call& call);

}  // namespace assay::operators
