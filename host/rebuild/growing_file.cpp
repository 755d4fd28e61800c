#include "rebuild/growing_file.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace assay {

Status GrowingFile::read(const std::function<void()>& restart, const std::function<Status(std::string_view)>& use) {
  struct stat state {};
  if (::stat(path_.c_str(), &state) != 0) return input_failure("read '" + path_.string() + "': " + std::strerror(errno));
  if (state.st_ino != inode_ || static_cast<std::uint64_t>(state.st_size) < offset_) {
    restart();
    offset_ = 0;
    inode_ = state.st_ino;
  }
  std::ifstream file(path_, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(offset_));
  if (!file) return input_failure("read '" + path_.string() + "': " + std::strerror(errno));
  std::string line;
  // A line without its end is not whole yet.
  while (std::getline(file, line) && !file.eof()) {
    offset_ += line.size() + 1;
    if (Status s = use(line); !s) return s;
  }
  return Done{};
}

}  // namespace assay
