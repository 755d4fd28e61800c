// Where the parts that ship with the plugin lie, and which Python to use.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace assay::bridge {

/// The server script beside this library.
std::filesystem::path server_script();

/// The text of a module map: a file's path, or a name ("mint") looked up as share/assay/apis/<name>.json above this library.
/// Throws Error(ASSAY_INVALID_ARGUMENT) with the places tried.
std::string read_module_map(const std::string& name_or_path);

/// `configured`, else the first of the environment's `variables` that is set, else python3; a bare name is looked up in PATH.
/// Throws Error(ASSAY_UNSUPPORTED) if there is no such program.
std::filesystem::path find_python(const std::string& configured, const std::vector<const char*>& variables);

}  // namespace assay::bridge
