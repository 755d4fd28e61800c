// A recorded tensor from its file, whichever format it has.
#pragma once

#include <filesystem>

#include "assay/sdk/tensor.hpp"
#include "base/result.hpp"
#include "dump/recorded.hpp"

namespace assay {

/// The tensor of `path`, in the element's dtype. Types that .npy lacks are stored as float32 and converted.
/// errors  kInput: unreadable or faulty file, not .npy or .pt, shape or dtype other than the element's; names the file
Result<Tensor> load_tensor_file(const std::filesystem::path& path, const TensorElement& element);

}  // namespace assay
