// assay/sdk/widen.hpp: exact conversion of a tensor to the next wider floating-point type.
#pragma once

#include "assay/sdk/elementwise.hpp"

namespace assay {

/// float32 for the 8- and 16-bit types, float64 for float32, likewise complex; the dtype itself where there is none wider.
constexpr assay_dtype wider_dtype(assay_dtype dtype) {
  if (is_complex(dtype)) return dtype.bits < 128 ? make_dtype(ASSAY_DTYPE_COMPLEX, dtype.bits * 2) : dtype;
  if (!is_floating(dtype) || dtype == kFloat64) return dtype;
  return dtype == kFloat32 ? kFloat64 : kFloat32;
}

namespace detail {

template <class Format, class Wide>
ASSAY_ALWAYS_INLINE void widen_loop(const Block& block) {
  const auto* const ASSAY_RESTRICT in = static_cast<const typename Format::Storage*>(block.input);
  Wide* const ASSAY_RESTRICT out = static_cast<Wide*>(block.output);
  for (std::size_t i = 0; i < block.count; ++i) out[i] = static_cast<Wide>(Format::widen(in[i]));
}

ASSAY_MULTIVERSION static void widen_block(Float16, const Block& block) { widen_loop<Float16, float>(block); }
ASSAY_MULTIVERSION static void widen_block(BFloat16, const Block& block) { widen_loop<BFloat16, float>(block); }
ASSAY_MULTIVERSION static void widen_block(Float8E4M3FN, const Block& block) { widen_loop<Float8E4M3FN, float>(block); }
ASSAY_MULTIVERSION static void widen_block(Float8E5M2, const Block& block) { widen_loop<Float8E5M2, float>(block); }
ASSAY_MULTIVERSION static void widen_block(Float32, const Block& block) { widen_loop<Float32, double>(block); }

}  // namespace detail

/// Writes the input's values into an output of wider_dtype(input.dtype()); see require_output.
inline void widen_tensor(const TensorView& input, assay_tensor& output, std::uint32_t max_threads) {
  visit_format(input.dtype(), [&](auto format) {
    if constexpr (std::is_same_v<decltype(format), Float64>) {
      throw Error(ASSAY_UNSUPPORTED, "dtype " + std::string(dtype_name(input.dtype())) + " has no wider type");
    } else {
      transform(input, output, max_threads, [&](const Block& block) -> std::uint64_t {
        detail::widen_block(format, block);
        return 0;
      });
    }
  });
}

}  // namespace assay
