// plugins/comparisons/engine/source.hpp: runs of a tensor's elements in row-major order, whatever its strides.
//
//   Source source(*pair.actual, "actual");                       // throws Error where the tensor can't be read
//   const std::byte* raw = source.read(begin, n, scratch);       // n elements in a row, any alignment
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "assay/sdk/tensor.hpp"

namespace assay::engine {

class Source {
 public:
  /// Throws Error(ASSAY_UNSUPPORTED) for a device or dtype that can't be read, Error(ASSAY_INVALID_ARGUMENT) for an impossible
  /// shape.
  Source(const assay_tensor& tensor, const char* role);

  [[nodiscard]] assay_dtype dtype() const { return dtype_; }
  [[nodiscard]] std::int64_t numel() const { return numel_; }
  [[nodiscard]] std::size_t element_size() const { return element_size_; }
  [[nodiscard]] bool is_contiguous() const { return dims_.empty(); }

  /// Elements [begin, begin + n): a pointer into the tensor, or into `scratch` (n * element_size bytes) after gathering.
  const std::byte* read(std::int64_t begin, std::int64_t n, std::byte* scratch) const {
    if (is_contiguous()) return data_ + begin * static_cast<std::int64_t>(element_size_);
    gather(begin, n, scratch);
    return scratch;
  }

 private:
  struct Dim {
    std::int64_t size;
    std::int64_t stride;  ///< bytes
  };

  void gather(std::int64_t begin, std::int64_t n, std::byte* out) const;

  const std::byte* data_ = nullptr;
  assay_dtype dtype_{};
  std::size_t element_size_ = 0;
  std::int64_t numel_ = 1;
  std::vector<Dim> dims_;  ///< neighbours that lie in a row are merged; empty: compact
};

}  // namespace assay::engine
