#include "installation.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>

#include "assay/sdk/error.hpp"

namespace assay::npu {

namespace fs = std::filesystem;

namespace {

constexpr const char* kUsualHomes[] = {"/usr/local/Ascend/ascend-toolkit/latest", "/usr/local/Ascend/cann"};
constexpr const char* kSplitOperators[] = {"libopapi_math.so",        "libopapi_nn.so",  "libopapi_cv.so",
                                           "libopapi_transformer.so", "libopapi_oam.so", "libopapi_legacy.so"};

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

/// Where the loader really found it.
std::string path_of(void* handle, const std::string& asked) {
  struct link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr || map->l_name == nullptr) return asked;
  std::error_code ignored;
  const fs::path real = fs::canonical(map->l_name, ignored);
  return ignored ? map->l_name : real.string();
}

/// The toolkit ships libraries to link against, all of whose functions only fail.
bool is_link_stub(const fs::path& path) {
  return std::any_of(path.begin(), path.end(), [](const fs::path& part) { return part == "devlib" || part == "stub"; });
}

bool belongs_to_user(const fs::path& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && (status.st_uid == geteuid() || status.st_uid == 0);
}

/// Folders of custom operators, those of the environment before those of the operator package.
std::vector<fs::path> custom_folders() {
  std::vector<fs::path> folders;
  for (const std::string& folder : split(environment("ASCEND_CUSTOM_OPP_PATH"), ':'))
    folders.push_back(fs::path(folder) / "op_api/lib");
  const std::string package = environment("ASCEND_OPP_PATH");
  if (package.empty()) return folders;
  std::ifstream config(fs::path(package) / "vendors/config.ini");
  constexpr std::string_view kKey = "load_priority=";
  for (std::string line; std::getline(config, line);) {
    if (line.compare(0, kKey.size(), kKey) != 0) continue;
    for (const std::string& vendor : split(line.substr(kKey.size()), ',')) {
      if (vendor.find('/') == std::string::npos) folders.push_back(fs::path(package) / "vendors" / vendor / "op_api/lib");
    }
  }
  return folders;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

}  // namespace

const Installation& Installation::open(const InstallationOptions& options) {
  static std::mutex mutex;
  static auto* const opened = new std::map<std::string, std::unique_ptr<Installation>>();  // outlives static destructors
  const std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<Installation>& slot = (*opened)[options.home + '\n' + joined(options.libraries)];
  if (!slot) slot.reset(new Installation(options));
  return *slot;
}

Installation::Installation(const InstallationOptions& options) {
  // The worker has signal handlers of its own, and waiting for the device's log would delay its end. A user's own choice stays.
  setenv("ASCEND_COREDUMP_SIGNAL", "none", 0);
  setenv("ASCEND_LOG_DEVICE_FLUSH_TIMEOUT", "0", 0);
  bool found = false;
  if (!options.home.empty()) {
    found = open_runtime((fs::path(options.home) / "lib64").string());
  } else {
    for (const char* name : {"ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME"}) {
      if (found) break;
      const std::string home = environment(name);
      if (home.empty()) {
        tried_.push_back(std::string(name) + " is not set");
      } else {
        found = open_runtime((fs::path(home) / "lib64").string());
      }
    }
    if (!found) found = open_runtime("");
    for (const char* home : kUsualHomes) {
      if (!found) found = open_runtime((fs::path(home) / "lib64").string());
    }
  }
  if (!found) {
    throw Error(ASSAY_UNSUPPORTED, "open the Ascend runtime: libascendcl.so and libacl_rt.so are not found (" + joined(tried_) +
                                       "); install CANN and source its set_env.sh, or set 'home' in the adapter's configuration");
  }
  open_custom_operators(options.libraries);
}

bool Installation::open_runtime(const std::string& folder) {
  const std::string prefix = folder.empty() ? "" : folder + "/";
  if (!try_open(prefix + "libascendcl.so") && !try_open(prefix + "libacl_rt.so")) return false;
  open_objects_and_operators(prefix);
  return true;
}

void Installation::open_objects_and_operators(const std::string& prefix) {
  tried_.clear();
  if (!try_open(prefix + "libnnopbase.so")) {
    throw Error(ASSAY_UNSUPPORTED, "open '" + prefix + "libnnopbase.so' beside the runtime '" + libraries_.front().path +
                                       "': " + joined(tried_) + "; the toolkit is not complete");
  }
  std::size_t split_count = 0;
  for (const char* name : kSplitOperators) split_count += try_open(prefix + name) ? 1 : 0;
  // The single library must not be mixed with the split ones.
  if (split_count == 0 && !try_open(prefix + "libopapi.so")) {
    throw Error(ASSAY_UNSUPPORTED, "open the operators beside the runtime '" + libraries_.front().path + "': " + joined(tried_) +
                                       "; the toolkit is not complete");
  }
}

bool Installation::try_open(const std::string& name) {
  void* const handle = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const reason = dlerror();
    const std::string text = reason != nullptr ? reason : name;
    // A file that isn't there is said in fewer words than the loader's.
    const bool absent = text.find("No such file") != std::string::npos && text.compare(0, name.size(), name) == 0;
    tried_.push_back(absent ? "no " + name : text);
    return false;
  }
  const std::string path = path_of(handle, name);
  if (is_link_stub(path)) {
    tried_.push_back(path + " is a stub to link against, not the library");
    return false;
  }
  libraries_.push_back({path, handle});
  return true;
}

void Installation::open_custom_operators(const std::vector<std::string>& asked) {
  const std::size_t standard = libraries_.size();
  for (const std::string& path : asked) {
    if (!try_open(path)) throw Error(ASSAY_UNSUPPORTED, "open operator library '" + path + "': " + tried_.back());
  }
  for (const fs::path& folder : custom_folders()) try_open_custom(folder / "libcust_opapi.so");
  // They are asked first.
  std::rotate(libraries_.begin(), libraries_.begin() + static_cast<std::ptrdiff_t>(standard), libraries_.end());
}

void Installation::try_open_custom(const fs::path& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    remarks_.push_back("no " + path.string());
  } else if (!belongs_to_user(path)) {
    remarks_.push_back("passed over " + path.string() + ", which belongs to another user");
  } else if (!try_open(path.string())) {
    remarks_.push_back("passed over " + path.string() + ": " + tried_.back());
  }
}

void* Installation::find(const std::string& symbol) const {
  for (const OpenedLibrary& library : libraries_) {
    if (void* const address = dlsym(library.handle, symbol.c_str())) return address;
  }
  return nullptr;
}

}  // namespace assay::npu
