// plugins/operators/optimizers/functions.hpp: the operators of this plugin; each is documented in its source file.
#pragma once

#include "assay/sdk/value.hpp"

namespace assay::operators {

Results apply_adam_forward(const assay_call& call);
Results apply_adam_w_forward(const assay_call& call);

}  // namespace assay::operators
