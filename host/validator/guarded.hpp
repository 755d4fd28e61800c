// Tensors in guarded memory: reading or writing one byte beyond them, or writing a read-only one, is a crash that the validator
// sees.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "assay/sdk/dtype.hpp"
#include "assay/sdk/tensor.hpp"

namespace assay::validator {

enum class Layout {
  kCompact,     ///< strides NULL
  kStrides,     ///< compact, strides given
  kTransposed,  ///< column-major
  kReversed,    ///< negative strides
  kSpread,      ///< every second element
  kByteOffset   ///< begins at an odd byte_offset
};
inline constexpr Layout kLayouts[] = {Layout::kStrides, Layout::kTransposed, Layout::kReversed, Layout::kSpread,
                                      Layout::kByteOffset};
const char* layout_name(Layout layout);

/// Gives the value of the row-major element `index`.
using Fill = std::function<double(std::int64_t index)>;

class GuardedTensor {
 public:
  /// Read-only memory with the values of `fill`.
  static GuardedTensor input(assay_dtype dtype, std::vector<std::int64_t> shape, const Fill& fill,
                             Layout layout = Layout::kCompact);
  /// Writable memory of zeros.
  static GuardedTensor output(assay_dtype dtype, std::vector<std::int64_t> shape, Layout layout = Layout::kCompact);

  [[nodiscard]] assay_tensor& abi() { return body_->tensor; }
  [[nodiscard]] const assay_tensor& abi() const { return body_->tensor; }
  [[nodiscard]] TensorView view() const { return TensorView(body_->tensor); }
  /// The elements' bytes in row-major order.
  [[nodiscard]] std::vector<unsigned char> bytes() const;

 private:
  struct Body {
    assay_tensor tensor{};
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> strides;
    void* memory = nullptr;
    std::size_t size = 0;
    ~Body();
  };
  static std::shared_ptr<Body> place(assay_dtype dtype, std::vector<std::int64_t> shape, Layout layout);
  std::shared_ptr<Body> body_;
};

/// Varied finite values of both signs that every dtype holds: small multiples of 1/4, whole for integers.
Fill varied(assay_dtype dtype, std::uint64_t seed);

}  // namespace assay::validator
