#include "base/files.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace assay {

namespace {

std::string reason() { return std::strerror(errno); }

/// A descriptor of a regular file, and the size of that.
Result<std::pair<int, std::size_t>> open_regular(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return input_failure("read '" + path.string() + "': " + reason());
  struct stat info {};
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    ::close(fd);
    return input_failure("read '" + path.string() + "': not a regular file");
  }
  return std::pair(fd, static_cast<std::size_t>(info.st_size));
}

}  // namespace

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  const Result<std::pair<int, std::size_t>> opened = open_regular(path);
  if (!opened) return opened.failure();
  const int fd = opened->first;
  MappedFile file;
  file.size_ = opened->second;
  if (file.size_ != 0) {
    void* memory = ::mmap(nullptr, file.size_, PROT_READ, MAP_PRIVATE, fd, 0);
    if (memory == MAP_FAILED) {
      const Failure failure = input_failure("map '" + path.string() + "': " + reason());
      ::close(fd);
      return failure;
    }
    file.data_ = std::shared_ptr<const std::byte>(static_cast<const std::byte*>(memory), [size = file.size_](const std::byte* p) {
      ::munmap(const_cast<std::byte*>(p), size);
    });
  }
  ::close(fd);
  return file;
}

void MappedFile::forget() const {
  if (size_ != 0) ::madvise(const_cast<std::byte*>(data_.get()), size_, MADV_DONTNEED);
}

Result<std::string> read_text(const std::filesystem::path& path, std::size_t limit) {
  Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.failure();
  if (file->size() > limit) {
    return input_failure("read '" + path.string() + "': " + std::to_string(file->size()) + " bytes, at most " +
                         std::to_string(limit) + " are accepted");
  }
  return std::string(file->text());
}

Result<std::size_t> append_piece(const std::filesystem::path& path, std::uint64_t offset, std::size_t size, std::string& text) {
  const Result<std::pair<int, std::size_t>> opened = open_regular(path);
  if (!opened) return opened.failure();
  const std::size_t before = text.size();
  text.resize(before + size);
  ssize_t n = 0;
  do {
    n = ::pread(opened->first, text.data() + before, size, static_cast<off_t>(offset));
  } while (n < 0 && errno == EINTR);
  const std::string why = n < 0 ? reason() : "";
  ::close(opened->first);
  text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  if (n < 0) return input_failure("read '" + path.string() + "': " + why);
  return static_cast<std::size_t>(n);
}

}  // namespace assay
