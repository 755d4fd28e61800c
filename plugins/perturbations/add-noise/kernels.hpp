// The loops of add-noise, for one block and one floating-point format.
#pragma once

#include <cstdint>

#include "draw_steps.hpp"

namespace assay {

/// Moves each component by whole units in the last place along the number line of its format. Zeros, infinities and NaNs stay; a
/// step that would leave the finite numbers of the same sign goes the other way. Returns how many components moved.
template <class Format>
ASSAY_ALWAYS_INLINE std::uint64_t step_ulps_loop(const Block& block, const RandomStream& stream, StepRange range) {
  using T = typename Format::Storage;
  using S = typename Format::Signed;
  // 0 < magnitude < kEnd, as one addition (of -1 and of the sign, to count from the least signed number) and one comparison.
  const auto is_inside = [](T magnitude) {
    constexpr auto kLast = static_cast<S>(static_cast<T>(Format::kEnd - 2) ^ Format::kSign);
    return lane_mask<T>(static_cast<S>(static_cast<T>(magnitude + static_cast<T>(Format::kSign - 1))) <= kLast);
  };
  const T* const ASSAY_RESTRICT in = static_cast<const T*>(block.input);
  T* const ASSAY_RESTRICT out = static_cast<T*>(block.output);
  std::int8_t steps[kBlockSize];
  draw_steps(stream, block.first, block.count, range, steps);
  return count_masks<T>(block.count, [&](std::size_t i) {
    const T x = in[i];
    const T magnitude = Format::magnitude(x);
    const auto step = static_cast<T>(steps[i]);
    const T movable = is_inside(magnitude);
    const auto turn = static_cast<T>(~is_inside(static_cast<T>(magnitude + step)));
    const auto delta = static_cast<T>(static_cast<T>(step ^ turn) - turn);
    out[i] = static_cast<T>(x + static_cast<T>(delta & movable));
    return movable;
  });
}

/// x + step * unit, or x + x * step * unit, rounded once to the format. Components that are not finite, or would not be, stay.
template <class Format, bool kRelative>
ASSAY_ALWAYS_INLINE std::uint64_t add_scaled_loop(const Block& block, const RandomStream& stream, StepRange range, double unit) {
  using T = typename Format::Storage;
  using Lane = typename Format::Lane;
  using Wide = typename Format::Wide;
  const T* const ASSAY_RESTRICT in = static_cast<const T*>(block.input);
  T* const ASSAY_RESTRICT out = static_cast<T*>(block.output);
  std::int8_t steps[kBlockSize];
  draw_steps(stream, block.first, block.count, range, steps);
  const auto wide_unit = static_cast<Wide>(unit);
  return count_masks<Lane>(block.count, [&](std::size_t i) {
    const auto bits = static_cast<Lane>(in[i]);
    const Lane finite = lane_mask<Lane>(Format::is_finite(bits));
    // A number that is not finite would poison the product; its result isn't used.
    const Wide x = Format::widen(bits & finite);
    const Lane noisy = Format::template narrow<Lane>(x + static_cast<Wide>(steps[i]) * wide_unit * (kRelative ? x : Wide{1}));
    const Lane after = select<Lane>(finite & lane_mask<Lane>(Format::is_finite(noisy)), noisy, bits);
    out[i] = static_cast<T>(after);
    // What changed is finite on both sides, so only zeros can be equal in other bits.
    return static_cast<Lane>(lane_mask<Lane>(bits != after) & lane_mask<Lane>((bits | after) != Lane{Format::kSign}));
  });
}

/// The largest finite magnitude of a block, as bits.
template <class Format>
ASSAY_ALWAYS_INLINE std::uint64_t largest_finite_loop(const Block& block) {
  using T = typename Format::Storage;
  using S = typename Format::Signed;
  const T* const ASSAY_RESTRICT in = static_cast<const T*>(block.input);
  S largest = 0;
  for (std::size_t i = 0; i < block.count; ++i) {
    const S magnitude = Format::ordered(in[i]);
    const S finite = magnitude < static_cast<S>(Format::kEnd) ? magnitude : S{0};
    largest = finite > largest ? finite : largest;
  }
  return static_cast<std::uint64_t>(largest);
}

/// The distance from the largest finite magnitude to the next number above its power of two.
template <class Format>
double spacing_at(std::uint64_t magnitude) {
  using T = typename Format::Storage;
  const auto power = static_cast<T>(magnitude >> Format::kFractionBits << Format::kFractionBits);
  return static_cast<double>(Format::widen(static_cast<T>(power + 1))) - static_cast<double>(Format::widen(power));
}

}  // namespace assay
