#include "base/files.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace assay {

namespace {

std::string reason() { return std::strerror(errno); }

}  // namespace

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return input_failure("read '" + path.string() + "': " + reason());
  struct stat info {};
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    ::close(fd);
    return input_failure("read '" + path.string() + "': not a regular file");
  }
  MappedFile file;
  file.size_ = static_cast<std::size_t>(info.st_size);
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

}  // namespace assay
