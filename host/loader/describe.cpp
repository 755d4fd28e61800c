#include "loader/describe.hpp"

#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

#include <algorithm>
#include <optional>

#include "assay/abi/adapter.h"
#include "assay/sdk/error.hpp"
#include "base/text.hpp"
#include "config/json.hpp"

namespace assay {

namespace {

using Writer = rapidjson::PrettyWriter<rapidjson::StringBuffer>;

std::string text_of(const char* text) { return text != nullptr ? escape_control(text) : ""; }

std::string abi_of(const PluginManifest& plugin) {
  return std::to_string(plugin.abi_major) + "." + std::to_string(plugin.abi_minor);
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

const PluginManifest* find_plugin(const Registry& registry, const std::string& id) {
  const VersionedId wanted(id);
  for (const PluginManifest& plugin : registry.plugins()) {
    if (plugin.id == wanted.id && wanted.accepts(plugin.framework_version)) return &plugin;
  }
  return registry.owner_of(id);
}

/// "assay.torch", or "assay.torch@1.13.0" where the plugin says which framework it is for.
std::string name_of(const PluginManifest& plugin, const std::string& id) {
  return plugin.framework_version.empty() ? id : id + "@" + plugin.framework_version;
}

void write_member(Writer& writer, const char* key, const std::string& value) {
  writer.Key(key);
  writer.String(value);
}

void write_manifest_members(Writer& writer, const PluginManifest& plugin) {
  write_member(writer, "id", plugin.id);
  write_member(writer, "version", plugin.version);
  if (!plugin.framework_version.empty()) write_member(writer, "framework_version", plugin.framework_version);
  write_member(writer, "abi", abi_of(plugin));
  write_member(writer, "platform", plugin.platform);
  writer.Key("unload");
  writer.String(plugin.unload ? "allowed" : "never");
  write_member(writer, "manifest", plugin.path.string());
  write_member(writer, "library", plugin.library.string());
}

/// The component's schema as JSON; as text where it isn't JSON.
void write_schema(Writer& writer, const char* schema) {
  writer.Key("config_schema");
  const Result<rapidjson::Document> json = parse_json(schema != nullptr ? schema : "{}", "schema");
  if (json) {
    json->Accept(writer);
  } else {
    writer.String(schema);
  }
}

/// A line for each key of a component's configuration.
std::string describe_keys(const rapidjson::Document& schema) {
  std::string text;
  if (!schema.IsObject() || !schema.HasMember("properties") || !schema["properties"].IsObject()) return text;
  for (const auto& key : schema["properties"].GetObject()) {
    const auto about = key.value.IsObject() ? key.value.FindMember("description") : key.value.MemberEnd();
    const bool described = key.value.IsObject() && about != key.value.MemberEnd() && about->value.IsString();
    text += "  config '" + text_of(key.name.GetString()) +
            "': " + (described ? text_of(about->value.GetString()) : json_excerpt(key.value)) + "\n";
  }
  return text;
}

/// What an adapter says of the framework it opened here, or why it can't open it.
struct Found {
  bool usable = false;
  std::string framework;
  std::string details;  ///< or the reason
};

std::optional<Found> find_framework(Registry& registry, const PluginManifest& plugin, const assay_component& component) {
  if (component.kind == nullptr || component.id == nullptr || std::string(component.kind) != ASSAY_KIND_ADAPTER)
    return std::nullopt;
  const Result<Instance> instance = registry.create(name_of(plugin, component.id), component.kind, "{}");
  if (!instance) return Found{false, "", instance.failure().message};
  const auto* table = instance->extension<assay_adapter>(ASSAY_EXT_ADAPTER);
  assay_adapter_info info{};
  info.struct_size = sizeof info;
  ErrorSlot error;
  if (table == nullptr || table->describe == nullptr) return Found{false, "", "it has no capability '" ASSAY_EXT_ADAPTER "'"};
  if (table->describe(instance->get(), &info, error.get()) != ASSAY_OK) return Found{false, "", error.message()};
  return Found{true, text_of(info.framework) + " " + text_of(info.version), text_of(info.details)};
}

}  // namespace

std::string describe_plugins(const Registry& registry) {
  std::size_t kind_width = 0;
  std::size_t id_width = 0;
  for (const PluginManifest& plugin : registry.plugins()) {
    for (const ComponentEntry& component : plugin.components) {
      kind_width = std::max(kind_width, component.kind.size());
      id_width = std::max(id_width, name_of(plugin, component.id).size());
    }
  }
  std::string text;
  for (const PluginManifest& plugin : registry.plugins()) {
    for (const ComponentEntry& component : plugin.components) {
      text += padded(component.kind, kind_width) + "  " + padded(name_of(plugin, component.id), id_width) + "  " + plugin.version +
              "  " + escape_control(plugin.library.string()) + "\n";
    }
  }
  if (text.empty()) text = "no plugins found\n";
  for (const std::string& problem : registry.problems()) text += "unusable: " + problem + "\n";
  return text;
}

std::string describe_plugins_json(const Registry& registry) {
  rapidjson::StringBuffer buffer;
  Writer writer(buffer);
  writer.StartObject();
  writer.Key("plugins");
  writer.StartArray();
  for (const PluginManifest& plugin : registry.plugins()) {
    writer.StartObject();
    write_manifest_members(writer, plugin);
    writer.Key("components");
    writer.StartArray();
    for (const ComponentEntry& component : plugin.components) {
      writer.StartObject();
      write_member(writer, "id", component.id);
      write_member(writer, "kind", component.kind);
      writer.EndObject();
    }
    writer.EndArray();
    writer.EndObject();
  }
  writer.EndArray();
  writer.Key("problems");
  writer.StartArray();
  for (const std::string& problem : registry.problems()) writer.String(problem);
  writer.EndArray();
  writer.Key("search_path");
  writer.StartArray();
  for (const std::filesystem::path& folder : registry.search_path()) writer.String(folder.string());
  writer.EndArray();
  writer.EndObject();
  return std::string(buffer.GetString(), buffer.GetSize()) + "\n";
}

Result<std::string> describe_plugin(Registry& registry, const std::string& id) {
  const PluginManifest* manifest = find_plugin(registry, id);
  const Result<const assay_plugin*> loaded = manifest != nullptr ? registry.load(*manifest) : registry.load(id);
  if (!loaded) return loaded.failure();
  std::string text = "plugin    " + manifest->id + " " + manifest->version + "\n";
  if (!manifest->framework_version.empty()) text += "framework " + manifest->framework_version + "\n";
  text += "ABI       " + abi_of(*manifest) + (manifest->platform.empty() ? "" : ", " + manifest->platform) +
          (manifest->unload ? "" : ", stays loaded") + "\n";
  text += "manifest  " + escape_control(manifest->path.string()) + "\n";
  text += "library   " + escape_control(manifest->library.string()) + "\n";
  for (std::uint64_t i = 0; i < (*loaded)->component_count; ++i) {
    const assay_component& component = *(*loaded)->components[i];
    text += "\n" + text_of(component.kind) + " " + text_of(component.id) + " " + text_of(component.version) + "\n";
    text += "  " + text_of(component.description) + "\n";
    const Result<rapidjson::Document> schema = parse_json(component.config_schema != nullptr ? component.config_schema : "{}", "");
    if (schema) text += describe_keys(*schema);
    if (const std::optional<Found> found = find_framework(registry, *manifest, component)) {
      text += (found->usable ? "  found here: " + found->framework + "\n    " : "  not usable here: ") + found->details + "\n";
    }
  }
  return text;
}

Result<std::string> describe_plugin_json(Registry& registry, const std::string& id) {
  const PluginManifest* manifest = find_plugin(registry, id);
  const Result<const assay_plugin*> loaded = manifest != nullptr ? registry.load(*manifest) : registry.load(id);
  if (!loaded) return loaded.failure();
  rapidjson::StringBuffer buffer;
  Writer writer(buffer);
  writer.StartObject();
  write_manifest_members(writer, *manifest);
  writer.Key("components");
  writer.StartArray();
  for (std::uint64_t i = 0; i < (*loaded)->component_count; ++i) {
    const assay_component& component = *(*loaded)->components[i];
    writer.StartObject();
    write_member(writer, "id", text_of(component.id));
    write_member(writer, "kind", text_of(component.kind));
    write_member(writer, "version", text_of(component.version));
    write_member(writer, "description", text_of(component.description));
    write_schema(writer, component.config_schema);
    if (const std::optional<Found> found = find_framework(registry, *manifest, component)) {
      if (found->usable) write_member(writer, "framework", found->framework);
      write_member(writer, found->usable ? "details" : "unusable", found->details);
    }
    writer.EndObject();
  }
  writer.EndArray();
  writer.EndObject();
  return std::string(buffer.GetString(), buffer.GetSize()) + "\n";
}

}  // namespace assay
