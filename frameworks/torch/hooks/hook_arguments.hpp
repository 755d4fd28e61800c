// What hooks share: named access to a call's arguments, and tensors made of nested lists of numbers.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "hooks.hpp"

namespace assay::torch_adapter {

/// The arguments by position in `names`, given positionally or by keyword. Accessors throw Error(ASSAY_INVALID_ARGUMENT).
class HookArguments {
 public:
  HookArguments(const Arguments& arguments, std::vector<std::string> names);

  [[nodiscard]] bool has(std::size_t i) const { return values_[i] != nullptr && !values_[i]->is_none(); }
  [[nodiscard]] const PythonValue& value(std::size_t i) const;
  [[nodiscard]] const at::Tensor& tensor(std::size_t i) const;
  [[nodiscard]] at::Scalar number(std::size_t i) const;

 private:
  std::vector<std::string> names_;
  std::vector<const PythonValue*> values_;
};

/// What torch.tensor(data) gives: of a number, a nested list of numbers, or a tensor.
at::Tensor tensor_from_data(const PythonValue& data);

void add_indexing_hooks(std::map<std::string, Hook>& table);
void add_object_hooks(std::map<std::string, Hook>& table);

}  // namespace assay::torch_adapter
