// assay/sdk/random.hpp: random numbers by position: word i of a stream is a function of (seed, i), so any part can be made
// anywhere, in any order, by any number of threads.
//
//   assay::RandomStream stream(seed);
//   std::uint32_t word = stream.word(index);
#pragma once

#include <cstddef>
#include <cstdint>

#include "assay/sdk/simd.hpp"

namespace assay {

/// A bijection of 64-bit numbers that leaves no visible pattern (the output step of SplitMix64, Steele et al. 2014).
constexpr std::uint64_t mix64(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// A stream of 2^64 random 32-bit words, each computed from its index alone.
///
/// Word i: the low half of i goes through a keyed 32-bit mix of two multiplications (constants of Wellons' "lowbias32"), which
/// vectorises; the 64-bit key comes from mix64 of the seed and the high half of i. Good for noise, not for secrets.
class RandomStream {
 public:
  explicit constexpr RandomStream(std::uint64_t seed) : seed_(mix64(seed + kGolden)) {}

  [[nodiscard]] constexpr std::uint32_t word(std::uint64_t index) const {
    return mix(static_cast<std::uint32_t>(index), key(index >> 32));
  }

  /// A number in [0, 1) with 32 random bits.
  [[nodiscard]] constexpr double unit(std::uint64_t index) const { return word(index) * 0x1p-32; }

  /// Words first, first + 1, ..., first + count - 1; the range must not cross a multiple of 2^32.
  ASSAY_ALWAYS_INLINE void fill(std::uint32_t* out, std::uint64_t first, std::size_t count) const {
    const std::uint64_t k = key(first >> 32);
    const auto low = static_cast<std::uint32_t>(first);
    // A counter as wide as the words: lanes aren't narrowed.
    const auto words = static_cast<std::uint32_t>(count);
    for (std::uint32_t i = 0; i < words; ++i) out[i] = mix(low + i, k);
  }

 private:
  static constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15u;

  [[nodiscard]] constexpr std::uint64_t key(std::uint64_t high) const { return mix64(seed_ + high * kGolden); }

  static ASSAY_ALWAYS_INLINE constexpr std::uint32_t mix(std::uint32_t x, std::uint64_t key) {
    x ^= static_cast<std::uint32_t>(key);
    x ^= x >> 16;
    x *= 0x7feb352du;
    x += static_cast<std::uint32_t>(key >> 32);  // with one key only, two streams would be the same words in another order
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
  }

  std::uint64_t seed_;
};

}  // namespace assay
