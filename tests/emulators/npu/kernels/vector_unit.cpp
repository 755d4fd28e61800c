#include "kernels/vector_unit.hpp"

#include <algorithm>
#include <array>

#include "kernels/cube.hpp"

namespace assay::emulator {
namespace {

constexpr std::size_t kRepeat = 64;  // floats in 256 bytes

float repeat_sum(const double* values, std::size_t count, std::size_t stride) {
  std::array<float, kRepeat> tree{};
  for (std::size_t i = 0; i < count; ++i) {
    tree[i] = static_cast<float>(values[i * stride]);
  }
  for (std::size_t width = kRepeat / 2; width > 0; width /= 2) {
    for (std::size_t i = 0; i < width; ++i) {
      tree[i] = tree[2 * i] + tree[2 * i + 1];
    }
  }
  return tree[0];
}

}  // namespace

double tree_sum(const double* values, std::size_t count, std::size_t stride, aclDataType dtype) {
  if (dtype == ACL_DOUBLE) {
    double sum = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
      sum += values[i * stride];
    }
    return sum;
  }
  const std::size_t repeats = (count + kRepeat - 1) / kRepeat;
  float sum = 0.0F;
  for (const std::int64_t repeat : summation_order(static_cast<std::int64_t>(repeats))) {
    const std::size_t first = static_cast<std::size_t>(repeat) * kRepeat;
    sum += repeat_sum(values + first * stride, std::min(kRepeat, count - first), stride);
  }
  return sum;
}

}  // namespace assay::emulator
