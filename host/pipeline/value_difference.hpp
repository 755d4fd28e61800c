// How one value differs from another, in a few words: for tensors that should hold the same numbers.
#pragma once

#include <string>

#include "assay/sdk/value.hpp"

namespace assay {

/// "3/12 elements differ by up to 1e-07, the first at (0, 1): 1.0 became 1.0000001"; empty: they hold the same. NaN equals NaN.
/// Numbers of two floating types are compared in the narrower one.
std::string difference(const Value& before, const Value& after);

}  // namespace assay
