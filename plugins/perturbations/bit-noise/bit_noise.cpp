// bit-noise: a copy with one fraction bit flipped in every normal number.
#include <array>

#include "assay/sdk/elementwise.hpp"
#include "assay/sdk/perturbation.hpp"
#include "assay/sdk/random.hpp"

namespace assay {
namespace {

constexpr char kSchema[] = R"({
  "type": "object",
  "properties": {
    "compat": {"enum": ["none", "msprobe"]},
    "bit": {
      "oneOf": [
        {"type": "integer", "minimum": 0, "maximum": 51},
        {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 51}, "minItems": 2, "maxItems": 2}
      ]
    }
  },
  "additionalProperties": false
})";

/// All bits set for a normal number, else none.
template <class Format>
ASSAY_ALWAYS_INLINE typename Format::Storage may_flip(typename Format::Storage bits) {
  using T = typename Format::Storage;
  using S = typename Format::Signed;
  const S magnitude = Format::ordered(bits);
  return static_cast<T>(lane_mask<T>(magnitude >= static_cast<S>(Format::kMinNormal)) &
                        lane_mask<T>(magnitude < static_cast<S>(Format::kEnd)));
}

/// Flips a bit of the fraction: sign and exponent stay, so no number becomes an infinity or NaN. Zeros, subnormals (where a
/// fraction bit is no small change), infinities and NaNs stay.
template <class Format>
ASSAY_ALWAYS_INLINE std::uint64_t flip_fraction_loop(const Block& block, typename Format::Storage mask) {
  using T = typename Format::Storage;
  const T* const ASSAY_RESTRICT in = static_cast<const T*>(block.input);
  T* const ASSAY_RESTRICT out = static_cast<T*>(block.output);
  return count_masks<T>(block.count, [&](std::size_t i) {
    const T x = in[i];
    const auto flip = static_cast<T>(may_flip<Format>(x) & lane_mask<T>(Format::is_finite(static_cast<T>(x ^ mask))));
    out[i] = static_cast<T>(x ^ static_cast<T>(mask & flip));
    return flip;
  });
}

/// The same with a bit drawn for each component: bit `low` + floor(draw * span).
template <class Format>
ASSAY_ALWAYS_INLINE std::uint64_t flip_drawn_loop(const Block& block, const RandomStream& stream, int low, int span) {
  using T = typename Format::Storage;
  const T* const ASSAY_RESTRICT in = static_cast<const T*>(block.input);
  T* const ASSAY_RESTRICT out = static_cast<T*>(block.output);
  std::array<std::uint32_t, kBlockSize> words;
  stream.fill(words.data(), block.first, block.count);
  return count_masks<T>(block.count, [&](std::size_t i) {
    const T x = in[i];
    const auto bit = static_cast<T>(low + static_cast<int>(((words[i] >> 16) * static_cast<std::uint32_t>(span)) >> 16));
    const auto mask = static_cast<T>(T{1} << bit);
    const auto flip = static_cast<T>(may_flip<Format>(x) & lane_mask<T>(Format::is_finite(static_cast<T>(x ^ mask))));
    out[i] = static_cast<T>(x ^ static_cast<T>(mask & flip));
    return flip;
  });
}

/// The peer's rule: the lowest bit, where |x| is above the smallest normal; infinities count as large and become NaN.
template <class Format>
ASSAY_ALWAYS_INLINE std::uint64_t flip_lowest_loop(const Block& block) {
  using T = typename Format::Storage;
  using S = typename Format::Signed;
  const T* const ASSAY_RESTRICT in = static_cast<const T*>(block.input);
  T* const ASSAY_RESTRICT out = static_cast<T*>(block.output);
  return count_masks<T>(block.count, [&](std::size_t i) {
    const S magnitude = Format::ordered(in[i]);
    const auto flip = static_cast<T>(lane_mask<T>(magnitude > static_cast<S>(Format::kMinNormal)) &
                                     lane_mask<T>(magnitude <= static_cast<S>(Format::kEnd)));
    out[i] = static_cast<T>(in[i] ^ static_cast<T>(flip & T{1}));
    return flip;
  });
}

#define ASSAY_KERNELS(F)                                                                                              \
  ASSAY_MULTIVERSION std::uint64_t flip_fraction(F, const Block& block, typename F::Storage mask) {                   \
    return flip_fraction_loop<F>(block, mask);                                                                        \
  }                                                                                                                   \
  ASSAY_MULTIVERSION std::uint64_t flip_drawn(F, const Block& block, const RandomStream& stream, int low, int span) { \
    return flip_drawn_loop<F>(block, stream, low, span);                                                              \
  }                                                                                                                   \
  ASSAY_MULTIVERSION std::uint64_t flip_lowest(F, const Block& block) { return flip_lowest_loop<F>(block); }
ASSAY_KERNELS(Float16)
ASSAY_KERNELS(BFloat16)
ASSAY_KERNELS(Float32)
ASSAY_KERNELS(Float64)
ASSAY_KERNELS(Float8E4M3FN)
ASSAY_KERNELS(Float8E5M2)
#undef ASSAY_KERNELS

class BitNoise final : public Perturbation {
 public:
  explicit BitNoise(const Context& context) {
    const Config& config = context.config;
    compat_ = config.get<std::string>("compat", "none") == "msprobe";
    const auto member = config.json().FindMember("bit");
    if (member == config.json().MemberEnd()) return;
    if (compat_) throw Error(ASSAY_INVALID_ARGUMENT, "'compat' \"msprobe\" flips the lowest bit: remove 'bit'");
    std::vector<std::int64_t> bounds;
    if (member->value.IsArray()) {
      bounds = config.get<std::vector<std::int64_t>>("bit", {});
    } else {
      bounds.assign(2, config.get<std::int64_t>("bit", 0));
    }
    if (bounds.size() != 2 || bounds[0] < 0 || bounds[1] > 51 || bounds[0] > bounds[1]) {
      throw Error(ASSAY_INVALID_ARGUMENT, "'bit' must be one number or [lowest, highest] from 0 to 51");
    }
    low_ = static_cast<int>(bounds[0]);
    high_ = static_cast<int>(bounds[1]);
  }

  [[nodiscard]] PerturbedLayout plan(const TensorView& input) const override {
    const std::string name(dtype_name(input.dtype()));
    if (!input.on_cpu()) throw Error(ASSAY_UNSUPPORTED, "tensor is on a device");
    if (compat_) {
      const bool known =
          input.dtype() == kBFloat16 || input.dtype() == kFloat16 || input.dtype() == kFloat32 || input.dtype() == kFloat64;
      if (!known) throw Error(ASSAY_UNSUPPORTED, "dtype " + name + " isn't flipped in this mode");
      if (input.numel() == 0) throw Error(ASSAY_UNSUPPORTED, "tensor is empty");
    } else {
      visit_format(input.dtype(), [&](auto format) {
        if (high_ >= decltype(format)::kFractionBits) {
          throw Error(ASSAY_UNSUPPORTED, "bit " + std::to_string(high_) + " is no fraction bit of dtype " + name);
        }
      });
    }
    return {input.dtype(), input.abi().dl.device};
  }

  std::uint64_t apply(const TensorView& input, std::uint64_t seed, std::uint32_t max_threads, assay_tensor& output) const override {
    require_output(input, output, plan(input).dtype);
    const int components = components_of(input.dtype());
    return visit_format(input.dtype(), [&](auto format) {
      using F = decltype(format);
      const RandomStream stream(seed);
      return transform(input, output, max_threads, [&](const Block& block) {
        std::uint64_t changed = 0;
        if (compat_) {
          changed = flip_lowest(format, block);
        } else if (low_ == high_) {
          changed = flip_fraction(format, block, static_cast<typename F::Storage>(typename F::Storage{1} << low_));
        } else {
          changed = flip_drawn(format, block, stream, low_, high_ - low_ + 1);
        }
        return components == 1 ? changed : count_changed<F>(block.input, block.output, block.count, components);
      });
    });
  }

 private:
  bool compat_ = false;
  int low_ = 0;
  int high_ = 0;
};

}  // namespace
}  // namespace assay

ASSAY_EXPORT_PLUGIN("assay.bit-noise", "0.1.0",
                    ASSAY_COMPONENT(assay::BitNoise, "assay.bit-noise", "0.1.0",
                                    "flips a low bit of the fraction of every normal number", assay::kSchema))
