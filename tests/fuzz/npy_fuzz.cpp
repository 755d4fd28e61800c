// Any bytes as a .npy file.
#include "dump/npy.hpp"
#include "memory_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const assay::Result<assay::MappedFile> file = assay::memory_file(data, size);
  if (!file) return 0;
  const assay::Result<assay::Tensor> tensor = assay::read_npy(*file);
  if (tensor) (void)assay::touch(*tensor);
  return 0;
}
