#include "base/locations.hpp"

#include <cstdlib>
#include <system_error>

namespace assay {

namespace {

std::filesystem::path from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::filesystem::path(value) : std::filesystem::path();
}

}  // namespace

std::filesystem::path executable_path() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error);
}

std::filesystem::path home_folder() {
  const std::filesystem::path chosen = from_environment("ASSAY_HOME");
  if (!chosen.empty()) return std::filesystem::absolute(chosen).lexically_normal();
  return executable_path().parent_path().parent_path();
}

std::filesystem::path plugin_folder() {
  const std::filesystem::path home = home_folder();
  // ASSAY_LIBRARY_FOLDER is the platform's: "lib", "lib64" or "lib/x86_64-linux-gnu".
  for (const char* library : {"lib", ASSAY_LIBRARY_FOLDER, "lib64"}) {
    std::filesystem::path folder = home / library / "assay" / "plugins";
    std::error_code error;
    if (std::filesystem::is_directory(folder, error)) return folder;
  }
  return home / "lib" / "assay" / "plugins";
}

std::filesystem::path share_folder() { return home_folder() / "share" / "assay"; }

std::filesystem::path user_plugin_folder() {
  if (const std::filesystem::path data = from_environment("XDG_DATA_HOME"); data.is_absolute()) return data / "assay" / "plugins";
  if (const std::filesystem::path home = from_environment("HOME"); home.is_absolute()) {
    return home / ".local" / "share" / "assay" / "plugins";
  }
  return {};
}

}  // namespace assay
