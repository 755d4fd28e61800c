// A perturbation: every float32 element times 1 + step, or 1 - step, by a coin that the seed throws.
#include "assay/sdk/perturbation.hpp"
#include "assay/sdk/random.hpp"

namespace {

class Jitter final : public assay::Perturbation {
 public:
  explicit Jitter(const assay::Context& context) : step_(context.config.get<double>("step", 1e-6)) {}

  [[nodiscard]] assay::PerturbedLayout plan(const assay::TensorView& input) const override {
    if (assay::dtype_name(input.dtype()) != "float32" || !input.on_cpu()) throw assay::Error(ASSAY_UNSUPPORTED, "needs float32");
    return {input.dtype(), input.abi().dl.device};
  }

  std::uint64_t apply(const assay::TensorView& input, std::uint64_t seed, std::uint32_t, assay_tensor& output) const override {
    const assay::TensorView target(output);
    const assay::RandomStream stream(seed);
    auto* const first = static_cast<char*>(output.dl.data) + output.dl.byte_offset;
    std::uint64_t changed = 0;
    input.for_each_offset([&](std::int64_t index, std::int64_t offset) {
      const auto old_value = static_cast<float>(input.number_at(offset));
      const double sign = stream.word(static_cast<std::uint64_t>(index)) % 2 == 0 ? 1 : -1;
      const auto value = static_cast<float>(old_value * (1 + sign * step_));
      changed += value < old_value || value > old_value ? 1 : 0;
      std::memcpy(first + target.offset_of(index) * 4, &value, sizeof value);
    });
    return changed;
  }

 private:
  double step_;
};

}  // namespace

ASSAY_EXPORT_PLUGIN("com.example.example-perturbation", "1.0.0",
                    ASSAY_COMPONENT(Jitter, "com.example.example-perturbation", "1.0.0", "moves each element up or down a step",
                                    R"({"type": "object", "properties": {"step": {"type": "number", "minimum": 0}}})"))
