// Reads NumPy's .npy files, versions 1 to 3.
#pragma once

#include <filesystem>

#include "assay/sdk/tensor.hpp"
#include "base/files.hpp"
#include "base/result.hpp"

namespace assay {

/// The array of a mapped file. Its memory is the mapping (kept alive by the tensor) where the data are little-endian and aligned,
/// else a copy. Fortran order comes as strides.
/// file  any bytes
/// errors  kInput: not such a file, unknown version, a header that is no dictionary of the three keys, a dtype without numbers
///         (strings, objects, records), a shape that doesn't fit the file; the message has no file name
Result<Tensor> read_npy(const MappedFile& file);

}  // namespace assay
