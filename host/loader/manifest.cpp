#include "loader/manifest.hpp"

#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "base/text.hpp"
#include "config/json.hpp"

namespace assay {

namespace {

namespace fs = std::filesystem;

bool writable_plugins_allowed() {
  const char* value = std::getenv("ASSAY_ALLOW_WRITABLE_PLUGINS");
  return value != nullptr && std::string_view(value) == "1";
}

/// A library that anybody can replace runs anybody's code.
Status check_not_writable(const fs::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0 || writable_plugins_allowed()) return Done{};
  if (info.st_uid != 0 && info.st_uid != ::geteuid()) {
    return input_failure("'" + path.string() + "' belongs to another user (" + std::to_string(info.st_uid) +
                         "), who may write it; install it as yourself or root, or set ASSAY_ALLOW_WRITABLE_PLUGINS=1");
  }
  if ((info.st_mode & S_IWOTH) == 0) return Done{};
  return input_failure("'" + path.string() +
                       "' may be written by every user; run chmod o-w on it or set ASSAY_ALLOW_WRITABLE_PLUGINS=1");
}

Result<fs::path> library_path(const fs::path& folder, const std::string& name) {
  const fs::path relative(name);
  const bool climbs = std::any_of(relative.begin(), relative.end(), [](const fs::path& part) { return part == ".."; });
  if (relative.is_absolute() || climbs) {
    return input_failure("/library: expected a path inside the manifest's folder, got '" + escape_control(name) + "'");
  }
  std::error_code error;
  const fs::path library = fs::canonical(folder / relative, error);
  if (error) return input_failure("/library: no file '" + escape_control(name) + "' in the manifest's folder; build or install it");
  const fs::path root = fs::canonical(folder, error);
  const auto [root_end, library_rest] = std::mismatch(root.begin(), root.end(), library.begin(), library.end());
  if (error || root_end != root.end() || library_rest == library.end()) {
    return input_failure("/library: '" + escape_control(name) + "' leads out of the manifest's folder to '" + library.string() +
                         "'");
  }
  if (!fs::is_regular_file(library, error)) return input_failure("/library: '" + escape_control(name) + "' is not a file");
  return library;
}

}  // namespace

std::string host_platform() {
  utsname names{};
  if (::uname(&names) != 0) return "linux";
  std::string platform = std::string(names.sysname) + "-" + names.machine;
  std::transform(platform.begin(), platform.end(), platform.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return platform;
}

Result<PluginManifest> read_manifest(const fs::path& path, const Schema& schema) {
  const Result<rapidjson::Document> json = load_json(path);
  if (!json) return json.failure();
  const std::vector<std::string> problems = schema.problems(*json, path.string());
  if (!problems.empty()) return input_failure(join(problems, "\n"));

  const fs::path folder = path.parent_path();
  const Result<fs::path> library = library_path(folder, (*json)["library"].GetString());
  if (!library) return input_failure(path.string() + ": " + library.failure().message);
  for (const fs::path& file : {folder, path, *library, library->parent_path()}) {
    if (const Status safe = check_not_writable(file); !safe) return input_failure(path.string() + ": " + safe.failure().message);
  }

  PluginManifest manifest;
  manifest.path = path;
  manifest.library = *library;
  manifest.id = (*json)["id"].GetString();
  manifest.version = (*json)["version"].GetString();
  manifest.abi_major = (*json)["abi"]["major"].GetUint();
  manifest.abi_minor = (*json)["abi"]["minor"].GetUint();
  if (json->HasMember("framework_version")) manifest.framework_version = (*json)["framework_version"].GetString();
  if (json->HasMember("platform")) manifest.platform = (*json)["platform"].GetString();
  manifest.unload = !json->HasMember("unload") || std::string_view((*json)["unload"].GetString()) != "never";
  for (const auto& component : (*json)["components"].GetArray()) {
    manifest.components.push_back({component["id"].GetString(), component["kind"].GetString()});
  }
  return manifest;
}

Status check_compatible(const PluginManifest& manifest) {
  const std::string needs = "needs ABI " + std::to_string(manifest.abi_major) + "." + std::to_string(manifest.abi_minor) +
                            ", host has " + std::to_string(ASSAY_ABI_MAJOR) + "." + std::to_string(ASSAY_ABI_MINOR);
  if (manifest.abi_major != ASSAY_ABI_MAJOR) return plugin_failure(needs + "; rebuild the plugin against this host's headers");
  if (manifest.abi_minor > ASSAY_ABI_MINOR)
    return plugin_failure(needs + "; update assay or rebuild the plugin for the older minor");
  if (!manifest.platform.empty() && manifest.platform != host_platform()) {
    return plugin_failure("built for '" + manifest.platform + "', host is '" + host_platform() +
                          "'; install the plugin's build for this platform");
  }
  return Done{};
}

}  // namespace assay
