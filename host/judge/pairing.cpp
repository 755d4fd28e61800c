#include "judge/pairing.hpp"

#include <algorithm>

namespace assay {

namespace {

void append_leaves(const Value& value, const std::string& path, std::vector<Leaf>& out) {
  const auto append_items = [&](const std::vector<Value>& items) {
    for (std::size_t i = 0; i < items.size(); ++i) append_leaves(items[i], path + "." + std::to_string(i), out);
  };
  if (const auto* list = value.get_if<List>()) {
    append_items(list->items);
  } else if (const auto* tuple = value.get_if<Tuple>()) {
    append_items(tuple->items);
  } else if (const auto* dict = value.get_if<Dict>()) {
    for (const auto& [key, item] : dict->items) append_leaves(item, path + "." + key, out);
  } else {
    out.push_back({path, &value});
  }
}

}  // namespace

std::vector<Leaf> flatten(const std::vector<const Value*>& values) {
  std::vector<Leaf> out;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != nullptr) append_leaves(*values[i], std::to_string(i), out);
  }
  return out;
}

std::vector<LeafPair> pair_outputs(const std::vector<const Value*>& actual, const std::vector<const Value*>& expected) {
  const std::vector<Leaf> left = flatten(actual);
  const std::vector<Leaf> right = flatten(expected);
  std::vector<LeafPair> out;
  for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
    const Value* a = i < left.size() ? left[i].value : nullptr;
    const Value* e = i < right.size() ? right[i].value : nullptr;
    out.push_back({a != nullptr ? left[i].path : right[i].path, a, e});
  }
  return out;
}

void collect_tensors(const Value& value, std::vector<const Tensor*>& out) {
  if (const auto* tensor = value.get_if<Tensor>()) {
    out.push_back(tensor);
  } else if (const auto* list = value.get_if<List>()) {
    for (const Value& item : list->items) collect_tensors(item, out);
  } else if (const auto* tuple = value.get_if<Tuple>()) {
    for (const Value& item : tuple->items) collect_tensors(item, out);
  } else if (const auto* dict = value.get_if<Dict>()) {
    for (const auto& [key, item] : dict->items) collect_tensors(item, out);
  }
}

}  // namespace assay
