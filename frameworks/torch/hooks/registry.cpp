#include <ATen/core/Tensor.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>

#include "assay/sdk/error.hpp"
#include "hooks/hook_arguments.hpp"

namespace assay::torch_adapter {

HookArguments::HookArguments(const Arguments& arguments, std::vector<std::string> names)
    : names_(std::move(names)), values_(names_.size(), nullptr) {
  if (arguments.positional.size() > names_.size()) {
    throw Error(ASSAY_INVALID_ARGUMENT, "at most " + std::to_string(names_.size()) + " positional arguments are taken, " +
                                            std::to_string(arguments.positional.size()) + " given");
  }
  for (std::size_t i = 0; i < arguments.positional.size(); ++i) values_[i] = &arguments.positional[i];
  for (const auto& [key, value] : arguments.keyword) {
    std::size_t place = 0;
    while (place < names_.size() && names_[place] != key) ++place;
    if (place == names_.size()) throw Error(ASSAY_INVALID_ARGUMENT, "there is no argument '" + key + "'");
    values_[place] = &value;
  }
}

const PythonValue& HookArguments::value(std::size_t i) const {
  if (values_[i] == nullptr) throw Error(ASSAY_INVALID_ARGUMENT, "argument '" + names_[i] + "' is missing");
  return *values_[i];
}

const at::Tensor& HookArguments::tensor(std::size_t i) const {
  const auto* tensor = value(i).get_if<at::Tensor>();
  if (tensor == nullptr) throw Error(ASSAY_INVALID_ARGUMENT, "argument '" + names_[i] + "' is not a tensor");
  return *tensor;
}

at::Scalar HookArguments::number(std::size_t i) const {
  const PythonValue& v = value(i);
  if (const auto* b = v.get_if<bool>()) return *b;
  if (const auto* n = v.get_if<std::int64_t>()) return *n;
  if (const auto* d = v.get_if<double>()) return *d;
  if (const auto* c = v.get_if<c10::complex<double>>()) return *c;
  throw Error(ASSAY_INVALID_ARGUMENT, "argument '" + names_[i] + "' is not a number");
}

at::Tensor tensor_from_data(const PythonValue& data) {
  if (const auto* tensor = data.get_if<at::Tensor>()) return *tensor;
  if (const auto* sequence = data.get_if<Sequence>()) {
    if (sequence->items.empty()) return at::zeros({0}, at::TensorOptions().dtype(c10::get_default_dtype()));
    std::vector<at::Tensor> items;
    at::ScalarType type = at::kBool;
    for (const PythonValue& item : sequence->items) {
      items.push_back(tensor_from_data(item));
      type = c10::promoteTypes(type, items.back().scalar_type());
    }
    for (at::Tensor& item : items) item = item.to(type);
    return at::stack(items);
  }
  if (const auto* b = data.get_if<bool>()) return at::scalar_tensor(*b, at::kBool);
  if (const auto* i = data.get_if<std::int64_t>()) return at::scalar_tensor(*i, at::kLong);
  if (const auto* d = data.get_if<double>()) return at::scalar_tensor(*d, at::TensorOptions().dtype(c10::get_default_dtype()));
  throw Error(ASSAY_INVALID_ARGUMENT, "a tensor can't be made of this kind of value");
}

const std::map<std::string, Hook>& hooks() {
  static const std::map<std::string, Hook> table = [] {
    std::map<std::string, Hook> out;
    add_indexing_hooks(out);
    add_object_hooks(out);
    return out;
  }();
  return table;
}

}  // namespace assay::torch_adapter
