// The cube unit: matrix products with inputs rounded to what it multiplies, sums in float, one rounding at the end.
//
//   std::vector<float> a = cube_input(args.tensor("self"), mode), b = ...;
//   std::vector<float> c = cube_product(a, b, m, k, n, mode);    // a is m by k, b is k by n
#pragma once

#include "kernels/access.hpp"

namespace assay::emulator {

enum class Multiply { kFloat, kHf32, kHalf, kAsIs };

struct CubeMode {
  Multiply multiply = Multiply::kFloat;
  std::int64_t block = 8;  // of K: what one step adds exactly before it rounds to float
};

/// From cubeMathType and the dtype of the inputs together; refuses values that don't exist.
CubeMode cube_mode(std::int64_t math_type, aclDataType dtype);

/// The elements, row-major, as the cube sees them.
std::vector<float> cube_input(const View& view, const CubeMode& mode);

std::vector<float> cube_product(const std::vector<float>& a, const std::vector<float>& b, std::int64_t m, std::int64_t k,
                                std::int64_t n, const CubeMode& mode);
/// The same on parts of larger arrays; `c` has m * n elements.
void cube_product(const float* a, const float* b, float* c, std::int64_t m, std::int64_t k, std::int64_t n, const CubeMode& mode);

/// 0, 1, ... count - 1, in another order each time if the run asks for that.
std::vector<std::int64_t> summation_order(std::int64_t count);

/// A view with its last two dimensions swapped.
View transposed(View view);

}  // namespace assay::emulator
