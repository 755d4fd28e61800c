#include "perturb/choose_inputs.hpp"

#include <algorithm>

namespace assay {

namespace {

constexpr const char* kGradient = "grad";

std::string below(const std::string& path, const std::string& name) { return path.empty() ? name : path + "." + name; }

/// The value with every tensor replaced by f(path, tensor).
template <class F>
Value map_tensors(const Value& value, const std::string& path, F&& f) {
  if (const auto* tensor = value.get_if<Tensor>()) return f(path, *tensor);
  const auto map_items = [&](const std::vector<Value>& items) {
    std::vector<Value> out;
    for (std::size_t i = 0; i < items.size(); ++i) out.push_back(map_tensors(items[i], below(path, std::to_string(i)), f));
    return out;
  };
  if (const auto* list = value.get_if<List>()) return List{map_items(list->items)};
  if (const auto* tuple = value.get_if<Tuple>()) return Tuple{map_items(tuple->items)};
  if (const auto* dict = value.get_if<Dict>()) {
    Dict out;
    for (const auto& [key, item] : dict->items) out.items.emplace_back(key, map_tensors(item, below(path, key), f));
    return out;
  }
  return value;
}

template <class F>
CallInputs map_call(const CallInputs& inputs, F&& f) {
  CallInputs out;
  for (std::size_t i = 0; i < inputs.args.size(); ++i) out.args.push_back(map_tensors(inputs.args[i], std::to_string(i), f));
  for (const auto& [name, value] : inputs.kwargs) out.kwargs.emplace_back(name, map_tensors(value, name, f));
  for (std::size_t i = 0; i < inputs.grad_outputs.size(); ++i) {
    out.grad_outputs.push_back(map_tensors(inputs.grad_outputs[i], below(kGradient, std::to_string(i)), f));
  }
  return out;
}

bool may_change(const Tensor& tensor) { return (is_floating(tensor.dtype()) || is_complex(tensor.dtype())) && tensor.numel() != 0; }

bool is_container(const Value& value) { return value.is<List>() || value.is<Tuple>() || value.is<Dict>(); }

/// The peer looks into one argument only; without a first float tensor in it the call is repeated unchanged.
std::vector<InputSet> choose_as_peer(const CallInputs& inputs, const Eligible& eligible) {
  for (std::size_t i = 0; i < inputs.args.size(); ++i) {
    const Value& argument = inputs.args[i];
    const auto* tensor = argument.get_if<Tensor>();
    if (!is_container(argument) && (tensor == nullptr || !is_floating(tensor->dtype()))) continue;
    InputSet set{std::to_string(i), {}};
    map_tensors(argument, std::to_string(i), [&](const std::string& path, const Tensor& inner) -> Value {
      if (set.paths.empty() && is_floating(inner.dtype()) && eligible(inner)) set = {path, {path}};
      return inner;
    });
    return {set};
  }
  return {};
}

}  // namespace

std::vector<InputSet> choose_inputs(const CallInputs& inputs, InputChoice choice, const Eligible& eligible) {
  if (choice == InputChoice::kPeer) return choose_as_peer(inputs, eligible);
  std::vector<InputSet> sets;
  map_call(inputs, [&](const std::string& path, const Tensor& tensor) -> Value {
    if (!may_change(tensor) || !eligible(tensor)) return tensor;
    if (choice == InputChoice::kEach || sets.empty()) {
      sets.push_back({path, {path}});
    } else if (choice == InputChoice::kAll) {
      sets.front().name = "all";
      sets.front().paths.push_back(path);
    }
    return tensor;
  });
  return sets;
}

std::string first_refusal(const CallInputs& inputs, const std::function<std::string(const Tensor&)>& refusal) {
  std::string reason;
  static_cast<void>(choose_inputs(inputs, InputChoice::kFirst, [&](const Tensor& tensor) {
    if (reason.empty()) reason = ": " + refusal(tensor);
    return false;
  }));
  return reason;
}

CallInputs replace_inputs(const CallInputs& inputs, const std::vector<std::string>& paths,
                          const std::function<Tensor(const Tensor&)>& f) {
  return map_call(inputs, [&](const std::string& path, const Tensor& tensor) -> Value {
    return std::find(paths.begin(), paths.end(), path) != paths.end() ? f(tensor) : tensor;
  });
}

}  // namespace assay
