// assay/sdk/perturbation.hpp: base class of perturbation plugins.
#pragma once

#include "assay/abi/perturbation.h"
#include "assay/sdk/plugin.hpp"
#include "assay/sdk/tensor.hpp"

namespace assay {

struct PerturbedLayout {
  assay_dtype dtype;
  assay_device device;
};

/// Throws Error(ASSAY_UNSUPPORTED) for a dtype outside of the SDK's table, whose entries have one lane: for `plan`s that accept
/// all.
inline void require_known_dtype(const TensorView& input) {
  if (dtype_name(input.dtype()) == "unknown") throw Error(ASSAY_UNSUPPORTED, "dtype is unknown or has more than one lane");
}

class Perturbation {
 public:
  using KindBase = Perturbation;
  static constexpr const char* kKind = ASSAY_KIND_PERTURBATION;

  virtual ~Perturbation() = default;
  /// Dtype and device of the copy; throws Error(ASSAY_UNSUPPORTED) with the reason if the tensor isn't eligible. [any-thread]
  [[nodiscard]] virtual PerturbedLayout plan(const TensorView& input) const { return {input.dtype(), input.abi().dl.device}; }
  /// Writes the copy and returns how many elements differ in value from the input. [any-thread]
  virtual std::uint64_t apply(const TensorView& input, std::uint64_t seed, std::uint32_t max_threads,
                              assay_tensor& output) const = 0;

  static const void* extension(const char* id) { return extension_with_flags<0>(id); }

 protected:
  /// For components with flags: `static const void* extension(const char* id) { return extension_with_flags<FLAGS>(id); }`
  template <std::uint32_t kTableFlags>
  static const void* extension_with_flags(const char* id) {
    static const assay_perturbation table = {
        sizeof(assay_perturbation), kTableFlags,
        [](const assay_instance* self, const assay_tensor* input, assay_perturbed_layout* out, assay_error* err) {
          return guard(err, [&] {
            const PerturbedLayout layout = impl(self).plan(TensorView(*input));
            out->dtype = layout.dtype;
            out->device = layout.device;
          });
        },
        [](const assay_instance* self, const assay_tensor* input, std::uint64_t seed, std::uint32_t max_threads,
           assay_tensor* output, std::uint64_t* changed, assay_error* err) {
          return guard(err, [&] { *changed = impl(self).apply(TensorView(*input), seed, max_threads, *output); });
        }};
    return std::strcmp(id, ASSAY_EXT_PERTURBATION) == 0 ? &table : nullptr;
  }

 private:
  static const Perturbation& impl(const assay_instance* self) { return *static_cast<const Perturbation*>(self->impl); }
};

}  // namespace assay
