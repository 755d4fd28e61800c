// The vendor's libraries on this machine: where they are looked for, which were opened, and their symbols.
//
//   const Installation& cann = Installation::open({});
//   void* add = cann.find("aclnnAdd");   // null where no library has it
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace assay::npu {

struct InstallationOptions {
  std::string home;                    ///< an install folder; empty: the environment, then the loader, then the usual places
  std::vector<std::string> libraries;  ///< operator libraries that are asked first
};

struct OpenedLibrary {
  std::string path;
  void* handle;
};

/// Libraries are never closed: they leave threads and thread-local storage behind.
class Installation {
 public:
  /// Opens the runtime, the object library and the operator libraries, once for each process and set of options.
  /// Throws Error(ASSAY_UNSUPPORTED) that lists every place where something was looked for.
  static const Installation& open(const InstallationOptions& options);

  /// The first library that has the symbol decides. Null: none has it.
  [[nodiscard]] void* find(const std::string& symbol) const;
  [[nodiscard]] const std::vector<OpenedLibrary>& libraries() const { return libraries_; }
  [[nodiscard]] const std::vector<std::string>& remarks() const { return remarks_; }  ///< libraries that were passed over, and why

 private:
  explicit Installation(const InstallationOptions& options);
  void open_custom_operators(const std::vector<std::string>& asked);
  bool open_runtime(const std::string& folder);
  void open_objects_and_operators(const std::string& folder);
  bool try_open(const std::string& name);
  void try_open_custom(const std::filesystem::path& path);

  std::vector<OpenedLibrary> libraries_;
  std::vector<std::string> remarks_;
  std::vector<std::string> tried_;
};

}  // namespace assay::npu
