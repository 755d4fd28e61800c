// The fix handler: what a call returns when the perturbed result takes the original's place.
#pragma once

#include <vector>

#include "assay/sdk/value.hpp"
#include "base/result.hpp"

namespace assay {

/// The perturbed outputs in the dtypes of the original ones, through lists, tuples and dicts of the same structure; values that are
/// no tensors stay the original's.
/// errors  kUnsupported: structures or shapes differ (the original is to be kept)
Result<std::vector<Value>> fix_outputs(const std::vector<Value>& original, const std::vector<Value>& perturbed);

}  // namespace assay
