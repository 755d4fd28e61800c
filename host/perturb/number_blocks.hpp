// Reads tensors of any dtype and layout as doubles, a block at a time.
#pragma once

#include <cstdint>

#include "assay/sdk/tensor.hpp"

namespace assay {

/// The components of a tensor (a complex element has two) in row-major order.
class NumberReader {
 public:
  explicit NumberReader(const TensorView& tensor);

  [[nodiscard]] std::size_t components() const { return components_; }
  void read(std::size_t first, std::size_t count, double* out) const;

  /// Whether the components are floats without loss, in order in memory.
  [[nodiscard]] bool gives_floats() const { return read_floats_ != nullptr; }
  /// As read(), where they lie or in `buffer`; only where gives_floats().
  const float* floats(std::size_t first, std::size_t count, float* buffer) const {
    return read_floats_(tensor_.data(), first, count, buffer);
  }

 private:
  TensorView tensor_;
  std::size_t components_;
  void (*read_)(const void*, std::size_t, std::size_t, double*) = nullptr;
  const float* (*read_floats_)(const void*, std::size_t, std::size_t, float*) = nullptr;
};

inline constexpr std::size_t kNumberBlock = 1024;

/// Calls f(first, count, before, after) for blocks that cover the components [first, last) of both.
template <class F>
void for_each_pair(const NumberReader& before, const NumberReader& after, std::size_t first, std::size_t last, F&& f) {
  double left[kNumberBlock];
  double right[kNumberBlock];
  for (; first < last; first += kNumberBlock) {
    const std::size_t count = last - first < kNumberBlock ? last - first : kNumberBlock;
    before.read(first, count, left);
    after.read(first, count, right);
    f(first, count, static_cast<const double*>(left), static_cast<const double*>(right));
  }
}

}  // namespace assay
