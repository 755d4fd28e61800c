// assay/sdk/adapter.hpp: base class of framework adapters.
#pragma once

#include <string>
#include <vector>

#include "assay/abi/adapter.h"
#include "assay/sdk/plugin.hpp"
#include "assay/sdk/value.hpp"

namespace assay {

struct AdapterInfo {
  std::string framework;
  std::string version;
  std::string details;
  std::vector<assay_device> devices;
};

class Adapter {
 public:
  using KindBase = Adapter;
  static constexpr const char* kKind = ASSAY_KIND_ADAPTER;

  virtual ~Adapter() = default;
  virtual const AdapterInfo& describe() = 0;
  /// Returns if the API can be run in that direction, throws Error(ASSAY_NOT_FOUND or ASSAY_UNSUPPORTED) with the reason if not.
  virtual void require_support(const std::string& api, std::int32_t direction) = 0;
  virtual Results invoke(const assay_call& call) = 0;

  static const void* extension(const char* id) {
    static const assay_adapter table = {sizeof(assay_adapter), 0,
                                        [](assay_instance* self, assay_adapter_info* out, assay_error* err) {
                                          return guard(err, [&] {
                                            const AdapterInfo& info = impl(self).describe();
                                            out->framework = info.framework.c_str();
                                            out->version = info.version.c_str();
                                            out->details = info.details.c_str();
                                            out->devices = info.devices.data();
                                            out->device_count = info.devices.size();
                                          });
                                        },
                                        [](assay_instance* self, const char* api, std::int32_t direction, assay_error* err) {
                                          return guard(err, [&] { impl(self).require_support(api, direction); });
                                        },
                                        [](assay_instance* self, const assay_call* call, assay_results* out, assay_error* err) {
                                          return guard(err, [&] { give_results(impl(self).invoke(*call), *out); });
                                        }};
    return std::strcmp(id, ASSAY_EXT_ADAPTER) == 0 ? &table : nullptr;
  }

 private:
  static Adapter& impl(assay_instance* self) { return *static_cast<Adapter*>(self->impl); }
};

}  // namespace assay
