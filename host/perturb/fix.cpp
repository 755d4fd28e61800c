#include "perturb/fix.hpp"

#include <cstring>
#include <optional>
#include <string>

#include "assay/sdk/elementwise.hpp"
#include "assay/sdk/widen.hpp"
#include "judge/rounding.hpp"

namespace assay {

namespace {

/// The tensor in another type of the same kind: rounded, or widened step by step.
std::optional<Tensor> in_dtype(const Tensor& tensor, assay_dtype dtype) {
  if (auto rounded = round_to(tensor, dtype)) return rounded;
  if (!widens(tensor.dtype(), dtype) || wider_dtype(tensor.dtype()) == tensor.dtype()) return std::nullopt;
  Tensor wider = Tensor::allocate(wider_dtype(tensor.dtype()), tensor.shape());
  widen_tensor(tensor.view(), wider.abi(), 1);
  return in_dtype(wider, dtype);
}

std::optional<Value> fix_value(const Value& original, const Value& perturbed);

std::optional<std::vector<Value>> fix_items(const std::vector<Value>& original, const std::vector<Value>& perturbed) {
  if (original.size() != perturbed.size()) return std::nullopt;
  std::vector<Value> out;
  for (std::size_t i = 0; i < original.size(); ++i) {
    std::optional<Value> item = fix_value(original[i], perturbed[i]);
    if (!item) return std::nullopt;
    out.push_back(std::move(*item));
  }
  return out;
}

std::optional<Value> fix_value(const Value& original, const Value& perturbed) {
  if (original.data.index() != perturbed.data.index()) return std::nullopt;
  if (const auto* tensor = original.get_if<Tensor>()) {
    const Tensor& other = perturbed.as<Tensor>();
    if (other.shape() != tensor->shape()) return std::nullopt;
    std::optional<Tensor> fixed = in_dtype(other, tensor->dtype());
    return fixed ? std::optional<Value>(std::move(*fixed)) : std::nullopt;
  }
  if (const auto* list = original.get_if<List>()) {
    auto items = fix_items(list->items, perturbed.as<List>().items);
    return items ? std::optional<Value>(List{std::move(*items)}) : std::nullopt;
  }
  if (const auto* tuple = original.get_if<Tuple>()) {
    auto items = fix_items(tuple->items, perturbed.as<Tuple>().items);
    return items ? std::optional<Value>(Tuple{std::move(*items)}) : std::nullopt;
  }
  if (const auto* dict = original.get_if<Dict>()) {
    const Dict& other = perturbed.as<Dict>();
    if (dict->items.size() != other.items.size()) return std::nullopt;
    Dict out;
    for (std::size_t i = 0; i < dict->items.size(); ++i) {
      if (dict->items[i].first != other.items[i].first) return std::nullopt;
      std::optional<Value> item = fix_value(dict->items[i].second, other.items[i].second);
      if (!item) return std::nullopt;
      out.items.emplace_back(dict->items[i].first, std::move(*item));
    }
    return Value(std::move(out));
  }
  return original;
}

}  // namespace

Result<std::vector<Value>> fix_outputs(const std::vector<Value>& original, const std::vector<Value>& perturbed) {
  auto items = fix_items(original, perturbed);
  if (!items)
    return unsupported("replace the outputs: structure, shape or kind of the perturbed result differs; the original stays");
  return std::move(*items);
}

}  // namespace assay
