// Any text as dump.json: the index, then every entry that it finds, built into values where nothing has to be read or made.
#include <cstddef>
#include <cstdint>
#include <string>

#include "dump/entry_decoder.hpp"
#include "dump/json_index.hpp"
#include "dump/torch_draw.hpp"

namespace {

void plan(const assay::Element& element) {
  if (const auto* tensor = element.get_if<assay::TensorElement>()) {
    if (!tensor->dtype) return;
    const assay::TorchDraw draw = assay::plan_torch_draw(*tensor, "Functional.cross_entropy", "1");
    if (draw.words > 4096) return;
    std::mt19937 words(1);
    (void)assay::draw_torch_tensor(draw, words);
  }
  if (const auto* list = element.get_if<assay::ElementList>()) {
    for (const assay::Element& item : list->items) plan(item);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const assay::Result<assay::JsonIndex> index = assay::index_json(text, [](std::size_t) {});
  if (!index) return 0;
  for (std::size_t i = 0; i < index->calls.size(); ++i) {
    const std::string stem(index->stems.name(i));
    for (const bool backward : {false, true}) {
      const std::string_view span = backward ? index->calls[i].backward : index->calls[i].forward;
      if (span.empty()) continue;
      const assay::RecordedDirection direction = assay::decode_entry(span, stem, backward);
      for (const assay::Element& element : direction.inputs) plan(element);
      for (const auto& [name, element] : direction.kwargs) plan(element);
    }
  }
  return 0;
}
