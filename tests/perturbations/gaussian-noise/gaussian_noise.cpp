// gaussian-noise: multiplies every element by 1 + sigma * g, g from the normal distribution. A perturbation outside the product's
// folders: all that a new one needs.
#include <cmath>

#include "assay/sdk/elementwise.hpp"
#include "assay/sdk/perturbation.hpp"
#include "assay/sdk/random.hpp"

namespace assay {
namespace {

constexpr char kSchema[] = R"({
  "type": "object",
  "properties": {"sigma": {"type": "number", "minimum": 0}},
  "additionalProperties": false
})";

class GaussianNoise final : public Perturbation {
 public:
  explicit GaussianNoise(const Context& context) : sigma_(context.config.get<double>("sigma", 1e-3)) {}

  [[nodiscard]] PerturbedLayout plan(const TensorView& input) const override {
    if (!input.on_cpu()) throw Error(ASSAY_UNSUPPORTED, "tensor is on a device");
    visit_format(input.dtype(), [](auto) {});
    return {input.dtype(), input.abi().dl.device};
  }

  std::uint64_t apply(const TensorView& input, std::uint64_t seed, std::uint32_t max_threads, assay_tensor& output) const override {
    require_output(input, output, plan(input).dtype);
    const RandomStream stream(seed);
    return visit_format(input.dtype(), [&](auto format) {
      using F = decltype(format);
      using T = typename F::Storage;
      return transform(input, output, max_threads, [&](const Block& block) {
        const T* const in = static_cast<const T*>(block.input);
        T* const out = static_cast<T*>(block.output);
        for (std::size_t i = 0; i < block.count; ++i) {
          const std::uint64_t draw = 2 * (block.first + i);
          const double g = std::sqrt(-2 * std::log(1 - stream.unit(draw))) * std::cos(6.283185307179586 * stream.unit(draw + 1));
          const auto wide = static_cast<double>(F::widen(in[i]));
          const T noisy = F::narrow(static_cast<typename F::Wide>(wide * (1 + sigma_ * g)));
          out[i] = F::is_finite(in[i]) && F::is_finite(noisy) ? noisy : in[i];
        }
        return count_changed<F>(in, out, block.count, components_of(input.dtype()));
      });
    });
  }

 private:
  double sigma_;
};

}  // namespace
}  // namespace assay

ASSAY_EXPORT_PLUGIN("example.gaussian-noise", "0.1.0",
                    ASSAY_COMPONENT(assay::GaussianNoise, "example.gaussian-noise", "0.1.0",
                                    "multiplies every element by 1 + sigma * g, g normally distributed", assay::kSchema))
