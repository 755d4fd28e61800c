// How the vector unit sums: floats in trees of neighbours inside a repeat of 64, repeats one after the other.
#pragma once

#include <cstddef>
#include <vector>

#include "core/numbers.hpp"

namespace assay::emulator {

/// The sum of values[0], values[stride], ... as floats; in double for ACL_DOUBLE.
double tree_sum(const double* values, std::size_t count, std::size_t stride, aclDataType dtype);
inline double tree_sum(const std::vector<double>& values, aclDataType dtype) {
  return tree_sum(values.data(), values.size(), 1, dtype);
}

}  // namespace assay::emulator
