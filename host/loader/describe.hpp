// Texts and JSON of `assay plugins list` and `assay plugins show`.
#pragma once

#include <string>

#include "loader/registry.hpp"

namespace assay {

/// Every plugin with its components, from the manifests alone; manifests that can't be used come last, with the reason.
std::string describe_plugins(const Registry& registry);
/// The same as {"plugins": [...], "problems": [...], "search_path": [...]}.
std::string describe_plugins_json(const Registry& registry);

/// One plugin, found by its own id or the id of one of its components; loads it for what only the library knows: descriptions and
/// configuration schemas.
Result<std::string> describe_plugin(Registry& registry, const std::string& id);
Result<std::string> describe_plugin_json(Registry& registry, const std::string& id);

}  // namespace assay
