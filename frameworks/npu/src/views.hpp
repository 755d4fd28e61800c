// Looks at a device tensor: other shape, order or part, the same memory. Arguments are checked; dims may be negative.
#pragma once

#include "device_tensor.hpp"

namespace assay::npu {

/// A dim as 0..rank-1. A 0-d tensor has one dim, as in PyTorch. Throws Error(ASSAY_INVALID_ARGUMENT) beyond.
std::int64_t wrap_dim(std::int64_t dim, std::int64_t rank);
/// Dims as 0..rank-1; all of them where none are given.
Dims wrap_dims(const Dims& dims, std::int64_t rank);

DeviceTensor permuted(const DeviceTensor& tensor, const Dims& order);
DeviceTensor transposed(const DeviceTensor& tensor, std::int64_t first, std::int64_t second);
DeviceTensor unsqueezed(const DeviceTensor& tensor, std::int64_t dim);
/// Without those of the dims that have size 1.
DeviceTensor squeezed(const DeviceTensor& tensor, const Dims& dims);
DeviceTensor expanded(const DeviceTensor& tensor, const Dims& shape);
DeviceTensor sliced(const DeviceTensor& tensor, std::int64_t dim, std::int64_t start, std::int64_t stop, std::int64_t step);
DeviceTensor selected(const DeviceTensor& tensor, std::int64_t dim, std::int64_t index);
/// A compact tensor in another shape; one size may be -1.
DeviceTensor reshaped(const DeviceTensor& tensor, Dims shape);
/// The shape with -1 worked out.
Dims whole_shape(const DeviceTensor& tensor, Dims shape);

Dims broadcast_shapes(const Dims& left, const Dims& right);

}  // namespace assay::npu
