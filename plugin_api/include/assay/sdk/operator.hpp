// assay/sdk/operator.hpp: base class of operator plugins (reference implementations in double precision).
#pragma once

#include <vector>

#include "assay/abi/operator.h"
#include "assay/sdk/plugin.hpp"
#include "assay/sdk/value.hpp"

namespace assay {

class Operator {
 public:
  using KindBase = Operator;
  static constexpr const char* kKind = ASSAY_KIND_OPERATOR;

  virtual ~Operator() = default;
  /// Names as recorded, static strings.
  [[nodiscard]] virtual const std::vector<const char*>& apis() const = 0;
  virtual Results invoke(const assay_call& call) = 0;

  static const void* extension(const char* id) {
    static const assay_operator table = {sizeof(assay_operator), 0,
                                         [](const assay_instance* self, std::uint64_t* count) -> const char* const* {
                                           const auto& names = static_cast<const Operator*>(self->impl)->apis();
                                           *count = names.size();
                                           return names.data();
                                         },
                                         [](assay_instance* self, const assay_call* call, assay_results* out, assay_error* err) {
                                           return guard(
                                               err, [&] { give_results(static_cast<Operator*>(self->impl)->invoke(*call), *out); });
                                         }};
    return std::strcmp(id, ASSAY_EXT_OPERATOR) == 0 ? &table : nullptr;
  }
};

}  // namespace assay
