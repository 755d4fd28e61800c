// Where the product's own files lie: found from the executable's place, so that a build tree and an install tree both work.
//
//   Schema::load(share_folder() / "schemas" / "pipeline.schema.json")
#pragma once

#include <filesystem>

namespace assay {

/// The running executable.
std::filesystem::path executable_path();

/// The folder that holds bin, lib and share: ASSAY_HOME if set, else the one above the executable's folder.
std::filesystem::path home_folder();

/// <home>/lib/assay/plugins, in whichever library folder of the platform it exists.
std::filesystem::path plugin_folder();

/// <home>/share/assay: pipelines, standards, apis, schemas.
std::filesystem::path share_folder();

/// Plugins of the user: $XDG_DATA_HOME/assay/plugins, by default ~/.local/share/assay/plugins; empty without a home.
std::filesystem::path user_plugin_folder();

}  // namespace assay
