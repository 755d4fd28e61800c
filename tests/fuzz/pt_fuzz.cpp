// Any bytes as a .pt file.
#include "dump/pt.hpp"
#include "memory_file.hpp"

namespace {

void touch_all(const assay::Value& value) {
  if (const auto* tensor = value.get_if<assay::Tensor>()) (void)assay::touch(*tensor);
  if (const auto* list = value.get_if<assay::List>()) {
    for (const assay::Value& item : list->items) touch_all(item);
  }
  if (const auto* tuple = value.get_if<assay::Tuple>()) {
    for (const assay::Value& item : tuple->items) touch_all(item);
  }
  if (const auto* dict = value.get_if<assay::Dict>()) {
    for (const auto& [name, item] : dict->items) touch_all(item);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const assay::Result<assay::MappedFile> file = assay::memory_file(data, size);
  if (!file) return 0;
  try {
    const assay::Result<assay::Value> value = assay::read_pt(*file);
    if (value) touch_all(*value);
  } catch (const assay::Error&) {
    // Out of memory for a copy: what load_tensor_file turns into a failure.
  }
  return 0;
}
