// assay/sdk/widen.hpp: exact conversion of a tensor to the next wider floating-point type.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

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

/// A NaN comes out quiet, as from the processor's own conversion: the same bits on every machine.
template <class Format>
ASSAY_ALWAYS_INLINE float widen_quiet(typename Format::Storage bits) {
  const auto lane = static_cast<std::uint32_t>(bits);
  const auto quiet = lane_mask<std::uint32_t>(Format::is_nan(lane)) & 0x00400000u;
  return same_bits<float>(same_bits<std::uint32_t>(Format::widen(lane)) | quiet);
}

template <class Format>
ASSAY_ALWAYS_INLINE void widen_half_loop(const Block& block, std::size_t from) {
  const auto* const ASSAY_RESTRICT in = static_cast<const typename Format::Storage*>(block.input);
  auto* const ASSAY_RESTRICT out = static_cast<float*>(block.output);
  for (std::size_t i = from; i < block.count; ++i) out[i] = widen_quiet<Format>(in[i]);
}

#if defined(__x86_64__) && defined(__GNUC__)

/// Every processor with AVX2 converts halves itself, five times as fast as the loop above.
inline bool converts_halves() { return __builtin_cpu_supports("avx2") != 0; }

/// Returns how many elements are done: all but the last few.
__attribute__((target("avx2,f16c"))) inline std::size_t convert_halves(Float16, const Block& block) {
  const auto* const in = static_cast<const std::uint16_t*>(block.input);
  auto* const out = static_cast<float*>(block.output);
  std::size_t i = 0;
  for (; i + 8 <= block.count; i += 8) {
    _mm256_storeu_ps(out + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(in + i))));
  }
  return i;
}

/// float8_e5m2 is the upper half of a float16.
__attribute__((target("avx2,f16c"))) inline std::size_t convert_halves(Float8E5M2, const Block& block) {
  const auto* const in = static_cast<const std::uint8_t*>(block.input);
  auto* const out = static_cast<float*>(block.output);
  std::size_t i = 0;
  for (; i + 16 <= block.count; i += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + i));
    _mm256_storeu_ps(out + i, _mm256_cvtph_ps(_mm_unpacklo_epi8(_mm_setzero_si128(), bytes)));
    _mm256_storeu_ps(out + i + 8, _mm256_cvtph_ps(_mm_unpackhi_epi8(_mm_setzero_si128(), bytes)));
  }
  return i;
}

#else

inline bool converts_halves() { return false; }
template <class Format>
std::size_t convert_halves(Format, const Block&) {
  return 0;
}

#endif

template <class Format>
void widen_half_block(Format format, const Block& block) {
  widen_half_loop<Format>(block, converts_halves() ? convert_halves(format, block) : 0);
}

inline void widen_block(Float16 format, const Block& block) { widen_half_block(format, block); }
inline void widen_block(Float8E5M2 format, const Block& block) { widen_half_block(format, block); }
ASSAY_MULTIVERSION static void widen_block(BFloat16, const Block& block) { widen_loop<BFloat16, float>(block); }
ASSAY_MULTIVERSION static void widen_block(Float8E4M3FN, const Block& block) { widen_loop<Float8E4M3FN, float>(block); }
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
