// A tensor in device memory: a strided look into a buffer. Views share the buffer.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/sdk/dtype.hpp"
#include "device.hpp"

namespace assay::npu {

using Dims = std::vector<std::int64_t>;

struct DeviceTensor {
  Buffer memory;
  std::int64_t elements = 0;  ///< of the whole buffer, whatever part of it is seen
  assay_dtype dtype{};
  Dims shape;
  Dims strides;  ///< in elements
  std::int64_t offset = 0;

  [[nodiscard]] std::int64_t rank() const { return static_cast<std::int64_t>(shape.size()); }
  [[nodiscard]] std::int64_t numel() const;
  [[nodiscard]] bool is_contiguous() const;
};

/// Number of elements. Throws Error(ASSAY_INVALID_ARGUMENT) for a negative size or more than memory can hold.
std::int64_t element_count(const Dims& shape);
Dims compact_strides(const Dims& shape);

/// A compact tensor of that shape; its memory holds nothing yet.
DeviceTensor allocate_tensor(Device& device, assay_dtype dtype, Dims shape);

}  // namespace assay::npu
