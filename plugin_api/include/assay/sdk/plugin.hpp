// assay/sdk/plugin.hpp: turns classes into components and exports the plugin.
//
//   ASSAY_EXPORT_PLUGIN("example", "1.0.0",
//                       ASSAY_COMPONENT(AddNoise, "com.example.add-noise", "1.0.0", "adds noise", R"({"type": "object"})"))
#pragma once

#include "assay/abi/plugin.h"
#include "assay/sdk/config.hpp"
#include "assay/sdk/error.hpp"
#include "assay/sdk/parallel.hpp"

namespace assay {

/// Writes to the host's log under a component's id.
class Log {
 public:
  Log(const assay_host* host, const char* component) : host_(host), component_(component) {}
  void write(std::int32_t level, const std::string& message) const { host_->log(host_, level, component_, message.c_str()); }
  void debug(const std::string& message) const { write(ASSAY_LOG_DEBUG, message); }
  void info(const std::string& message) const { write(ASSAY_LOG_INFO, message); }
  void warn(const std::string& message) const { write(ASSAY_LOG_WARN, message); }

 private:
  const assay_host* host_;
  const char* component_;
};

/// What a component's constructor is given.
struct Context {
  const Config& config;
  Log log;
};

namespace detail {

/// Base classes (Adapter, Comparison, ...) supply `kKind` and `static const void* extension(const char* id)`.
template <class Component>
assay_status create_instance(const assay_host* host, const char* id, const char* config_json, assay_instance** out,
                             assay_error* err) {
  return guard(err, [&] {
    const void* threads = host->get_extension != nullptr ? host->get_extension(host, ASSAY_EXT_PARALLEL) : nullptr;
    host_threads() = static_cast<const assay_parallel*>(threads);
    const Config config(config_json);
    auto impl = std::make_unique<Component>(Context{config, Log(host, id)});
    auto instance = std::make_unique<assay_instance>();
    instance->struct_size = sizeof(assay_instance);
    instance->reserved0 = 0;
    // Tables cast back to the kind's base class, so the base pointer is what is kept.
    instance->impl = static_cast<typename Component::KindBase*>(impl.get());
    instance->destroy = [](assay_instance* self) {
      delete static_cast<typename Component::KindBase*>(self->impl);
      delete self;
    };
    instance->get_extension = [](const assay_instance*, const char* extension_id) { return Component::extension(extension_id); };
    impl.release();
    *out = instance.release();
  });
}

inline assay_status plugin_init_nothing(const assay_host*, assay_error*) { return ASSAY_OK; }
inline void plugin_deinit_nothing() {}

}  // namespace detail
}  // namespace assay

/// One component: class, id, version, one-line description, JSON Schema of its configuration.
#define ASSAY_COMPONENT(Class, component_id, component_version, component_description, component_schema) \
  []() -> const assay_component* {                                                                       \
    static const assay_component component = {                                                           \
        sizeof(assay_component),                                                                         \
        0,                                                                                               \
        component_id,                                                                                    \
        Class::kKind,                                                                                    \
        component_version,                                                                               \
        component_description,                                                                           \
        component_schema,                                                                                \
        [](const assay_host* host, const char* config_json, assay_instance** out, assay_error* err) {    \
          return assay::detail::create_instance<Class>(host, component_id, config_json, out, err);       \
        }};                                                                                              \
    return &component;                                                                                   \
  }()

/// The plugin's id and version, then its components.
#define ASSAY_EXPORT_PLUGIN(plugin_id, plugin_version, ...)                                                 \
  extern "C" ASSAY_EXPORT const assay_plugin* ASSAY_CALL assay_plugin_entry(std::uint32_t host_abi_major) { \
    static const assay_component* const components[] = {__VA_ARGS__};                                       \
    static const assay_plugin plugin = {sizeof(assay_plugin),                                               \
                                        ASSAY_ABI_MAJOR,                                                    \
                                        0u,                                                                 \
                                        0u,                                                                 \
                                        plugin_id,                                                          \
                                        plugin_version,                                                     \
                                        assay::detail::plugin_init_nothing,                                 \
                                        assay::detail::plugin_deinit_nothing,                               \
                                        sizeof(components) / sizeof(components[0]),                         \
                                        components};                                                        \
    return host_abi_major == ASSAY_ABI_MAJOR ? &plugin : nullptr;                                           \
  }
