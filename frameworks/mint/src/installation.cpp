#include "installation.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "assay/sdk/error.hpp"

namespace assay::bridge {
namespace {

namespace fs = std::filesystem;

fs::path library_folder() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&library_folder), &info) == 0 || info.dli_fname == nullptr)
    throw Error(ASSAY_INTERNAL, "the plugin can't find its own file");
  return fs::absolute(info.dli_fname).parent_path();
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file || text.str().empty()) throw Error(ASSAY_INVALID_ARGUMENT, "can't read the module map '" + path.string() + "'");
  return text.str();
}

bool is_program(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

fs::path server_script() { return library_folder() / "server" / "assay_server.py"; }

std::string read_module_map(const std::string& name_or_path) {
  if (name_or_path.find('/') != std::string::npos) return read_file(name_or_path);
  const fs::path below = fs::path("share") / "assay" / "apis" / (name_or_path + ".json");
  const fs::path start = library_folder();
  for (fs::path folder = start; folder != folder.root_path(); folder = folder.parent_path()) {
    std::error_code ignored;
    if (fs::is_regular_file(folder / below, ignored)) return read_file(folder / below);
  }
  throw Error(ASSAY_INVALID_ARGUMENT, "module map '" + name_or_path + "': no " + below.string() + " above '" + start.string() +
                                          "'; give the file's path in 'map'");
}

fs::path find_python(const std::string& configured, const std::vector<const char*>& variables) {
  std::string name = configured;
  std::string origin = "the configuration";
  for (const char* variable : variables) {
    const char* const value = std::getenv(variable);
    if (!name.empty() || value == nullptr || *value == '\0') continue;
    name = value;
    origin = variable;
  }
  if (name.empty()) {
    name = "python3";
    origin = "the default";
  }
  if (name.find('/') != std::string::npos) {
    if (is_program(name)) return fs::absolute(name);
  } else {
    const char* const search = std::getenv("PATH");
    std::istringstream folders(search != nullptr ? search : "/usr/local/bin:/usr/bin:/bin");
    for (std::string folder; std::getline(folders, folder, ':');) {
      if (is_program(fs::path(folder.empty() ? "." : folder) / name)) return fs::absolute(fs::path(folder) / name);
    }
  }
  throw Error(ASSAY_UNSUPPORTED, "no python at '" + name + "' (from " + origin + "); set 'python' in the configuration, or " +
                                     variables.front() + ", to a Python 3.9 or newer");
}

}  // namespace assay::bridge
