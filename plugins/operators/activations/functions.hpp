// plugins/operators/activations/functions.hpp: the operators of this plugin; each is documented in its source file.
#pragma once

#include "assay/sdk/value.hpp"

namespace assay::operators {

Results fast_gelu_forward(const assay_call& call);
Results fast_gelu_backward(const assay_call& call);
Results mish_forward(const assay_call& call);
Results mish_backward(const assay_call& call);
Results swiglu_forward(const assay_call& call);
Results swiglu_backward(const assay_call& call);

}  // namespace assay::operators
