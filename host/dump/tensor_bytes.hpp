// From bytes in a file to a tensor: checks that they suffice, and copies only where the memory can't be used as it lies.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "assay/sdk/tensor.hpp"
#include "base/result.hpp"

namespace assay {

struct StoredTensor {
  assay_dtype dtype{};
  bool swapped = false;  ///< big-endian
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;  ///< in elements, not negative; empty: compact row-major
  std::uint64_t first_element = 0;    ///< the tensor's offset in `bytes`, in elements
  std::string_view bytes;
  std::shared_ptr<const std::byte> owner;  ///< keeps `bytes` alive
};

/// errors  kInput: the shape needs more bytes than there are, or more than a memory holds
Result<Tensor> make_tensor(StoredTensor stored);

/// Turns the byte order of every item around.
void swap_bytes(char* data, std::size_t size, std::size_t item);

/// A compact copy with every element converted; rounds to nearest. For floating-point types.
Tensor convert_floats(const Tensor& tensor, assay_dtype dtype);

}  // namespace assay
