// From what an adapter returned to values of the host. Nothing a plugin says about sizes is believed before it is checked.
#pragma once

#include <memory>

#include "assay/sdk/value.hpp"
#include "base/result.hpp"

namespace assay {

/// The results as owned values whose tensors keep `raw` alive.
/// errors  kPlugin: a null pointer with a size, a nesting deeper than ASSAY_VALUE_MAX_DEPTH, a tensor with an impossible shape, an
/// unknown
///         kind or dtype, memory off the CPU
Result<Results> raise_results(const std::shared_ptr<assay_results>& raw);

}  // namespace assay
