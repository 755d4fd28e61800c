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
  const T* const in = static_cast<const T*>(block.input);
  T* const out = static_cast<T*>(block.output);
  std::int8_t steps[kBlockSize];
  draw_steps(stream, block.first, block.count, range, steps);

  // Inside these bounds no step can reach zero or infinity.
  const auto lowest = static_cast<T>(1 + range.largest());
  const auto width = static_cast<T>(Format::kEnd - 1 - range.largest() - lowest);
  std::uint64_t moved = 0;
  for (std::size_t group = 0; group < block.count; group += kDrawGroup) {
    const std::size_t n = std::min(kDrawGroup, block.count - group);
    const T* const x = in + group;
    T* const y = out + group;
    const std::int8_t* const step = steps + group;
    T outside = 0;
    for (std::size_t i = 0; i < n; ++i) {
      outside = static_cast<T>(outside | (static_cast<T>(Format::magnitude(x[i]) - lowest) > width ? 1 : 0));
    }
    if (outside == 0) {
      for (std::size_t i = 0; i < n; ++i) y[i] = static_cast<T>(x[i] + static_cast<T>(step[i]));
      moved += n;
      continue;
    }
    T sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const T magnitude = Format::magnitude(x[i]);
      const auto forward = static_cast<T>(step[i]);
      const auto target = static_cast<T>(magnitude + forward - 1);
      const T delta = target >= static_cast<T>(Format::kEnd - 1) ? static_cast<T>(0 - forward) : forward;
      const bool movable = static_cast<T>(magnitude - 1) < static_cast<T>(Format::kEnd - 1);
      y[i] = static_cast<T>(x[i] + (movable ? delta : T{0}));
      sum = static_cast<T>(sum + (movable ? 1 : 0));
    }
    moved += sum;
  }
  return moved;
}

/// x + step * unit, or x + x * step * unit, rounded once to the format. Components that are not finite, or would not be, stay.
template <class Format>
ASSAY_ALWAYS_INLINE std::uint64_t add_scaled_loop(const Block& block, const RandomStream& stream, StepRange range, double unit,
                                                  bool relative) {
  using T = typename Format::Storage;
  using Wide = typename Format::Wide;
  const T* const in = static_cast<const T*>(block.input);
  T* const out = static_cast<T*>(block.output);
  std::int8_t steps[kBlockSize];
  draw_steps(stream, block.first, block.count, range, steps);
  const auto wide_unit = static_cast<Wide>(unit);
  const Wide own = relative ? Wide{1} : Wide{0};
  const Wide other = relative ? Wide{0} : Wide{1};
  for (std::size_t i = 0; i < block.count; ++i) {
    const T bits = in[i];
    // A number that is not finite would poison the product; its result isn't used.
    const Wide x = Format::widen(Format::is_finite(bits) ? bits : T{0});
    const T noisy = Format::narrow(x + static_cast<Wide>(steps[i]) * wide_unit * (x * own + other));
    out[i] = Format::is_finite(bits) && Format::is_finite(noisy) ? noisy : bits;
  }
  return count_changed<Format>(in, out, block.count, 1);
}

/// The peer's rule: one fixed number is added, in the tensor's own dtype, where |x| is above a fixed limit.
template <class Format>
ASSAY_ALWAYS_INLINE std::uint64_t add_fixed_loop(const Block& block, double noise, double limit) {
  using T = typename Format::Storage;
  using Wide = typename Format::Wide;
  const T* const in = static_cast<const T*>(block.input);
  T* const out = static_cast<T*>(block.output);
  const Wide own_noise = Format::widen(Format::narrow(static_cast<Wide>(noise)));
  const T own_limit = Format::narrow(static_cast<Wide>(limit));
  for (std::size_t i = 0; i < block.count; ++i) {
    const T bits = in[i];
    const T noisy = Format::narrow(Format::widen(bits) + own_noise);
    const bool add = Format::magnitude(bits) > own_limit && Format::magnitude(bits) <= Format::kEnd;
    out[i] = add ? noisy : bits;
  }
  return count_changed<Format>(in, out, block.count, 1);
}

/// The largest finite magnitude of a block, as bits.
template <class Format>
ASSAY_ALWAYS_INLINE std::uint64_t largest_finite_loop(const Block& block) {
  using T = typename Format::Storage;
  const T* const in = static_cast<const T*>(block.input);
  T largest = 0;
  for (std::size_t i = 0; i < block.count; ++i) {
    const T magnitude = Format::magnitude(in[i]);
    const T finite = magnitude < Format::kEnd ? magnitude : T{0};
    largest = finite > largest ? finite : largest;
  }
  return largest;
}

/// The distance from the largest finite magnitude to the next number above its power of two.
template <class Format>
double spacing_at(std::uint64_t magnitude) {
  using T = typename Format::Storage;
  const auto power = static_cast<T>(magnitude >> Format::kFractionBits << Format::kFractionBits);
  return static_cast<double>(Format::widen(static_cast<T>(power + 1))) - static_cast<double>(Format::widen(power));
}

}  // namespace assay
