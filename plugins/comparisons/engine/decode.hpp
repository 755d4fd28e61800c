// plugins/comparisons/engine/decode.hpp: raw elements of one dtype as doubles and as ordered numbers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "assay/sdk/dtype.hpp"

namespace assay::engine {

/// A real dtype, or the dtype of a complex number's parts.
assay_dtype part_dtype(assay_dtype dtype);

/// Widens n numbers of a real dtype; exact but for 64-bit integers beyond 2^53.
void decode(assay_dtype dtype, const std::byte* raw, int n, double* out);

/// Rounds to nearest even in the dtype's format; integers saturate. Returned widened again.
double round_to(assay_dtype dtype, double value);

/// An integer of any width as sign and magnitude.
struct Integer {
  bool negative;
  std::uint64_t magnitude;
};
Integer load_integer(assay_dtype dtype, const std::byte* raw, int index);

/// |a - e| exactly, at most 2^64 - 1.
std::uint64_t integer_distance(Integer actual, Integer expected);

}  // namespace assay::engine
