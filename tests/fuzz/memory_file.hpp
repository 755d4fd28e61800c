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

inline Result<MappedFile> memory_file(const std::uint8_t* data, std::size_t size) {
  const int fd = ::memfd_create("fuzz", 0);
  if (fd < 0 || ::write(fd, data, size) != static_cast<ssize_t>(size)) std::abort();
  Result<MappedFile> file = MappedFile::open("/proc/self/fd/" + std::to_string(fd));
  ::close(fd);
  return file;
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
