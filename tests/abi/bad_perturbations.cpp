// A perturbation that doubles every second float32 element, or, compiled with BAD_CHANGES_IDENTITY, claims to be an identity; with
// other definitions it has one other fault. The validator must name each of them.
#include <ctime>

#include "assay/sdk/dtype.hpp"
#include "assay/sdk/perturbation.hpp"

namespace {

class Doubling final : public assay::Perturbation {
 public:
  explicit Doubling(const assay::Context&) {}

  [[nodiscard]] assay::PerturbedLayout plan(const assay::TensorView& input) const override {
    if (assay::dtype_name(input.dtype()) != "float32" || !input.on_cpu())
      throw assay::Error(ASSAY_UNSUPPORTED, "needs float32 on the CPU");
    return {input.dtype(), input.abi().dl.device};
  }

  std::uint64_t apply(const assay::TensorView& input, std::uint64_t seed, std::uint32_t, assay_tensor& output) const override {
    const assay::TensorView target(output);
    auto* to = static_cast<unsigned char*>(const_cast<void*>(target.data()));
    std::uint64_t changed = 0;
#if defined(BAD_WRITES_INPUT)
    if (input.numel() > 0) *const_cast<volatile unsigned char*>(static_cast<const unsigned char*>(input.data())) = 0;
#elif defined(BAD_IGNORES_THE_SEED_BUT_NOT_THE_TIME)
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    seed = static_cast<std::uint64_t>(now.tv_nsec);
#endif
    for (std::int64_t i = 0; i < input.numel(); ++i) {
#if defined(BAD_IGNORES_STRIDES)
      const std::int64_t from = i;
#else
      const std::int64_t from = input.offset_of(i);
#endif
      const auto old_value = static_cast<float>(input.number_at(from));
      const auto mixed = (static_cast<std::uint64_t>(i) + 1) * (seed | 1) * 0x9e3779b97f4a7c15u;
      const float value = (mixed >> 63) != 0 ? old_value * 2 : old_value;
      changed += value != old_value && value == value ? 1 : 0;
      std::memcpy(to + target.offset_of(i) * 4, &value, sizeof value);
    }
#if defined(BAD_MISCOUNTS)
    return changed + 1;
#else
    return changed;
#endif
  }

#if defined(BAD_CHANGES_IDENTITY)
  static const void* extension(const char* id) { return extension_with_flags<ASSAY_PERTURBATION_IDENTITY>(id); }
#endif
};

}  // namespace

ASSAY_EXPORT_PLUGIN("test.zoo-perturbation-plugin", "1.0.0",
                    ASSAY_COMPONENT(Doubling, "test.zoo-perturbation", "1.0.0", "doubles some elements", R"({"type": "object"})"))
