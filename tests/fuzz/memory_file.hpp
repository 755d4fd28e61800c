// Bytes as a file that exists in memory only, for readers that map files.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "assay/sdk/tensor.hpp"
#include "base/files.hpp"

namespace assay {

class MemoryFile {
 public:
  MemoryFile(const std::uint8_t* data, std::size_t size) : fd_(::memfd_create("fuzz", 0)) {
    if (fd_ < 0 || ::write(fd_, data, size) != static_cast<ssize_t>(size)) std::abort();
  }
  ~MemoryFile() { ::close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_;
};

inline Result<MappedFile> memory_file(const std::uint8_t* data, std::size_t size) {
  return MappedFile::open(MemoryFile(data, size).path());
}

/// Reads every element, so that memory outside the file would be noticed.
inline double touch(const Tensor& tensor) {
  double sum = 0;
  if (tensor.numel() > 1 << 20) return sum;
  const TensorView view = tensor.view();
  view.for_each_offset([&](std::int64_t, std::int64_t offset) { sum += view.number_at(offset) + view.imaginary_at(offset); });
  return sum;
}

}  // namespace assay
