// Random signed whole numbers for a block of components, each from (seed, component index).
#pragma once

#include <cstdint>

#include "assay/sdk/elementwise.hpp"
#include "assay/sdk/random.hpp"

namespace assay {

/// A step goes up or down by low, low + 1, ..., low + span - 1; low >= 1, low + span - 1 <= 127.
struct StepRange {
  std::uint8_t low;
  std::uint8_t span;

  [[nodiscard]] int largest() const { return low + span - 1; }
};

/// Components that share one run of random words; kBlockSize is a multiple of it.
inline constexpr std::size_t kDrawGroup = 128;

namespace detail {

/// One draw of kBits bits as a step: its highest bit is the direction, the others choose among the span's numbers.
template <int kBits, bool kPowerOfTwo>
ASSAY_ALWAYS_INLINE std::int8_t step_of(std::uint8_t draw, StepRange range) {
  constexpr std::uint8_t kDirection = 1u << (kBits - 1);
  const auto choice = static_cast<std::uint8_t>(draw & (kDirection - 1));
  const auto chosen = static_cast<std::uint8_t>(kPowerOfTwo ? choice & (range.span - 1) : (choice * range.span) >> (kBits - 1));
  const auto size = static_cast<std::uint8_t>(range.low + chosen);
  const std::uint8_t down = (draw & kDirection) == kDirection ? 0xff : 0;
  return static_cast<std::int8_t>(static_cast<std::uint8_t>((size ^ down) - down));
}

template <bool kPowerOfTwo>
ASSAY_ALWAYS_INLINE void draw_group(const std::uint8_t* draws, bool narrow, StepRange range, std::int8_t* out) {
  constexpr std::size_t kHalf = kDrawGroup / 2;
  if (narrow) {
    for (std::size_t i = 0; i < kHalf; ++i) out[i] = step_of<4, kPowerOfTwo>(draws[i] & 15, range);
    for (std::size_t i = 0; i < kHalf; ++i) {
      out[kHalf + i] = step_of<4, kPowerOfTwo>(static_cast<std::uint8_t>(draws[i] >> 4), range);
    }
  } else {
    for (std::size_t i = 0; i < kDrawGroup; ++i) out[i] = step_of<8, kPowerOfTwo>(draws[i], range);
  }
}

}  // namespace detail

/// Fills steps[0, count) for the components first, first + 1, ...; first is a multiple of kDrawGroup and `steps` has room for whole
/// groups. A component takes 4 random bits if the span is at most 8, else 8; the choice is exactly uniform where the span is a
/// power of two.
ASSAY_ALWAYS_INLINE void draw_steps(const RandomStream& stream, std::uint64_t first, std::size_t count, StepRange range,
                                    std::int8_t* steps) {
  const bool narrow = range.span <= 8;
  const bool power_of_two = (range.span & (range.span - 1)) == 0;
  const std::size_t words_per_group = narrow ? kDrawGroup / 8 : kDrawGroup / 4;
  const std::size_t groups = (count + kDrawGroup - 1) / kDrawGroup;
  std::uint32_t words[kBlockSize / 4];
  std::uint8_t draws[kBlockSize];
  stream.fill(words, first / kDrawGroup * words_per_group, groups * words_per_group);
  std::memcpy(draws, words, groups * words_per_group * sizeof words[0]);
  for (std::size_t group = 0; group < groups; ++group) {
    const std::uint8_t* const of_group = draws + group * words_per_group * sizeof words[0];
    if (power_of_two) {
      detail::draw_group<true>(of_group, narrow, range, steps + group * kDrawGroup);
    } else {
      detail::draw_group<false>(of_group, narrow, range, steps + group * kDrawGroup);
    }
  }
}

}  // namespace assay
