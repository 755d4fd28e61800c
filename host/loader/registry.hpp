// Finds plugins by their manifests, loads the ones that are asked for and creates instances of their components.
//
//   Registry registry = Registry::discover(default_search_path({}));
//   Result<Instance> torch = registry.create("assay.torch", "adapter", "{}");
//   const auto* adapter = torch->extension<assay_adapter>(ASSAY_EXT_ADAPTER);
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "assay/abi/plugin.h"
#include "base/result.hpp"

namespace assay {

struct ComponentEntry {
  std::string id;
  std::string kind;
};

/// A manifest.json beside a plugin's library; read without loading the library.
struct PluginManifest {
  std::filesystem::path path;     ///< of the manifest
  std::filesystem::path library;  ///< absolute; inside the manifest's folder
  std::string id;
  std::string version;
  std::uint32_t abi_major = 0;
  std::uint32_t abi_minor = 0;
  std::string platform;           ///< "linux-x86_64"; empty: any
  std::string framework_version;  ///< of the framework that an adapter was built for; empty: it doesn't say
  bool unload = true;             ///< false: the library pulls in a framework that can't be unloaded
  std::vector<ComponentEntry> components;
};

/// A component or plugin by name, and the version asked for: "assay.torch@1.13" is {"assay.torch", "1.13"}.
struct VersionedId {
  std::string id;
  std::string version;  ///< empty: any

  explicit VersionedId(const std::string& text);
  /// Whether a plugin's framework is of the version; "1.13" also stands for 1.13.0 and 1.13.1+cpu.
  [[nodiscard]] bool accepts(const std::string& framework_version) const;
};

/// --plugin-path entries, then ASSAY_PLUGIN_PATH, the user folder, the install folder (or the build tree's), in this order.
std::vector<std::filesystem::path> default_search_path(const std::vector<std::filesystem::path>& from_options);

/// A live component instance. Destroys in order: instance, then its plugin's deinit and library when nothing else uses them.
class Instance {
 public:
  [[nodiscard]] assay_instance* get() const;
  [[nodiscard]] const std::string& component_id() const;
  [[nodiscard]] const std::string& component_version() const;
  /// Takes an instance that belongs to no plugin; it is destroyed with the last copy of what is returned.
  static Instance adopt(assay_instance* instance, const std::string& id, const std::string& version);
  /// The capability's table; null if the instance lacks it.
  template <class Table>
  [[nodiscard]] const Table* extension(const char* id) const {
    return static_cast<const Table*>(extension_table(id));
  }

 private:
  friend class Registry;
  struct Body;
  [[nodiscard]] const void* extension_table(const char* id) const;
  std::shared_ptr<Body> body_;
};

class Registry {
 public:
  /// Reads the manifests of every folder below the search path; loads nothing. The first id wins, a shadowed one is logged; plugins
  /// of one id for different versions of a framework stand beside each other.
  static Registry discover(const std::vector<std::filesystem::path>& search_path);

  [[nodiscard]] const std::vector<PluginManifest>& plugins() const;
  /// Manifests that can't be used, one message each.
  [[nodiscard]] const std::vector<std::string>& problems() const;
  [[nodiscard]] const std::vector<std::filesystem::path>& search_path() const;

  /// The plugin that has the component, which may be named with a version; null: there is none.
  [[nodiscard]] const PluginManifest* owner_of(const std::string& component_id) const;

  /// Loads the component's plugin (once) and creates an instance; the configuration is validated against the component's schema.
  /// component_id  of the plugin that is found first, or with a version: "assay.torch@1.13"
  /// errors  kInput: no such component (search path and similar ids named), wrong kind, configuration against the schema;
  ///         kPlugin: the library can't be loaded, other ABI major, descriptor and manifest differ, create failed;
  ///         kUnsupported: the component says that its device or framework is missing
  [[nodiscard]] Result<Instance> create(const std::string& component_id, const std::string& kind, const std::string& config_json);

  /// Loads a plugin and gives its descriptor (for `assay plugins show`); valid while the registry lives.
  [[nodiscard]] Result<const assay_plugin*> load(const std::string& plugin_id);
  /// The same of one of `plugins()`.
  [[nodiscard]] Result<const assay_plugin*> load(const PluginManifest& plugin);

 private:
  struct Body;
  std::shared_ptr<Body> body_;
};

}  // namespace assay
