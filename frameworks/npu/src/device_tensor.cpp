#include "device_tensor.hpp"

#include <limits>

namespace assay::npu {

std::int64_t element_count(const Dims& shape) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 64;
  std::int64_t count = 1;
  for (const std::int64_t size : shape) {
    if (size < 0 || (size != 0 && count > kMost / size)) throw Error(ASSAY_INVALID_ARGUMENT, "a shape is negative or too large");
    count *= size;
  }
  return count;
}

Dims compact_strides(const Dims& shape) {
  Dims strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= shape[d] > 0 ? shape[d] : 1;
  }
  return strides;
}

std::int64_t DeviceTensor::numel() const {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  return count;
}

bool DeviceTensor::is_contiguous() const {
  std::int64_t expected = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (shape[d] == 0) return true;
    if (shape[d] != 1 && strides[d] != expected) return false;
    expected *= shape[d];
  }
  return true;
}

DeviceTensor allocate_tensor(Device& device, assay_dtype dtype, Dims shape) {
  DeviceTensor tensor;
  tensor.elements = element_count(shape);
  tensor.memory = device.allocate(static_cast<std::size_t>(tensor.elements) * dtype_size(dtype));
  tensor.dtype = dtype;
  tensor.strides = compact_strides(shape);
  tensor.shape = std::move(shape);
  return tensor;
}

}  // namespace assay::npu
