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

/// One draw of kBits bits as a step: the lowest bit is the direction, the others choose among the span's numbers.
template <int kBits>
ASSAY_ALWAYS_INLINE std::int8_t step_of(std::uint8_t draw, StepRange range) {
  const auto choice = static_cast<std::uint8_t>(draw >> 1);
  const auto size = static_cast<std::uint8_t>(range.low + static_cast<std::uint8_t>((choice * range.span) >> (kBits - 1)));
  return static_cast<std::int8_t>((draw & 1) != 0 ? -size : size);
}

}  // namespace detail

/// Fills steps[0, count) for the components first, first + 1, ...; first is a multiple of kDrawGroup and `steps` has room for whole
/// groups. A component takes 4 random bits where the span allows (the choice among 8 numbers is then uniform if the span divides
/// 8), else 8.
ASSAY_ALWAYS_INLINE void draw_steps(const RandomStream& stream, std::uint64_t first, std::size_t count, StepRange range,
                                    std::int8_t* steps) {
  const bool narrow = range.span <= 8;
  const std::size_t bytes = narrow ? kDrawGroup / 2 : kDrawGroup;
  for (std::size_t group = 0; group < count; group += kDrawGroup) {
    std::uint32_t words[kDrawGroup / 4];
    std::uint8_t draws[kDrawGroup];
    stream.fill(words, (first + group) / kDrawGroup * (bytes / 4), bytes / 4);
    std::memcpy(draws, words, bytes);
    std::int8_t* const out = steps + group;
    if (narrow) {
      for (std::size_t i = 0; i < kDrawGroup / 2; ++i) {
        out[i] = detail::step_of<4>(draws[i] & 15, range);
        out[i + kDrawGroup / 2] = detail::step_of<4>(static_cast<std::uint8_t>(draws[i] >> 4), range);
      }
    } else {
      for (std::size_t i = 0; i < kDrawGroup; ++i) out[i] = detail::step_of<8>(draws[i], range);
    }
  }
}

}  // namespace assay
