// plugins/operators/attention/functions.hpp: the operators of this plugin; each is documented in its source file.
#pragma once

#include "assay/sdk/value.hpp"

namespace assay::operators {

Results flash_attention_score_forward(const assay_call& call);
Results flash_attention_score_backward(const assay_call& call);
Results fusion_attention_forward(const assay_call& call);
Results fusion_attention_backward(const assay_call& call);

}  // namespace assay::operators
