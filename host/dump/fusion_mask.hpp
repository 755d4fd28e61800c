// The mask of a fused attention that comes compressed: one fixed matrix, whatever the sequence length.
#pragma once

#include <string>

#include "assay/sdk/tensor.hpp"
#include "dump/recorded.hpp"

namespace assay {

/// Whether the argument at `path` of the forward call is such a mask (by `sparse_mode`), and its data were not recorded.
bool is_compressed_mask(const RecordedCall& call, const std::string& path);

/// 2048 x 2048 booleans, ones above the diagonal.
Tensor compressed_mask();

}  // namespace assay
