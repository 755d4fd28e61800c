#include "loader/library.hpp"

#include <mutex>
#include <set>
#include <system_error>

#include "base/log.hpp"
#include "base/text.hpp"
#include "loader/host_table.hpp"

namespace assay {

namespace {

using Entry = const assay_plugin*(std::uint32_t);

std::string text_or(const char* text, const char* fallback) { return text != nullptr ? escape_control(text) : fallback; }

std::string size_problem(const std::string& what, std::uint32_t size, std::size_t expected) {
  return what + " has struct_size " + std::to_string(size) + ", expected at least " + std::to_string(expected);
}

/// The loader's own words ("undefined symbol: ...") without Boost.DLL's frame around them.
std::string load_error(const std::system_error& error) {
  const std::string text = error.what();
  const std::string_view open = "dlerror system message: ";
  const std::size_t start = text.find(open);
  if (start == std::string::npos) return text;
  const std::size_t end = text.rfind(')');
  return text.substr(start + open.size(), end == std::string::npos ? end : end - start - open.size());
}

Status check_components(const assay_plugin& plugin) {
  if (plugin.component_count == 0) return plugin_failure("descriptor lists no components");
  if (plugin.components == nullptr) return plugin_failure("descriptor counts components but its list is NULL");
  for (std::uint64_t i = 0; i < plugin.component_count; ++i) {
    const assay_component* component = plugin.components[i];
    const std::string what = "component " + std::to_string(i);
    if (component == nullptr) return plugin_failure(what + " is NULL");
    if (!ASSAY_HAS(assay_component, component, create)) {
      return plugin_failure(size_problem(what, component->struct_size, sizeof(assay_component)));
    }
    if (component->id == nullptr) return plugin_failure(what + " has no id");
    if (component->kind == nullptr) return plugin_failure(what + " ('" + text_or(component->id, "") + "') has no kind");
    if (component->create == nullptr) return plugin_failure(what + " ('" + text_or(component->id, "") + "') has no create");
  }
  return Done{};
}

Status check_descriptor(const assay_plugin& plugin) {
  // The first two words tell how much of the rest may be read.
  if (!ASSAY_HAS(assay_plugin, &plugin, components)) {
    return plugin_failure(size_problem("descriptor", plugin.struct_size, sizeof(assay_plugin)));
  }
  const std::string needs = "needs ABI " + std::to_string(plugin.abi_major) + "." + std::to_string(plugin.abi_minor) +
                            ", host has " + std::to_string(ASSAY_ABI_MAJOR) + "." + std::to_string(ASSAY_ABI_MINOR);
  if (plugin.abi_major != ASSAY_ABI_MAJOR) return plugin_failure(needs + "; rebuild the plugin against this host's headers");
  if (plugin.abi_minor > ASSAY_ABI_MINOR) return plugin_failure(needs + "; update assay or rebuild the plugin for the older minor");
  return check_components(plugin);
}

/// What the manifest promises and the library gives must be one thing: `plugins list` reads the manifest only.
Status check_against_manifest(const assay_plugin& plugin, const PluginManifest& manifest) {
  std::vector<std::string> differences;
  const auto compare = [&](const std::string& what, const std::string& actual, const std::string& expected) {
    if (actual != expected)
      differences.push_back(what + " is '" + actual + "' in the library and '" + expected + "' in the manifest");
  };
  compare("id", text_or(plugin.id, ""), manifest.id);
  compare("version", text_or(plugin.version, ""), manifest.version);
  compare("ABI minor", std::to_string(plugin.abi_minor), std::to_string(manifest.abi_minor));
  std::set<std::string> actual;
  std::set<std::string> expected;
  for (std::uint64_t i = 0; i < plugin.component_count; ++i) {
    actual.insert(std::string(plugin.components[i]->kind) + " '" + plugin.components[i]->id + "'");
  }
  for (const ComponentEntry& entry : manifest.components) expected.insert(entry.kind + " '" + entry.id + "'");
  for (const std::string& component : actual) {
    if (expected.count(component) == 0) differences.push_back(escape_control(component) + " is missing in the manifest");
  }
  for (const std::string& component : expected) {
    if (actual.count(component) == 0) differences.push_back(component + " is missing in the library");
  }
  if (differences.empty()) return Done{};
  return plugin_failure("library and manifest differ: " + join(differences, "; ") + "; rebuild or correct '" +
                        manifest.path.string() + "'");
}

/// A framework registers itself in places that outlive its library: the handle is kept for the rest of the process, where leak
/// checkers see it.
void keep_for_ever(boost::dll::shared_library library) {
  static std::mutex mutex;
  static auto* const kept = new std::vector<boost::dll::shared_library>;
  const std::lock_guard<std::mutex> lock(mutex);
  kept->push_back(std::move(library));
}

}  // namespace

std::string status_text(assay_status status) {
  static constexpr const char* kNames[] = {"ASSAY_OK",          "ASSAY_INVALID_ARGUMENT", "ASSAY_NOT_FOUND",
                                           "ASSAY_UNSUPPORTED", "ASSAY_OUT_OF_MEMORY",    "ASSAY_CANCELLED",
                                           "ASSAY_INTERNAL"};
  if (status >= 0 && status < static_cast<assay_status>(std::size(kNames))) return kNames[status];
  return "status " + std::to_string(status);
}

Result<std::shared_ptr<LoadedPlugin>> LoadedPlugin::load(const PluginManifest& manifest) {
  const std::string what = "load plugin '" + manifest.id + "': ";
  std::shared_ptr<LoadedPlugin> plugin(new LoadedPlugin(manifest));
  if (const Status opened = plugin->open(manifest); !opened) return plugin_failure(what + opened.failure().message);
  if (const Status ready = plugin->initialise(); !ready) return plugin_failure(what + ready.failure().message);
  log("loader")->debug("loaded plugin '{}' {} from '{}'", manifest.id, manifest.version, manifest.library.string());
  return plugin;
}

Status LoadedPlugin::open(const PluginManifest& manifest) {
  const auto mode = boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local;
  try {
    library_.emplace(manifest.library, mode);
  } catch (const std::system_error& e) {
    return plugin_failure(load_error(e));
  }
  if (!library_->has(ASSAY_PLUGIN_ENTRY_SYMBOL)) {
    return plugin_failure("'" + manifest.library.string() +
                          "' exports no '" ASSAY_PLUGIN_ENTRY_SYMBOL "'; use ASSAY_EXPORT_PLUGIN and assay_add_plugin");
  }
  Entry& entry = library_->get<Entry>(ASSAY_PLUGIN_ENTRY_SYMBOL);
  if (const Status called = contain(ASSAY_PLUGIN_ENTRY_SYMBOL, [&] { descriptor_ = entry(ASSAY_ABI_MAJOR); }); !called)
    return called;
  if (descriptor_ == nullptr) {
    return plugin_failure("does not support ABI major " + std::to_string(ASSAY_ABI_MAJOR) +
                          "; rebuild the plugin against this host's headers");
  }
  if (const Status sound = check_descriptor(*descriptor_); !sound) return sound;
  return check_against_manifest(*descriptor_, manifest);
}

Status LoadedPlugin::initialise() {
  if (descriptor_->init != nullptr) {
    ErrorSlot error;
    assay_status status = ASSAY_OK;
    log("loader")->trace("init of plugin '{}'", id_);
    if (const Status called = contain("init", [&] { status = descriptor_->init(host_table(), error.get()); }); !called)
      return called;
    if (status != ASSAY_OK)
      return plugin_failure("init failed with " + status_text(status) + ": " + escape_control(error.message()));
  }
  initialised_ = true;
  return Done{};
}

LoadedPlugin::~LoadedPlugin() {
  if (initialised_ && descriptor_->deinit != nullptr) {
    const Status called = contain("deinit", [&] { descriptor_->deinit(); });
    if (!called) log("loader")->error("unload plugin '{}': {}", id_, called.failure().message);
  }
#ifdef ASSAY_NEVER_UNLOAD
  unload_ = false;
#endif
  if (library_ && !unload_) keep_for_ever(std::move(*library_));
}

const assay_component* LoadedPlugin::component(const std::string& id) const {
  for (std::uint64_t i = 0; i < descriptor_->component_count; ++i) {
    if (id == descriptor_->components[i]->id) return descriptor_->components[i];
  }
  return nullptr;
}

}  // namespace assay
