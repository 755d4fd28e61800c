#include "kernels/cube.hpp"

#include <algorithm>
#include <numeric>
#include <random>

namespace assay::emulator {

CubeMode cube_mode(std::int64_t math_type, aclDataType dtype) {
  if (math_type < -1 || math_type > 4) {
    refuse("cubeMathType " + std::to_string(math_type) + " doesn't exist");
  }
  if (dtype == ACL_FLOAT16 || dtype == ACL_BF16) {
    return {Multiply::kAsIs, 16};
  }
  switch (math_type) {
    case 1:
    case 3: return {Multiply::kHf32, 8};
    case 2: return {Multiply::kHalf, 16};
    default: return {Multiply::kFloat, 8};
  }
}

std::vector<float> cube_input(const View& view, const CubeMode& mode) {
  std::vector<float> values(static_cast<std::size_t>(view.count()));
  const int bits = number_modes().hf32_mantissa;
  each_element(view, [&](std::size_t n, const std::byte* at) {
    const auto value = static_cast<float>(load_real(at, view.dtype));
    switch (mode.multiply) {
      case Multiply::kHf32: values[n] = round_mantissa(value, bits); break;
      case Multiply::kHalf: values[n] = float_from_half(half_from_float(value)); break;
      default: values[n] = value; break;
    }
  });
  return values;
}

std::vector<std::int64_t> summation_order(std::int64_t count) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  if (number_modes().shuffle) {
    static std::mt19937_64 random{std::random_device{}()};
    std::shuffle(order.begin(), order.end(), random);
  }
  return order;
}

void cube_product(const float* a, const float* b, float* c, std::int64_t m, std::int64_t k, std::int64_t n, const CubeMode& mode) {
  const std::vector<std::int64_t> blocks = summation_order((k + mode.block - 1) / mode.block);
  std::vector<double> partial(static_cast<std::size_t>(n));
  for (std::int64_t row = 0; row < m; ++row) {
    float* sums = c + row * n;
    std::fill(sums, sums + n, 0.0F);
    for (const std::int64_t block : blocks) {
      std::fill(partial.begin(), partial.end(), 0.0);
      for (std::int64_t i = block * mode.block; i < std::min(k, (block + 1) * mode.block); ++i) {
        const double factor = a[row * k + i];
        const float* line = b + i * n;
        for (std::int64_t column = 0; column < n; ++column) {
          partial[static_cast<std::size_t>(column)] += factor * static_cast<double>(line[column]);
        }
      }
      for (std::int64_t column = 0; column < n; ++column) {
        sums[column] += static_cast<float>(partial[static_cast<std::size_t>(column)]);
      }
    }
  }
}

std::vector<float> cube_product(const std::vector<float>& a, const std::vector<float>& b, std::int64_t m, std::int64_t k,
                                std::int64_t n, const CubeMode& mode) {
  std::vector<float> c(static_cast<std::size_t>(m * n));
  cube_product(a.data(), b.data(), c.data(), m, k, n, mode);
  return c;
}

View transposed(View view) {
  const std::size_t last = view.rank() - 1;
  std::swap(view.shape[last], view.shape[last - 1]);
  std::swap(view.strides[last], view.strides[last - 1]);
  return view;
}

}  // namespace assay::emulator
