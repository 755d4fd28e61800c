#include "loader/registry.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <system_error>

#include "base/locations.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "config/json.hpp"
#include "config/schema.hpp"
#include "loader/host_table.hpp"
#include "loader/library.hpp"
#include "loader/manifest.hpp"
#include "loader/tables.hpp"

namespace assay {

namespace fs = std::filesystem;

std::vector<fs::path> default_search_path(const std::vector<fs::path>& from_options) {
  std::vector<fs::path> path = from_options;
  if (const char* listed = std::getenv("ASSAY_PLUGIN_PATH")) {
    for (const std::string_view entry : split(listed, ':')) {
      if (!entry.empty()) path.emplace_back(entry);
    }
  }
  if (const fs::path user = user_plugin_folder(); !user.empty()) path.push_back(user);
  path.push_back(plugin_folder());
  return path;
}

VersionedId::VersionedId(const std::string& text) : id(text.substr(0, text.find('@'))) {
  if (id.size() < text.size()) version = text.substr(id.size() + 1);
}

bool VersionedId::accepts(const std::string& framework_version) const {
  if (version.empty() || framework_version == version) return true;
  const bool begins = framework_version.compare(0, version.size(), version) == 0;
  return begins && (framework_version[version.size()] == '.' || framework_version[version.size()] == '+');
}

struct Instance::Body {
  Body() = default;
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;
  ~Body() {
    if (instance == nullptr) return;
    const Status called = contain("destroy", [&] { instance->destroy(instance); });
    if (!called) log("loader")->error("destroy instance of '{}': {}", id, called.failure().message);
  }

  // The order matters: the library must outlive the instance, which the destructor frees first.
  std::shared_ptr<LoadedPlugin> plugin;
  assay_instance* instance = nullptr;
  std::string id;
  std::string version;
  std::mutex mutex;
  std::map<std::string, std::vector<std::uint64_t>> tables;
};

assay_instance* Instance::get() const { return body_->instance; }
const std::string& Instance::component_id() const { return body_->id; }
const std::string& Instance::component_version() const { return body_->version; }

Instance Instance::adopt(assay_instance* instance, const std::string& id, const std::string& version) {
  Instance adopted;
  adopted.body_ = std::make_shared<Body>();
  adopted.body_->instance = instance;
  adopted.body_->id = id;
  adopted.body_->version = version;
  return adopted;
}

const void* Instance::extension_table(const char* id) const {
  const void* given = nullptr;
  const Status called = contain("get_extension", [&] { given = body_->instance->get_extension(body_->instance, id); });
  if (!called) log("loader")->error("ask '{}' for '{}': {}", body_->id, id, called.failure().message);
  const TableInfo* info = find_table(id);
  if (given == nullptr || info == nullptr) return given;
  const std::lock_guard<std::mutex> lock(body_->mutex);
  const auto known = body_->tables.find(id);
  if (known != body_->tables.end()) return known->second.data();
  if (const Status sound = check_table(*info, given); !sound) {
    log("loader")->error("ask '{}' for '{}': {}", body_->id, id, sound.failure().message);
    return nullptr;
  }
  return body_->tables.emplace(id, complete_table(*info, given)).first->second.data();
}

struct Registry::Body {
  struct Unusable {
    std::vector<ComponentEntry> components;
    std::string plugin_id;
    std::string problem;
  };

  void scan(const fs::path& folder, const Schema& schema);
  void add(const fs::path& manifest_path, const Schema& schema);
  [[nodiscard]] const PluginManifest* owner_of(const VersionedId& component) const;
  [[nodiscard]] Failure not_found(const std::string& what, const std::string& id, const std::vector<std::string>& known) const;
  [[nodiscard]] Result<std::shared_ptr<LoadedPlugin>> load(const PluginManifest& manifest);

  std::vector<PluginManifest> plugins;
  std::vector<Unusable> unusable;
  std::vector<std::string> problems;
  std::vector<fs::path> search_path;
  std::mutex mutex;
  std::map<fs::path, std::shared_ptr<LoadedPlugin>> loaded;  ///< by the manifest's path
};

void Registry::Body::scan(const fs::path& folder, const Schema& schema) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    log("loader")->debug("search '{}': not a folder", folder.string());
    return;
  }
  std::vector<fs::path> manifests;
  if (fs::exists(folder / "manifest.json", error)) manifests.push_back(folder / "manifest.json");
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    const fs::path manifest = entry->path() / "manifest.json";
    if (fs::exists(manifest, ignored)) manifests.push_back(manifest);
  }
  if (error) problems.push_back("search '" + folder.string() + "': " + error.message());
  std::sort(manifests.begin(), manifests.end());
  log("loader")->debug("search '{}': {} manifests", folder.string(), manifests.size());
  for (const fs::path& manifest : manifests) add(manifest, schema);
}

void Registry::Body::add(const fs::path& manifest_path, const Schema& schema) {
  Result<PluginManifest> manifest = read_manifest(manifest_path, schema);
  if (!manifest) {
    problems.push_back(manifest.failure().message);
    return;
  }
  if (const Status usable = check_compatible(*manifest); !usable) {
    problems.push_back("load plugin '" + manifest->id + "' (" + manifest_path.string() + "): " + usable.failure().message);
    unusable.push_back({manifest->components, manifest->id, problems.back()});
    return;
  }
  for (const PluginManifest& first : plugins) {
    if (first.id != manifest->id || first.framework_version != manifest->framework_version) continue;
    if (first.path != manifest->path) {
      log("loader")->info("plugin '{}' in '{}' is shadowed by the one in '{}'", first.id, manifest_path.string(),
                          first.path.string());
    }
    return;
  }
  for (const ComponentEntry& component : manifest->components) {
    const PluginManifest* first = owner_of(VersionedId(component.id));
    if (first != nullptr && first->id != manifest->id) {
      log("loader")->warn("component '{}' of plugin '{}' is shadowed by the one of plugin '{}' in '{}'", component.id, manifest->id,
                          first->id, first->path.string());
    }
  }
  plugins.push_back(std::move(*manifest));
}

const PluginManifest* Registry::Body::owner_of(const VersionedId& wanted) const {
  for (const PluginManifest& plugin : plugins) {
    if (!wanted.accepts(plugin.framework_version)) continue;
    for (const ComponentEntry& component : plugin.components) {
      if (component.id == wanted.id) return &plugin;
    }
  }
  return nullptr;
}

Failure Registry::Body::not_found(const std::string& what, const std::string& id, const std::vector<std::string>& known) const {
  std::string message = "find " + what + " '" + escape_control(id) + "'";
  if (const std::vector<std::string> close = similar_names(id, known); !close.empty()) {
    message += "; did you mean '" + join(close, "' or '") + "'?";
  }
  const VersionedId wanted(id);
  std::vector<std::string> versions;
  for (const PluginManifest& plugin : plugins) {
    const bool same = std::any_of(plugin.components.begin(), plugin.components.end(),
                                  [&](const ComponentEntry& component) { return component.id == wanted.id; });
    if (same && !plugin.framework_version.empty()) versions.push_back(plugin.framework_version);
  }
  if (!wanted.version.empty() && !versions.empty()) message += "; there is " + join(versions, ", ");
  std::vector<std::string> tried;
  for (const fs::path& folder : search_path) {
    std::error_code error;
    tried.push_back("'" + folder.string() + "'" + (fs::is_directory(folder, error) ? "" : " (not a folder)"));
  }
  return input_failure(message + "; searched " + (tried.empty() ? "nowhere" : join(tried, ", ")) +
                       "; add its folder with --plugin-path or ASSAY_PLUGIN_PATH");
}

Result<std::shared_ptr<LoadedPlugin>> Registry::Body::load(const PluginManifest& manifest) {
  const std::lock_guard<std::mutex> lock(mutex);
  const auto known = loaded.find(manifest.path);
  if (known != loaded.end()) return known->second;
  Result<std::shared_ptr<LoadedPlugin>> plugin = LoadedPlugin::load(manifest);
  if (plugin) loaded.emplace(manifest.path, *plugin);
  return plugin;
}

Registry Registry::discover(const std::vector<fs::path>& search_path) {
  Registry registry;
  registry.body_ = std::make_shared<Body>();
  Body& body = *registry.body_;
  for (const fs::path& folder : search_path) {
    const fs::path absolute = fs::absolute(folder).lexically_normal();
    if (std::find(body.search_path.begin(), body.search_path.end(), absolute) == body.search_path.end()) {
      body.search_path.push_back(absolute);
    }
  }
  const Result<Schema> schema = Schema::load(share_folder() / "schemas" / "manifest.schema.json");
  if (!schema) {
    body.problems.push_back(schema.failure().message + "; set ASSAY_HOME to the folder that holds bin, lib and share");
    return registry;
  }
  for (const fs::path& folder : body.search_path) body.scan(folder, *schema);
  return registry;
}

const std::vector<PluginManifest>& Registry::plugins() const { return body_->plugins; }
const PluginManifest* Registry::owner_of(const std::string& component_id) const {
  return body_->owner_of(VersionedId(component_id));
}
const std::vector<std::string>& Registry::problems() const { return body_->problems; }
const std::vector<fs::path>& Registry::search_path() const { return body_->search_path; }

namespace {

Failure create_failure(const std::string& what, assay_status status, const ErrorSlot& error) {
  const std::string message = what + escape_control(error.message());
  switch (status) {
    case ASSAY_INVALID_ARGUMENT:
    case ASSAY_NOT_FOUND: return input_failure(message);
    case ASSAY_UNSUPPORTED: return unsupported(message);
    default: return plugin_failure(message + " (" + status_text(status) + ")");
  }
}

Status check_config(const assay_component& component, const std::string& config_json) {
  const std::string origin = "configuration of '" + std::string(component.id) + "'";
  const Result<rapidjson::Document> config = parse_json(config_json, origin);
  if (!config) return config.failure();
  if (!config->IsObject()) return input_failure("read " + origin + ": expected an object, got " + json_excerpt(*config));
  if (component.config_schema == nullptr) return Done{};
  const Result<Schema> schema = Schema::parse(component.config_schema, "schema of '" + std::string(component.id) + "'");
  if (!schema) return plugin_failure(schema.failure().message);
  return schema->check(*config, origin);
}

Status check_instance(const assay_instance* instance) {
  if (instance == nullptr) return plugin_failure("create returned ASSAY_OK without an instance");
  if (!ASSAY_HAS(assay_instance, instance, get_extension)) {
    return plugin_failure("instance has struct_size " + std::to_string(instance->struct_size) + ", expected at least " +
                          std::to_string(sizeof(assay_instance)));
  }
  if (instance->destroy == nullptr) return plugin_failure("instance has no destroy");
  if (instance->get_extension == nullptr) return plugin_failure("instance has no get_extension");
  return Done{};
}

Status check_main_table(const assay_instance& instance, const std::string& kind) {
  const TableInfo* info = main_table_of_kind(kind);
  if (info == nullptr) return Done{};
  const void* table = nullptr;
  const Status called = contain("get_extension", [&] { table = instance.get_extension(&instance, info->extension); });
  return called ? check_table(*info, table) : called;
}

}  // namespace

Result<Instance> Registry::create(const std::string& name, const std::string& kind, const std::string& config_json) {
  const VersionedId wanted(name);
  const std::string& component_id = wanted.id;
  const PluginManifest* manifest = body_->owner_of(wanted);
  if (manifest == nullptr) {
    std::vector<std::string> known;
    for (const PluginManifest& plugin : body_->plugins) {
      for (const ComponentEntry& component : plugin.components) {
        if (component.kind == kind) known.push_back(component.id);
      }
    }
    for (const Body::Unusable& plugin : body_->unusable) {
      for (const ComponentEntry& component : plugin.components) {
        if (component.id == component_id) return plugin_failure(plugin.problem);
      }
    }
    return body_->not_found(kind, name, known);
  }
  for (const ComponentEntry& component : manifest->components) {
    if (component.id == component_id && component.kind != kind) {
      return input_failure("use component '" + component_id + "' as " + kind + ": it is of kind '" + component.kind + "'");
    }
  }
  const Result<std::shared_ptr<LoadedPlugin>> plugin = body_->load(*manifest);
  if (!plugin) return plugin.failure();
  const assay_component* component = (*plugin)->component(component_id);
  if (component == nullptr) return internal_failure("component '" + component_id + "' left its descriptor");
  if (const Status valid = check_config(*component, config_json); !valid) return valid.failure();

  const std::string what = "create component '" + component_id + "': ";
  auto body = std::make_shared<Instance::Body>();
  body->plugin = *plugin;
  body->id = component_id;
  body->version = component->version != nullptr ? component->version : "";
  ErrorSlot error;
  assay_status status = ASSAY_OK;
  assay_instance* instance = nullptr;
  const Status called =
      contain("create", [&] { status = component->create(host_table(), config_json.c_str(), &instance, error.get()); });
  if (!called) return plugin_failure(what + called.failure().message);
  if (status != ASSAY_OK) return create_failure(what, status, error);
  if (const Status sound = check_instance(instance); !sound) return plugin_failure(what + sound.failure().message);
  body->instance = instance;
  if (const Status sound = check_main_table(*instance, kind); !sound) return plugin_failure(what + sound.failure().message);
  log("loader")->trace("created '{}' with {}", component_id, config_json);
  Instance created;
  created.body_ = std::move(body);
  return created;
}

Result<const assay_plugin*> Registry::load(const PluginManifest& manifest) {
  const Result<std::shared_ptr<LoadedPlugin>> plugin = body_->load(manifest);
  if (!plugin) return plugin.failure();
  return (*plugin)->descriptor();
}

Result<const assay_plugin*> Registry::load(const std::string& plugin_id) {
  const VersionedId wanted(plugin_id);
  std::vector<std::string> known;
  for (const PluginManifest& manifest : body_->plugins) {
    known.push_back(manifest.id);
    if (manifest.id == wanted.id && wanted.accepts(manifest.framework_version)) return load(manifest);
  }
  for (const Body::Unusable& plugin : body_->unusable) {
    if (plugin.plugin_id == plugin_id) return plugin_failure(plugin.problem);
  }
  return body_->not_found("plugin", plugin_id, known);
}

}  // namespace assay
