// Tensors from statistics, the numbers that MindStudio Probe's mint checker draws (NumPy's legacy generator, seeded anew for each
// tensor).
#pragma once

#include "assay/sdk/tensor.hpp"
#include "base/result.hpp"
#include "dump/recorded.hpp"

namespace assay {

/// The same element gives the same numbers, wherever it stands. Throws Error(ASSAY_OUT_OF_MEMORY).
/// element  with a known dtype
/// errors   kUnsupported: Max or Min absent, NaN, or from -inf to inf; a complex or 8-bit float dtype
Result<Tensor> make_mint_tensor(const TensorElement& element);

}  // namespace assay
