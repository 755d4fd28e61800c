// A file that results are written to, checked at every step.
#pragma once

#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace assay {

class OutputFile {
 public:
  /// Creates or truncates a file of mode 0640; refuses to follow a symbolic link in the last component, and whatever is no file.
  static Result<OutputFile> create(const std::filesystem::path& path);

  Status write(std::string_view text);
  /// Hands what was written to the kernel.
  Status flush();
  /// Brings everything to the disk and closes, reporting what the system says only now: a full disk, a file that was removed.
  Status close();

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  [[nodiscard]] Failure failure(const char* verb) const;

  std::filesystem::path path_;
  std::unique_ptr<std::FILE, Closer> file_;
};

/// Takes pieces of a text, one after the other.
using Output = std::function<Status(std::string_view)>;

/// A whole file at once.
Status write_output(const std::filesystem::path& path, std::string_view text);

/// A whole file, piece by piece as `produce` hands it over. errors  those of `produce` and of writing
Status write_output(const std::filesystem::path& path, const std::function<Status(const Output&)>& produce);

}  // namespace assay
