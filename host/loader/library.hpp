// One loaded plugin: its library, checked descriptor and lifecycle (entry, init, ..., deinit, unload).
#pragma once

#include <boost/dll/shared_library.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "assay/sdk/error.hpp"
#include "loader/registry.hpp"

namespace assay {

/// "ASSAY_INTERNAL"; "status 17" for a number without a name.
std::string status_text(assay_status status);

/// Runs a call into a plugin; an exception that comes through the boundary is a failure of the plugin.
template <class Body>
Status contain(const std::string& what, Body&& body) {
  try {
    std::forward<Body>(body)();
    return Done{};
  } catch (const std::exception& e) {
    return plugin_failure(what + " threw '" + e.what() + "' through the boundary; a plugin must return a status");
  } catch (...) {
    return plugin_failure(what + " threw through the boundary; a plugin must return a status");
  }
}

class LoadedPlugin {
 public:
  /// errors  kPlugin: library can't be loaded, no entry point, other ABI, defective descriptor, descriptor and manifest differ,
  ///         init failed
  static Result<std::shared_ptr<LoadedPlugin>> load(const PluginManifest& manifest);
  ~LoadedPlugin();
  LoadedPlugin(const LoadedPlugin&) = delete;
  LoadedPlugin& operator=(const LoadedPlugin&) = delete;

  [[nodiscard]] const assay_plugin* descriptor() const { return descriptor_; }
  [[nodiscard]] const assay_component* component(const std::string& id) const;

 private:
  explicit LoadedPlugin(const PluginManifest& manifest) : id_(manifest.id), unload_(manifest.unload) {}
  [[nodiscard]] Status open(const PluginManifest& manifest);
  [[nodiscard]] Status initialise();

  std::string id_;
  bool unload_;
  std::optional<boost::dll::shared_library> library_;
  const assay_plugin* descriptor_ = nullptr;
  bool initialised_ = false;
};

}  // namespace assay
