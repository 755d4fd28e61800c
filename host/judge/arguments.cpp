#include "judge/arguments.hpp"

namespace assay {

namespace {

const Value* find_argument(const Judgement& judgement, const ArgumentSpec& spec) {
  if (judgement.kwargs != nullptr) {
    for (const auto& [name, value] : *judgement.kwargs) {
      if (name == spec.name) return &value;
    }
  }
  if (spec.position && judgement.args != nullptr && *spec.position < judgement.args->size())
    return &(*judgement.args)[*spec.position];
  return nullptr;
}

std::optional<double> as_number(const Value& value) {
  if (const auto* flag = value.get_if<bool>()) return *flag ? 1.0 : 0.0;
  if (const auto* integer = value.get_if<std::int64_t>()) return static_cast<double>(*integer);
  if (const auto* real = value.get_if<double>()) return *real;
  return std::nullopt;
}

}  // namespace

std::optional<double> number_argument(const Judgement& judgement, const ArgumentSpec& spec) {
  const Value* const value = find_argument(judgement, spec);
  return value == nullptr ? spec.fallback : as_number(*value);
}

const Tensor* tensor_argument(const Judgement& judgement, std::size_t position) {
  if (judgement.args == nullptr || position >= judgement.args->size()) return nullptr;
  return (*judgement.args)[position].get_if<Tensor>();
}

const Tensor* tensor_argument(const Judgement& judgement, const ArgumentSpec& spec) {
  const Value* const value = find_argument(judgement, spec);
  return value == nullptr ? nullptr : value->get_if<Tensor>();
}

std::optional<double> sum_argument(const Judgement& judgement, const ArgumentSpec& spec) {
  const Value* const value = find_argument(judgement, spec);
  if (value == nullptr) return spec.fallback;
  if (const auto* integer = value->get_if<std::int64_t>()) return static_cast<double>(*integer);
  double sum = 0;
  if (const auto* tensor = value->get_if<Tensor>(); tensor != nullptr && is_integer(tensor->dtype())) {
    const TensorView view = tensor->view();
    for (std::int64_t i = 0; i < view.numel(); ++i) sum += view.number_at(view.offset_of(i));
    return sum;
  }
  const auto* const list = value->get_if<List>();
  const auto* const tuple = value->get_if<Tuple>();
  if (list == nullptr && tuple == nullptr) return std::nullopt;
  for (const Value& item : list != nullptr ? list->items : tuple->items) {
    const auto* integer = item.get_if<std::int64_t>();
    if (integer == nullptr) return std::nullopt;
    sum += static_cast<double>(*integer);
  }
  return sum;
}

bool applies(const Kind& kind, const Judgement& judgement, const Tensor* output) {
  if (kind.if_grown && output != nullptr) {
    const Tensor* const before = tensor_argument(judgement, 0);
    if (before != nullptr && output->numel() <= before->numel()) return false;
  }
  if (kind.training && number_argument(judgement, *kind.training).value_or(1) == 0) return false;
  if (!kind.when) return true;
  const auto value = number_argument(judgement, *kind.when);
  return value && *value > kind.above;
}

}  // namespace assay
