#include "arguments.hpp"

#include <algorithm>

namespace assay::operators {

namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& expected) {
  throw Error(ASSAY_INVALID_ARGUMENT, "argument '" + name + "' is not " + expected);
}

std::vector<std::string> spellings(const std::string& parameter) {
  std::vector<std::string> out;
  for (std::size_t start = 0; start <= parameter.size();) {
    const std::size_t end = std::min(parameter.find('|', start), parameter.size());
    out.push_back(parameter.substr(start, end - start));
    start = end + 1;
  }
  return out;
}

std::optional<std::int64_t> integer_of(const assay_value& value) {
  if (value.kind == ASSAY_VALUE_INT) return value.as.integer;
  if (value.kind == ASSAY_VALUE_BOOL) return value.as.boolean;
  return std::nullopt;
}

}  // namespace

Arguments::Arguments(const assay_call& call, std::vector<std::string> parameters) : call_(call) {
  for (const std::string& parameter : parameters) slots_.push_back({spellings(parameter), nullptr, ""});
  if (call.arg_count > slots_.size()) {
    throw Error(ASSAY_INVALID_ARGUMENT, std::to_string(call.arg_count) + " positional arguments are more than the " +
                                            std::to_string(slots_.size()) + " parameters");
  }
  for (std::size_t i = 0; i < call.arg_count; ++i) {
    slots_[i].value = &call.args[i];
    slots_[i].path = std::to_string(i);
  }
  for (std::uint64_t i = 0; i < call.kwarg_count; ++i) {
    const assay_named_value& given = call.kwargs[i];
    const auto target = std::find_if(slots_.begin(), slots_.end(), [&](const Slot& s) {
      return std::find(s.names.begin(), s.names.end(), given.name) != s.names.end();
    });
    if (target == slots_.end()) throw Error(ASSAY_INVALID_ARGUMENT, "there is no parameter '" + std::string(given.name) + "'");
    if (target->value != nullptr) throw Error(ASSAY_INVALID_ARGUMENT, "argument '" + std::string(given.name) + "' is given twice");
    target->value = &given.value;
    target->path = given.name;
  }
}

const Arguments::Slot* Arguments::slot(const std::string& name) const {
  const auto found = std::find_if(slots_.begin(), slots_.end(), [&](const Slot& s) { return s.names.front() == name; });
  if (found == slots_.end()) throw Error(ASSAY_INTERNAL, "the operator asks for an undeclared parameter '" + name + "'");
  return &*found;
}

const assay_value* Arguments::find(const std::string& name) const {
  const assay_value* value = slot(name)->value;
  return value == nullptr || value->kind == ASSAY_VALUE_NONE ? nullptr : value;
}

const assay_value& Arguments::require(const std::string& name) const {
  const assay_value* value = find(name);
  if (value == nullptr) throw Error(ASSAY_INVALID_ARGUMENT, "argument '" + name + "' is missing");
  return *value;
}

TensorView Arguments::tensor(const std::string& name) const {
  const assay_value& value = require(name);
  if (value.kind != ASSAY_VALUE_TENSOR) refuse(name, "a tensor");
  return TensorView(*value.as.tensor);
}

std::optional<Array> Arguments::optional_array(const std::string& name) const {
  if (!has(name)) return std::nullopt;
  return array(name);
}

std::vector<TensorView> Arguments::tensors(const std::string& name) const {
  const assay_value& value = require(name);
  if (value.kind != ASSAY_VALUE_LIST && value.kind != ASSAY_VALUE_TUPLE) refuse(name, "a list of tensors");
  std::vector<TensorView> out;
  for (std::uint64_t i = 0; i < value.as.sequence.size; ++i) {
    const assay_value& item = value.as.sequence.items[i];
    if (item.kind != ASSAY_VALUE_TENSOR) refuse(name, "a list of tensors");
    out.emplace_back(*item.as.tensor);
  }
  return out;
}

double Arguments::real(const std::string& name) const {
  const assay_value& value = require(name);
  if (value.kind == ASSAY_VALUE_FLOAT) return value.as.real;
  if (value.kind == ASSAY_VALUE_TENSOR) {
    const Array array = to_array(TensorView(*value.as.tensor));
    if (array.numel() == 1) return array.data.front();
  }
  if (const auto integer = integer_of(value)) return static_cast<double>(*integer);
  refuse(name, "a number");
}

std::int64_t Arguments::integer(const std::string& name) const {
  if (const auto integer = integer_of(require(name))) return *integer;
  refuse(name, "an integer");
}

std::int64_t Arguments::integer(const std::string& name, std::int64_t fallback) const {
  return has(name) ? integer(name) : fallback;
}

bool Arguments::flag(const std::string& name, bool fallback) const { return integer(name, fallback ? 1 : 0) != 0; }

std::string Arguments::string(const std::string& name, const std::string& fallback) const {
  const assay_value* value = find(name);
  if (value == nullptr) return fallback;
  if (value->kind != ASSAY_VALUE_STRING) refuse(name, "a string");
  return std::string(value->as.string.data, value->as.string.size);
}

std::vector<std::int64_t> Arguments::integers(const std::string& name) const {
  const assay_value& value = require(name);
  std::vector<std::int64_t> out;
  if (const auto one = integer_of(value)) return {*one};
  if (value.kind == ASSAY_VALUE_TENSOR) {
    if (!is_integer(TensorView(*value.as.tensor).dtype())) refuse(name, "a list of integers");
    for (const double number : to_array(TensorView(*value.as.tensor)).data) out.push_back(static_cast<std::int64_t>(number));
    return out;
  }
  if (value.kind != ASSAY_VALUE_LIST && value.kind != ASSAY_VALUE_TUPLE) refuse(name, "a list of integers");
  for (std::uint64_t i = 0; i < value.as.sequence.size; ++i) {
    const auto item = integer_of(value.as.sequence.items[i]);
    if (!item) refuse(name, "a list of integers");
    out.push_back(*item);
  }
  return out;
}

std::string Arguments::path(const std::string& name) const { return has(name) ? slot(name)->path : std::string(); }

Array grad_output(const assay_call& call, std::size_t index, const Shape& shape) {
  if (index >= call.grad_output_count || call.grad_outputs[index].kind != ASSAY_VALUE_TENSOR)
    throw Error(ASSAY_INVALID_ARGUMENT, "no gradient arrives at output " + std::to_string(index));
  Array gradient = to_array(TensorView(*call.grad_outputs[index].as.tensor));
  if (gradient.shape != shape) {
    throw Error(ASSAY_INVALID_ARGUMENT, "the gradient of output " + std::to_string(index) + " has shape " + text(gradient.shape) +
                                            ", the output " + text(shape));
  }
  return gradient;
}

}  // namespace assay::operators
