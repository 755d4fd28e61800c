// What tensors take: LibTorch's CPU memory, counted.
#pragma once

#include <cstddef>

namespace assay::bench {

/// From now on; call it before the first tensor is made.
void count_tensor_memory();

/// The most bytes that tensors took at once since the last call.
std::size_t take_tensor_peak();

}  // namespace assay::bench
