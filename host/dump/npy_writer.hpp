// Tensors as .npy files.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "assay/sdk/tensor.hpp"
#include "base/result.hpp"

namespace assay {

/// Bytes that the file of a tensor takes, about.
std::uint64_t npy_size(const TensorView& tensor);

/// Hands a CPU tensor to `write` as a version 1.0 .npy file, piece by piece. What NumPy lacks (bfloat16, float8) becomes float32,
/// which readers of dumps turn back by the dtype in dump.json. errors  kUnsupported: a dtype that no file has; what `write` returns
Status write_npy(const TensorView& tensor, const std::function<Status(std::string_view)>& write);

}  // namespace assay
