// plugins/comparisons/engine/float_kernel.hpp: vector code for a block of finite float32, float16 or bfloat16 pairs.
//
// The block is walked a few times while it lies in the first-level cache: over the bits (ulp distances, smallest and largest
// magnitudes), over the numbers in double (sums), over the relative errors in float32, and over one byte an element for each
// histogram.
#pragma once

#include <cstddef>
#include <cstdint>

#include "plan.hpp"
#include "totals.hpp"

namespace assay::engine {

/// One block. Arrays are padded with zeros to a multiple of kVectorPadding elements. 16-bit elements come as bits, and as floats
/// too unless `sums_in_runs`.
struct FloatBlock {
  const float* actual = nullptr;
  const float* expected = nullptr;
  const std::uint16_t* actual_bits = nullptr;  ///< of the 16-bit dtypes; null: the floats are the elements
  const std::uint16_t* expected_bits = nullptr;
  bool is_half = false;                      ///< the 16-bit dtype is float16
  bool sums_in_runs = false;                 ///< terms with d are added in short runs of float32 first; else all in double
  std::size_t element_size = sizeof(float);  ///< of the tensor
  int n = 0;
  int padding = 0;                         ///< how many of the n are padding
  const std::byte* next_actual = nullptr;  ///< the next block's memory, to be fetched meanwhile; null: none
  const std::byte* next_expected = nullptr;
};

inline constexpr int kVectorPadding = 64;

/// Adds the block; false, with nothing added, if it holds something that needs the general code: NaN, infinity, extreme ratios.
bool gather_float_block(const Plan& plan, const FloatBlock& block, Totals& totals, Histograms& histograms);

/// Widens n (a multiple of kVectorPadding) elements.
void widen_float16(const std::uint16_t* raw, int n, float* out);
void widen_bfloat16(const std::uint16_t* raw, int n, float* out);

}  // namespace assay::engine
