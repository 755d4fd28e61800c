// The lines of a file that another process adds to.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace assay {

class GrowingFile {
 public:
  explicit GrowingFile(std::filesystem::path path) : path_(std::move(path)) {}

  /// Hands each whole line that is new to `use`. `restart` is called first where the file is another one, or shorter, than it was.
  /// errors  kInput: can't be read; what `use` returns (its line isn't handed over again)
  Status read(const std::function<void()>& restart, const std::function<Status(std::string_view)>& use);

 private:
  std::filesystem::path path_;
  std::uint64_t offset_ = 0;  // of the first byte that is in no line yet
  ino_t inode_ = 0;
};

}  // namespace assay
