// assay/sdk/comparison.hpp: base class of comparison plugins.
#pragma once

#include <vector>

#include "assay/abi/comparison.h"
#include "assay/sdk/plugin.hpp"
#include "assay/sdk/tensor.hpp"

namespace assay {

class Comparison {
 public:
  using KindBase = Comparison;
  static constexpr const char* kKind = ASSAY_KIND_COMPARISON;

  virtual ~Comparison() = default;
  /// The metrics in the order of `compare`'s numbers; the entries live as long as the instance.
  [[nodiscard]] virtual const std::vector<const assay_metric_info*>& metrics() const = 0;
  /// Fills `values` (the sum of all lengths) and `available` (one byte a metric); both arrive as NaN and 0. [any-thread]
  virtual void compare(const assay_pair& pair, double* values, std::uint8_t* available) const = 0;

  static const void* extension(const char* id) {
    static const assay_comparison table = {
        sizeof(assay_comparison), 0,
        [](const assay_instance* self, std::uint64_t* count) -> const assay_metric_info* const* {
          const auto& infos = impl(self).metrics();
          *count = infos.size();
          return infos.data();
        },
        [](const assay_instance* self, const assay_pair* pair, double* values, std::uint8_t* available, assay_error* err) {
          return guard(err, [&] {
            std::size_t n = 0;
            std::size_t k = 0;
            for (const assay_metric_info* info : impl(self).metrics()) {
              for (std::uint32_t i = 0; i < info->length; ++i) values[n++] = std::numeric_limits<double>::quiet_NaN();
              available[k++] = 0;
            }
            impl(self).compare(*pair, values, available);
          });
        }};
    return std::strcmp(id, ASSAY_EXT_COMPARISON) == 0 ? &table : nullptr;
  }

 private:
  static const Comparison& impl(const assay_instance* self) { return *static_cast<const Comparison*>(self->impl); }
};

}  // namespace assay
