#include "pipeline/recorded_values.hpp"

namespace assay {

Result<std::vector<Value>> recorded_values(const Dump& dump, const std::vector<Element>& elements) {
  std::vector<Value> out;
  for (const Element& element : elements) {
    if (const auto* value = element.get_if<Value>()) {
      out.push_back(*value);
    } else if (const auto* tensor = element.get_if<TensorElement>()) {
      Result<Tensor> loaded = dump.load(*tensor);
      if (!loaded) return loaded.failure();
      out.emplace_back(std::move(*loaded));
    } else if (const auto* list = element.get_if<ElementList>()) {
      Result<std::vector<Value>> items = recorded_values(dump, list->items);
      if (!items) return items.failure();
      out.emplace_back(List{std::move(*items)});
    } else if (const auto* dict = element.get_if<ElementDict>()) {
      std::vector<Element> values;
      for (const auto& [key, item] : dict->items) values.push_back(item);
      Result<std::vector<Value>> items = recorded_values(dump, values);
      if (!items) return items.failure();
      Dict lifted;
      for (std::size_t i = 0; i < items->size(); ++i) lifted.items.emplace_back(dict->items[i].first, std::move((*items)[i]));
      out.emplace_back(std::move(lifted));
    } else {
      return unsupported("a value was not recorded: " + element.get_if<OpaqueElement>()->reason);
    }
  }
  return out;
}

bool anything_recorded(const std::vector<Value>& values) {
  for (const Value& value : values) {
    if (!value.is<None>()) return true;
  }
  return false;
}

}  // namespace assay
