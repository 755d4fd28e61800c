// Tensors from statistics by our own rule: each depends on the seed and on its own place only, so that order, resume and sharding
// change nothing, and arguments of one call differ.
#pragma once

#include <cstdint>
#include <string>

#include "assay/sdk/tensor.hpp"
#include "base/result.hpp"
#include "dump/recorded.hpp"

namespace assay {

/// Uniform between Min and Max, both included; an infinite bound is the dtype's largest finite number. Complex numbers have their
/// magnitude there, as the statistics are of it. Throws Error(ASSAY_OUT_OF_MEMORY).
/// element  with a known dtype
/// place    names the tensor: "Functional.linear.3.forward.0"
/// errors   kUnsupported: Max or Min absent or NaN
Result<Tensor> make_assay_tensor(const TensorElement& element, std::uint64_t seed, const std::string& place);

}  // namespace assay
