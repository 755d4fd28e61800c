// Reads plugin manifests and decides, without loading anything, whether a plugin can be used by this host.
//
//   {"manifest_version": 1, "id": "com.example.noise", "version": "1.0.0", "library": "noise.so", "abi": {"major": 1, "minor": 0},
//    "platform": "linux-x86_64", "unload": "allowed", "components": [{"id": "com.example.add-noise", "kind": "perturbation"}]}
#pragma once

#include <filesystem>
#include <string>

#include "config/schema.hpp"
#include "loader/registry.hpp"

namespace assay {

/// "linux-x86_64": what this host can load.
std::string host_platform();

/// errors  kInput: not readable, against the schema, a library that is missing or outside of the manifest's folder, files that
///         everybody may write (unless ASSAY_ALLOW_WRITABLE_PLUGINS=1)
Result<PluginManifest> read_manifest(const std::filesystem::path& path, const Schema& schema);

/// Why this host can't load the plugin: another ABI major, a newer minor, another platform. Done if it can.
Status check_compatible(const PluginManifest& manifest);

}  // namespace assay
