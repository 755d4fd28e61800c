// LibTorch's tensors as the boundary's, borrowed without copies, and copies that keep a tensor's layout.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <optional>
#include <utility>
#include <vector>

#include "assay/abi/tensor.h"

namespace assay::watch {

/// Why the watch leaves a call with this tensor alone; null: it doesn't.
const char* refusal_of(const at::Tensor& tensor);

std::optional<assay_dtype> boundary_dtype(at::ScalarType type);
std::optional<at::ScalarType> torch_dtype(assay_dtype type);

/// Valid while the tensor is. Tensors of a dtype without a name at the boundary can't be borrowed.
class Borrowed {
 public:
  Borrowed(const at::Tensor& tensor, bool read_only);
  [[nodiscard]] const assay_tensor& abi() const { return tensor_; }
  [[nodiscard]] assay_tensor& abi() { return tensor_; }

 private:
  assay_tensor tensor_{};
};

/// Memory of the same shape and, where its elements lie apart from each other, the same strides; of another type if asked for.
at::Tensor empty_of_layout(const at::Tensor& tensor, at::ScalarType type);
at::Tensor copy_of_layout(const at::Tensor& tensor);

/// The distinct elements of an expanded tensor: dimensions of stride 0 have length 1.
at::Tensor without_expansion(const at::Tensor& tensor);

/// The two tensors with their dimensions in the order of memory, so that plugins walk over compact memory: same elements in pairs,
/// in another order. As they are where their strides differ or leave gaps.
std::pair<at::Tensor, at::Tensor> in_memory_order(const at::Tensor& left, const at::Tensor& right);

/// Calls f(tensor) for the tensors in an argument or result: itself, or those of a list or tuple; undefined ones are left out.
template <class F>
void for_each_tensor(const c10::IValue& value, F&& f) {
  if (value.isTensor()) {
    const at::Tensor& tensor = value.toTensor();
    if (tensor.defined()) f(tensor);
  } else if (value.isList()) {
    for (const c10::IValue& item : value.toListRef()) {
      if (item.isTensor() && item.toTensor().defined()) f(item.toTensor());
    }
  } else if (value.isTuple()) {
    for (const c10::IValue& item : value.toTupleRef().elements()) {
      if (item.isTensor() && item.toTensor().defined()) f(item.toTensor());
    }
  }
}

/// The argument with each tensor replaced by f(tensor), in a list of its own.
template <class F>
c10::IValue map_tensors(const c10::IValue& value, F&& f) {
  if (value.isTensor()) return value.toTensor().defined() ? c10::IValue(f(value.toTensor())) : value;
  if (!value.isList()) return value;
  c10::List<c10::IValue> items = value.toList().copy();
  for (std::size_t i = 0; i < items.size(); ++i) {
    const c10::IValue item = items.get(i);
    if (item.isTensor() && item.toTensor().defined()) items.set(i, c10::IValue(f(item.toTensor())));
  }
  return items;
}

}  // namespace assay::watch
