// add-noise: a copy with a little random noise, relative to each element by default.
#include <optional>

#include "assay/sdk/perturbation.hpp"
#include "fixed_noise.hpp"
#include "kernels.hpp"

namespace assay {
namespace {

constexpr char kSchema[] = R"({
  "type": "object",
  "properties": {
    "compat": {"enum": ["none", "msprobe"]},
    "ulp": {
      "oneOf": [
        {"type": "integer", "minimum": 1, "maximum": 127},
        {"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 127}, "minItems": 2, "maxItems": 2}
      ]
    },
    "relative": {"type": "number", "minimum": 0, "exclusiveMinimum": true, "maximum": 1},
    "absolute": {"type": "number", "minimum": 0, "exclusiveMinimum": true},
    "scale": {"enum": ["element", "tensor"]}
  },
  "additionalProperties": false
})";

#define ASSAY_KERNELS(F)                                                                                                       \
  ASSAY_MULTIVERSION std::uint64_t step_ulps(F, const Block& block, const RandomStream& stream, StepRange range) {             \
    return step_ulps_loop<F>(block, stream, range);                                                                            \
  }                                                                                                                            \
  ASSAY_MULTIVERSION std::uint64_t add_scaled(F, const Block& block, const RandomStream& stream, StepRange range, double unit, \
                                              bool relative) {                                                                 \
    return relative ? add_scaled_loop<F, true>(block, stream, range, unit)                                                     \
                    : add_scaled_loop<F, false>(block, stream, range, unit);                                                   \
  }                                                                                                                            \
  ASSAY_MULTIVERSION std::uint64_t largest_finite(F, const Block& block) { return largest_finite_loop<F>(block); }
ASSAY_KERNELS(Float16)
ASSAY_KERNELS(BFloat16)
ASSAY_KERNELS(Float32)
ASSAY_KERNELS(Float64)
ASSAY_KERNELS(Float8E4M3FN)
ASSAY_KERNELS(Float8E5M2)
#undef ASSAY_KERNELS

ASSAY_MULTIVERSION std::uint64_t add_fixed(Float32, const Block& block, const FixedNoise& fixed) {
  return add_fixed_loop<Float32>(block, fixed);
}
ASSAY_MULTIVERSION std::uint64_t add_fixed(Float64, const Block& block, const FixedNoise& fixed) {
  return add_fixed_loop<Float64>(block, fixed);
}
ASSAY_MULTIVERSION std::uint64_t move_patterns(const Block& block, const PatternMoves& moves) {
  return move_patterns_loop(block, moves);
}

/// The peer's noise of a dtype.
std::optional<FixedNoise> fixed_noise(assay_dtype dtype) {
  if (dtype == kBFloat16) return FixedNoise{1e-4, 1e-2};
  if (dtype == kFloat16) return FixedNoise{1e-6, 1e-3};
  if (dtype == kFloat32) return FixedNoise{1e-8, 1e-4};
  if (dtype == kFloat64) return FixedNoise{1e-16, 1e-8};
  return std::nullopt;
}

enum class Amount { kUlp, kUlpOfLargest, kRelative, kRelativeToLargest, kAbsolute, kFixed };

class AddNoise final : public Perturbation {
 public:
  explicit AddNoise(const Context& context) {
    const Config& config = context.config;
    const rapidjson::Document& json = config.json();
    const bool of_tensor = config.get<std::string>("scale", "element") == "tensor";
    const int amounts = json.HasMember("ulp") + json.HasMember("relative") + json.HasMember("absolute");
    if (amounts > 1) throw Error(ASSAY_INVALID_ARGUMENT, "only one of 'ulp', 'relative' and 'absolute' can be given");
    if (config.get<std::string>("compat", "none") == "msprobe") {
      if (amounts > 0 || of_tensor) {
        throw Error(ASSAY_INVALID_ARGUMENT,
                    "'compat' \"msprobe\" has its own amounts: remove 'ulp', 'relative', 'absolute' and 'scale'");
      }
      amount_ = Amount::kFixed;
      float16_moves_ = moves_of<Float16>(*fixed_noise(kFloat16));
      bfloat16_moves_ = moves_of<BFloat16>(*fixed_noise(kBFloat16));
    } else if (json.HasMember("absolute")) {
      if (of_tensor) throw Error(ASSAY_INVALID_ARGUMENT, "'scale' \"tensor\" has no meaning with 'absolute'");
      amount_ = Amount::kAbsolute;
      size_ = config.get<double>("absolute", 0.0);
    } else if (json.HasMember("relative")) {
      amount_ = of_tensor ? Amount::kRelativeToLargest : Amount::kRelative;
      size_ = config.get<double>("relative", 0.0);
    } else {
      amount_ = of_tensor ? Amount::kUlpOfLargest : Amount::kUlp;
      range_ = ulp_range(config);
    }
  }

  [[nodiscard]] PerturbedLayout plan(const TensorView& input) const override {
    const std::string name(dtype_name(input.dtype()));
    if (!input.on_cpu()) throw Error(ASSAY_UNSUPPORTED, "tensor is on a device");
    if (amount_ == Amount::kFixed) {
      if (!fixed_noise(input.dtype())) throw Error(ASSAY_UNSUPPORTED, "dtype " + name + " has no noise in this mode");
      if (input.numel() == 0) throw Error(ASSAY_UNSUPPORTED, "tensor is empty");
    } else {
      visit_format(input.dtype(), [&](auto format) {
        using F = decltype(format);
        if (amount_ == Amount::kUlp && range_.largest() > static_cast<double>(F::kEnd) / 4) {
          throw Error(ASSAY_UNSUPPORTED, "a step of " + std::to_string(range_.largest()) + " ulp is too large for dtype " + name);
        }
      });
    }
    return {input.dtype(), input.abi().dl.device};
  }

  std::uint64_t apply(const TensorView& input, std::uint64_t seed, std::uint32_t max_threads, assay_tensor& output) const override {
    require_output(input, output, plan(input).dtype);
    if (amount_ == Amount::kFixed) return add_fixed_noise(input, max_threads, output);
    const int components = components_of(input.dtype());
    return visit_format(input.dtype(), [&](auto format) {
      using F = decltype(format);
      const RandomStream stream(seed);
      const double unit = unit_for(format, input, max_threads);
      return transform(input, output, max_threads, [&](const Block& block) {
        const std::uint64_t changed = amount_ == Amount::kUlp
                                          ? step_ulps(format, block, stream, range_)
                                          : add_scaled(format, block, stream, range_, unit, amount_ == Amount::kRelative);
        return components == 1 ? changed : count_changed<F>(block.input, block.output, block.count, components);
      });
    });
  }

 private:
  std::uint64_t add_fixed_noise(const TensorView& input, std::uint32_t max_threads, assay_tensor& output) const {
    const FixedNoise fixed = *fixed_noise(input.dtype());
    return transform(input, output, max_threads, [&](const Block& block) {
      if (input.dtype() == kFloat32) return add_fixed(Float32{}, block, fixed);
      if (input.dtype() == kFloat64) return add_fixed(Float64{}, block, fixed);
      return move_patterns(block, input.dtype() == kFloat16 ? float16_moves_ : bfloat16_moves_);
    });
  }

  static StepRange ulp_range(const Config& config) {
    const auto member = config.json().FindMember("ulp");
    if (member == config.json().MemberEnd()) return {1, 2};
    std::vector<std::int64_t> bounds;
    if (member->value.IsArray()) {
      bounds = config.get<std::vector<std::int64_t>>("ulp", {});
    } else {
      bounds.assign(2, config.get<std::int64_t>("ulp", 1));
    }
    if (bounds.size() != 2 || bounds[0] < 1 || bounds[1] > 127 || bounds[0] > bounds[1]) {
      throw Error(ASSAY_INVALID_ARGUMENT, "'ulp' must be one number or [smallest, largest] from 1 to 127");
    }
    return {static_cast<std::uint8_t>(bounds[0]), static_cast<std::uint8_t>(bounds[1] - bounds[0] + 1)};
  }

  /// What one step is worth where noise is made by arithmetic: steps of 64 to 127 stand for half of `size_` to all of it.
  template <class F>
  double unit_for(F format, const TensorView& input, std::uint32_t max_threads) const {
    if (amount_ == Amount::kRelative || amount_ == Amount::kAbsolute) return size_ / kAllSteps;
    if (amount_ == Amount::kUlp) return 0;
    const std::uint64_t bits = largest(input, max_threads, [&](const Block& block) { return largest_finite(format, block); });
    if (amount_ == Amount::kUlpOfLargest) return spacing_at<F>(bits);
    return size_ / kAllSteps * static_cast<double>(F::widen(static_cast<typename F::Storage>(bits)));
  }

  static constexpr double kAllSteps = 127;

  Amount amount_ = Amount::kUlp;
  StepRange range_{64, 64};
  double size_ = 0;
  PatternMoves float16_moves_;
  PatternMoves bfloat16_moves_;
};

}  // namespace
}  // namespace assay

ASSAY_EXPORT_PLUGIN("assay.add-noise", "0.1.0",
                    ASSAY_COMPONENT(assay::AddNoise, "assay.add-noise", "0.1.0",
                                    "adds noise of a few units in the last place to every finite element", assay::kSchema))
