// The peer's noise: one fixed number is added, in the tensor's own dtype, where |x| is above a fixed limit.
//
// In a 16-bit format that moves a number's bit pattern by a few units, by the same number of units over long runs of patterns, and
// nowhere else: the runs are found once, by trying every pattern, and a block takes a few integer operations for each run.
#pragma once

#include <array>
#include <cstdint>

#include "assay/sdk/elementwise.hpp"

namespace assay {

struct FixedNoise {
  double noise;
  double limit;  ///< the magnitude above which it is added
};

template <class Format>
struct OwnNoise {
  using Wide = typename Format::Wide;

  explicit OwnNoise(const FixedNoise& fixed)
      : noise(Format::widen(Format::narrow(static_cast<Wide>(fixed.noise)))),
        limit(static_cast<Signed>(Format::template narrow<Lane>(static_cast<Wide>(fixed.limit)))) {}

  using Lane = typename Format::Lane;
  using Signed = std::make_signed_t<Lane>;

  [[nodiscard]] ASSAY_ALWAYS_INLINE Lane add_to(Lane bits) const {
    const Signed magnitude = Format::ordered(bits);
    const Lane noisy = Format::template narrow<Lane>(Format::widen(bits) + noise);
    const Lane add = lane_mask<Lane>(magnitude > limit) & lane_mask<Lane>(magnitude <= static_cast<Signed>(Format::kEnd));
    return select<Lane>(add, noisy, bits);
  }

  Wide noise;
  Signed limit;
};

template <class Format>
ASSAY_ALWAYS_INLINE std::uint64_t add_fixed_loop(const Block& block, const FixedNoise& fixed) {
  using T = typename Format::Storage;
  const T* const ASSAY_RESTRICT in = static_cast<const T*>(block.input);
  T* const ASSAY_RESTRICT out = static_cast<T*>(block.output);
  const OwnNoise<Format> own(fixed);
  return count_masks<T>(block.count, [&](std::size_t i) {
    const T after = own.add_to(in[i]);
    out[i] = after;
    // Neither a zero nor a NaN comes out of the sum, so other bits are another value.
    return lane_mask<T>(in[i] != after);
  });
}

/// Patterns from `first` to `last`, as signed numbers, move by `units`. As it is made: none.
struct PatternMove {
  std::int16_t first = 1;
  std::int16_t last = 0;
  std::uint16_t units = 0;
};

/// Enough for the noise of both half types. A fixed number, so that a block takes one loop.
using PatternMoves = std::array<PatternMove, 4>;

/// What the noise does to every pattern of a 16-bit format.
template <class Format>
PatternMoves moves_of(const FixedNoise& fixed) {
  static_assert(sizeof(typename Format::Storage) == 2);
  const OwnNoise<Format> own(fixed);
  PatternMoves moves;
  std::size_t count = 0;
  std::uint16_t running = 0;
  for (std::int32_t signed_pattern = INT16_MIN; signed_pattern <= INT16_MAX; ++signed_pattern) {
    const auto pattern = static_cast<std::int16_t>(signed_pattern);
    const auto before = static_cast<std::uint16_t>(pattern);
    const auto units = static_cast<std::uint16_t>(own.add_to(before) - before);
    if (units != 0 && units != running) {
      if (count == moves.size()) throw Error(ASSAY_INTERNAL, "the fixed noise moves half numbers in more ways than expected");
      moves[count++] = {pattern, pattern, units};
    } else if (units != 0) {
      moves[count - 1].last = pattern;
    }
    running = units;
  }
  return moves;
}

ASSAY_ALWAYS_INLINE std::uint64_t move_patterns_loop(const Block& block, const PatternMoves& moves) {
  using T = std::uint16_t;
  const T* const ASSAY_RESTRICT in = static_cast<const T*>(block.input);
  T* const ASSAY_RESTRICT out = static_cast<T*>(block.output);
  const PatternMoves own = moves;
  return count_masks<T>(block.count, [&](std::size_t i) {
    const auto pattern = static_cast<std::int16_t>(in[i]);
    T units = 0;
    for (const PatternMove& move : own) {
      const auto here = static_cast<T>(lane_mask<T>(pattern >= move.first) & lane_mask<T>(pattern <= move.last));
      units = static_cast<T>(units | (here & move.units));
    }
    out[i] = static_cast<T>(in[i] + units);
    return lane_mask<T>(units != 0);
  });
}

}  // namespace assay
