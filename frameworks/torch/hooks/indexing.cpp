// Tensor.__getitem__ and __setitem__: Python's indexing with ints, slices, None, ellipsis, bools and tensors.
#include <ATen/TensorIndexing.h>
#include <ATen/core/Tensor.h>

#include "assay/sdk/error.hpp"
#include "hooks/hook_arguments.hpp"

namespace assay::torch_adapter {
namespace {

using at::indexing::TensorIndex;

TensorIndex to_index(const PythonValue& value) {
  if (value.is_none()) return TensorIndex(at::indexing::None);
  if (const auto* flag = value.get_if<bool>()) return TensorIndex(*flag);
  if (const auto* number = value.get_if<std::int64_t>()) return TensorIndex(*number);
  if (value.is<EllipsisMark>()) return TensorIndex(at::indexing::Ellipsis);
  if (const auto* tensor = value.get_if<at::Tensor>()) return TensorIndex(*tensor);
  if (value.is<Sequence>()) return TensorIndex(tensor_from_data(value));
  if (const auto* slice = value.get_if<Slice>()) {
    // Absent bounds have to be left out: their type differs from one LibTorch to the next.
    const std::int64_t step = slice->step.value_or(1);
    if (slice->start && slice->stop) return TensorIndex(at::indexing::Slice(*slice->start, *slice->stop, step));
    if (slice->start) return TensorIndex(at::indexing::Slice(*slice->start, at::indexing::None, step));
    if (slice->stop) return TensorIndex(at::indexing::Slice(at::indexing::None, *slice->stop, step));
    return TensorIndex(at::indexing::Slice(at::indexing::None, at::indexing::None, step));
  }
  throw Error(ASSAY_INVALID_ARGUMENT, "a tensor can't be indexed with this kind of value");
}

/// A dump doesn't tell x[0, 2] from x[[0, 2]]. The first reading is far more common; ints beyond the dimensions mean the second.
/// The names that end in "of_list" always mean it.
bool is_index_list(const Sequence& sequence, std::int64_t dims) {
  if (static_cast<std::int64_t>(sequence.items.size()) <= dims) return false;
  for (const PythonValue& item : sequence.items) {
    if (!item.is<std::int64_t>() && !item.is<bool>()) return false;
  }
  return true;
}

std::vector<TensorIndex> to_indices(const PythonValue& value, std::int64_t dims) {
  const auto* sequence = value.get_if<Sequence>();
  if (sequence == nullptr || is_index_list(*sequence, dims)) return {to_index(value)};
  std::vector<TensorIndex> indices;
  for (const PythonValue& item : sequence->items) indices.push_back(to_index(item));
  return indices;
}

std::vector<c10::IValue> get_item(const Arguments& arguments) {
  const HookArguments in(arguments, {"self", "index"});
  const at::Tensor& self = in.tensor(0);
  return {self.index(to_indices(in.value(1), self.dim()))};
}

std::vector<c10::IValue> get_item_of_list(const Arguments& arguments) {
  const HookArguments in(arguments, {"self", "index"});
  return {in.tensor(0).index({to_index(in.value(1))})};
}

std::vector<c10::IValue> put(const HookArguments& in, const std::vector<TensorIndex>& indices) {
  at::Tensor self = in.tensor(0);
  if (const auto* tensor = in.value(2).get_if<at::Tensor>()) {
    self.index_put_(indices, *tensor);
  } else {
    self.index_put_(indices, in.number(2));
  }
  return {c10::IValue()};
}

std::vector<c10::IValue> set_item(const Arguments& arguments) {
  const HookArguments in(arguments, {"self", "index", "value"});
  return put(in, to_indices(in.value(1), in.tensor(0).dim()));
}

std::vector<c10::IValue> set_item_of_list(const Arguments& arguments) {
  const HookArguments in(arguments, {"self", "index", "value"});
  return put(in, {to_index(in.value(1))});
}

}  // namespace

void add_indexing_hooks(std::map<std::string, Hook>& table) {
  table["get_item"] = {get_item, false};
  table["get_item_of_list"] = {get_item_of_list, false};
  table["set_item"] = {set_item, true};
  table["set_item_of_list"] = {set_item_of_list, true};
}

}  // namespace assay::torch_adapter
