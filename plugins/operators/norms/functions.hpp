// plugins/operators/norms/functions.hpp: the operators of this plugin; each is documented in its source file.
#pragma once

#include "assay/sdk/value.hpp"

namespace assay::operators {

Results group_norm_silu_forward(const assay_call& call);
Results group_norm_silu_backward(const assay_call& call);
Results layer_norm_eval_forward(const assay_call& call);
Results layer_norm_eval_backward(const assay_call& call);
Results rms_norm_forward(const assay_call& call);
Results rms_norm_backward(const assay_call& call);

}  // namespace assay::operators
