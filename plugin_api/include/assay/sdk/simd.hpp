// assay/sdk/simd.hpp: lets the compiler build a loop twice, for AVX2 and for the baseline, and pick at load time.
//
//   template <class T> ASSAY_ALWAYS_INLINE void scale(T* x, std::size_t n) { for (...) ... }
//   ASSAY_MULTIVERSION void scale_float(float* x, std::size_t n) { scale<float>(x, n); }
//
// ASSAY_MULTIVERSION goes on a function that is no template; what it calls must be ASSAY_ALWAYS_INLINE to be compiled with it.
#pragma once

#define ASSAY_ALWAYS_INLINE inline __attribute__((always_inline))
#define ASSAY_RESTRICT __restrict__

// Sanitizers instrument the resolver that the loader runs before their own start-up.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define ASSAY_MULTIVERSION __attribute__((target_clones("avx2", "default")))
#else
#define ASSAY_MULTIVERSION
#endif

namespace assay {

/// All bits set where the condition holds, else none. Conditions combined as masks of the loop's own width vectorise; && and ||
/// don't.
template <class T>
ASSAY_ALWAYS_INLINE constexpr T lane_mask(bool condition) {
  return condition ? static_cast<T>(~T{0}) : T{0};
}

/// Where the mask is set `chosen`, else `other`.
template <class T>
ASSAY_ALWAYS_INLINE constexpr T select(T mask, T chosen, T other) {
  return static_cast<T>((chosen & mask) | (other & static_cast<T>(~mask)));
}

}  // namespace assay
