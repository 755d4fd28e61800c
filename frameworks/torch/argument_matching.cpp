#include "argument_matching.hpp"

#include <ATen/ScalarOps.h>
#include <ATen/core/List.h>
#include <ATen/core/jit_type.h>
#include <c10/core/Layout.h>

#include <algorithm>
#include <cmath>

namespace assay::torch_adapter {
namespace {

// Costs of conversions that Python makes silently; an exact overload must win over them.
constexpr int kNone = 1;            // None for an argument that has a default
constexpr int kIntAsFloat = 1;      // 2 for a float
constexpr int kBroadcastInt = 1;    // 2 for int[2]
constexpr int kBoolAsNumber = 2;    // True for an int
constexpr int kTensorAsNumber = 3;  // a 0-d tensor for a number
constexpr int kNumberAsTensor = 4;  // 2.5 for a tensor
constexpr int kEnumAsInt = 1;       // a dtype for a parameter declared as int
constexpr int kLoose = 6;           // never made by PyTorch itself, or not by this version: 1 for a bool, 2.0 for an int

using Converted = std::optional<c10::IValue>;

bool is_zero_dim(const PythonValue& value) {
  const auto* tensor = value.get_if<at::Tensor>();
  return tensor != nullptr && tensor->dim() == 0;
}

/// A value for a type, adding to `cost`.
class ValueFitter {
 public:
  explicit ValueFitter(int& cost) : cost_(cost) {}

  /// `real` is the type as declared (ScalarType, SymInt[]), `stored` the one that the interpreter holds (int, int[]).
  Converted fit(const PythonValue& value, const c10::TypePtr& real, const c10::TypePtr& stored, std::optional<int> length) {
    switch (real->kind()) {
      case c10::TypeKind::OptionalType: {
        if (value.is_none()) return c10::IValue();
        const auto& stored_element =
            stored->kind() == c10::TypeKind::OptionalType ? stored->castRaw<c10::OptionalType>()->getElementType() : stored;
        return fit(value, real->castRaw<c10::OptionalType>()->getElementType(), stored_element, length);
      }
      case c10::TypeKind::TensorType: return fit_tensor(value);
      case c10::TypeKind::NumberType: return fit_number(value);
      case c10::TypeKind::IntType:
      case c10::TypeKind::SymIntType: return fit_int(value);
      case c10::TypeKind::FloatType: return fit_float(value);
      case c10::TypeKind::ComplexType: return fit_complex(value);
      case c10::TypeKind::BoolType: return fit_bool(value);
      case c10::TypeKind::StringType: {
        const auto* text = value.get_if<std::string>();
        return text != nullptr ? Converted(*text) : std::nullopt;
      }
      case c10::TypeKind::ListType: return fit_list(value, real, stored, length);
      case c10::TypeKind::ScalarTypeType: {
        const auto* type = value.get_if<at::ScalarType>();
        return type != nullptr ? Converted(static_cast<std::int64_t>(*type)) : std::nullopt;
      }
      case c10::TypeKind::MemoryFormatType: {
        const auto* format = value.get_if<c10::MemoryFormat>();
        return format != nullptr ? Converted(static_cast<std::int64_t>(*format)) : std::nullopt;
      }
      case c10::TypeKind::DeviceObjType: return fit_device(value);
      default: return std::nullopt;
    }
  }

 private:
  Converted with_cost(int cost, c10::IValue value) {
    cost_ += cost;
    return value;
  }

  Converted fit_tensor(const PythonValue& value) {
    if (const auto* tensor = value.get_if<at::Tensor>()) return c10::IValue(*tensor);
    const std::optional<at::Scalar> number = plain_number(value);
    if (!number) return std::nullopt;
    at::Tensor wrapped = at::native::wrapped_scalar_tensor(*number);
    return with_cost(kNumberAsTensor, wrapped);
  }

  static std::optional<at::Scalar> plain_number(const PythonValue& value) {
    if (const auto* b = value.get_if<bool>()) return at::Scalar(*b);
    if (const auto* i = value.get_if<std::int64_t>()) return at::Scalar(*i);
    if (const auto* d = value.get_if<double>()) return at::Scalar(*d);
    if (const auto* c = value.get_if<c10::complex<double>>()) return at::Scalar(*c);
    return std::nullopt;
  }

  Converted fit_number(const PythonValue& value) {
    if (const auto number = plain_number(value)) return c10::IValue(*number);
    if (is_zero_dim(value)) return with_cost(kTensorAsNumber, std::get<at::Tensor>(value.data).item());
    return std::nullopt;
  }

  Converted fit_int(const PythonValue& value) {
    if (const auto* i = value.get_if<std::int64_t>()) return c10::IValue(*i);
    if (const auto* b = value.get_if<bool>()) return with_cost(kBoolAsNumber, static_cast<std::int64_t>(*b));
    if (const auto* d = value.get_if<double>(); d != nullptr && *d == std::floor(*d) && std::fabs(*d) < 1e9) {
      return with_cost(kLoose, static_cast<std::int64_t>(*d));
    }
    if (const auto* type = value.get_if<at::ScalarType>()) return with_cost(kEnumAsInt, static_cast<std::int64_t>(*type));
    if (const auto* format = value.get_if<c10::MemoryFormat>()) return with_cost(kEnumAsInt, static_cast<std::int64_t>(*format));
    if (is_zero_dim(value)) {
      const auto& tensor = std::get<at::Tensor>(value.data);
      if (c10::isIntegralType(tensor.scalar_type(), false)) return with_cost(kTensorAsNumber, tensor.item().toLong());
    }
    return std::nullopt;
  }

  Converted fit_float(const PythonValue& value) {
    if (const auto* d = value.get_if<double>()) return c10::IValue(*d);
    if (const auto* i = value.get_if<std::int64_t>()) return with_cost(kIntAsFloat, static_cast<double>(*i));
    if (const auto* b = value.get_if<bool>()) return with_cost(kBoolAsNumber, *b ? 1.0 : 0.0);
    if (is_zero_dim(value)) {
      const auto& tensor = std::get<at::Tensor>(value.data);
      if (!tensor.is_complex()) return with_cost(kTensorAsNumber, tensor.item().toDouble());
    }
    return std::nullopt;
  }

  Converted fit_complex(const PythonValue& value) {
    const auto number = plain_number(value);
    return number ? Converted(number->toComplexDouble()) : std::nullopt;
  }

  Converted fit_bool(const PythonValue& value) {
    if (const auto* b = value.get_if<bool>()) return c10::IValue(*b);
    if (const auto* i = value.get_if<std::int64_t>()) return with_cost(kLoose, *i != 0);
    if (is_zero_dim(value)) {
      const auto& tensor = std::get<at::Tensor>(value.data);
      if (tensor.scalar_type() == at::kBool) return with_cost(kTensorAsNumber, tensor.item().toBool());
    }
    return std::nullopt;
  }

  Converted fit_device(const PythonValue& value) {
    if (value.is<c10::Device>()) return c10::IValue(c10::Device(c10::kCPU));
    if (value.is<std::string>()) return with_cost(kEnumAsInt, c10::Device(c10::kCPU));
    return std::nullopt;
  }

  Converted fit_list(const PythonValue& value, const c10::TypePtr& real, const c10::TypePtr& stored, std::optional<int> length) {
    const c10::TypePtr real_element = real->castRaw<c10::ListType>()->getElementType();
    const c10::TypePtr stored_element = stored->castRaw<c10::ListType>()->getElementType();
    c10::impl::GenericList list(stored_element);
    const auto* sequence = value.get_if<Sequence>();
    if (sequence == nullptr) {
      // A single number stands for every item of a list whose length the schema fixes.
      if (!length || real_element->kind() == c10::TypeKind::TensorType) return std::nullopt;
      Converted item = fit(value, real_element, stored_element, std::nullopt);
      if (!item) return std::nullopt;
      for (int i = 0; i < *length; ++i) list.push_back(*item);
      return with_cost(kBroadcastInt, std::move(list));
    }
    for (const PythonValue& item : sequence->items) {
      Converted converted = fit(item, real_element, stored_element, std::nullopt);
      if (!converted) return std::nullopt;
      list.push_back(std::move(*converted));
    }
    return c10::IValue(std::move(list));
  }

  int& cost_;
};

bool is_int_list(const c10::Argument& argument) {
  if (argument.type()->kind() != c10::TypeKind::ListType) return false;
  return argument.type()->castRaw<c10::ListType>()->getElementType()->kind() == c10::TypeKind::IntType;
}

bool is_out(const c10::Argument& argument) {
  return argument.kwarg_only() && argument.alias_info() != nullptr && argument.alias_info()->isWrite();
}

std::string describe(const PythonValue& value) {
  static constexpr const char* kNames[] = {"None",        "a bool",   "an int",   "a float",         "a complex number",
                                           "a string",    "a dtype",  "a device", "a memory format", "a slice",
                                           "an ellipsis", "a tensor", "a list",   "a dict"};
  return kNames[value.data.index()];
}

/// Assigns a call's arguments to the parameters of one schema.
class Matcher {
 public:
  Matcher(const Arguments& arguments, const c10::FunctionSchema& schema, const MatchRules& rules, std::string& why_not)
      : arguments_(arguments), schema_(schema), rules_(rules), why_not_(why_not) {
    assigned_.resize(schema.arguments().size());
  }

  std::optional<Match> run() {
    const bool wants_out = arguments_.find("out") != nullptr && !arguments_.find("out")->is_none();
    if (has_out_arguments(schema_) != wants_out) return refuse(wants_out ? "it has no out=" : "it needs out=");
    if (!assign_positional() || !assign_keywords()) return std::nullopt;
    return fill();
  }

 private:
  std::nullopt_t refuse(std::string reason) {
    why_not_ = std::move(reason);
    return std::nullopt;
  }

  bool assign_positional() {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < schema_.arguments().size(); ++i) {
      if (!schema_.arguments()[i].kwarg_only()) places.push_back(i);
    }
    const std::vector<PythonValue>& given = arguments_.positional;
    const std::size_t fixed = rules_.is_method && !given.empty() ? 1 : 0;
    if (takes_varargs(places, fixed)) {
      for (std::size_t i = 0; i < fixed; ++i) assigned_[places[i]] = given[i];
      Sequence rest;
      rest.items.assign(given.begin() + static_cast<std::ptrdiff_t>(fixed), given.end());
      assigned_[places[fixed]] = PythonValue{std::move(rest)};
      return true;
    }
    if (given.size() > places.size()) {
      refuse("it takes " + std::to_string(places.size()) + " positional arguments, " + std::to_string(given.size()) + " given");
      return false;
    }
    for (std::size_t i = 0; i < given.size(); ++i) assigned_[places[i]] = given[i];
    return true;
  }

  /// view(2, 3): ints where the only positional parameter is a list of ints.
  [[nodiscard]] bool takes_varargs(const std::vector<std::size_t>& places, std::size_t fixed) const {
    const std::vector<PythonValue>& given = arguments_.positional;
    if (places.size() != fixed + 1 || given.size() <= fixed || !is_int_list(schema_.arguments()[places[fixed]])) return false;
    return std::all_of(given.begin() + static_cast<std::ptrdiff_t>(fixed), given.end(),
                       [](const PythonValue& v) { return v.is<std::int64_t>() || is_zero_dim(v); });
  }

  bool assign_keywords() {
    for (const auto& [name, value] : arguments_.keyword) {
      if (name == "out") {
        if (!value.is_none() && !assign_out(value)) return false;
        continue;
      }
      const std::optional<std::size_t> place = find_parameter(name);
      if (!place) {
        if (value.is_none()) continue;
        refuse("it has no argument '" + name + "'");
        return false;
      }
      assigned_[*place] = value;
    }
    return true;
  }

  bool assign_out(const PythonValue& value) {
    std::vector<std::size_t> outs;
    for (std::size_t i = 0; i < schema_.arguments().size(); ++i) {
      if (is_out(schema_.arguments()[i])) outs.push_back(i);
    }
    const auto* sequence = value.get_if<Sequence>();
    if (sequence == nullptr || outs.size() == 1) {
      const bool unpack = sequence != nullptr && sequence->items.size() == 1 && !is_list(outs[0]);
      assigned_[outs[0]] = unpack ? sequence->items[0] : value;
      return true;
    }
    if (sequence->items.size() != outs.size()) {
      refuse("it takes " + std::to_string(outs.size()) + " tensors in out=");
      return false;
    }
    for (std::size_t i = 0; i < outs.size(); ++i) assigned_[outs[i]] = sequence->items[i];
    return true;
  }

  [[nodiscard]] bool is_list(std::size_t place) const {
    return schema_.arguments()[place].type()->kind() == c10::TypeKind::ListType;
  }

  [[nodiscard]] std::optional<std::size_t> find_parameter(const std::string& name) const {
    const auto free_place = [&](const std::string& wanted) -> std::optional<std::size_t> {
      for (std::size_t i = 0; i < schema_.arguments().size(); ++i) {
        if (schema_.arguments()[i].name() == wanted && !assigned_[i]) return i;
      }
      return std::nullopt;
    };
    if (const auto place = free_place(name)) return place;
    const auto aliases = rules_.argument_names.find(name);
    if (aliases == rules_.argument_names.end()) return std::nullopt;
    for (const std::string& alias : aliases->second) {
      if (const auto place = free_place(alias)) return place;
    }
    return std::nullopt;
  }

  std::optional<Match> fill() {
    Match match;
    ValueFitter fitter(match.cost);
    for (std::size_t i = 0; i < schema_.arguments().size(); ++i) {
      const c10::Argument& argument = schema_.arguments()[i];
      if (!assigned_[i]) {
        const auto other_default = rules_.defaults.find(argument.name());
        if (other_default != rules_.defaults.end()) {
          match.stack.emplace_back(other_default->second);
        } else if (argument.default_value()) {
          match.stack.push_back(*argument.default_value());
        } else if (argument.type()->kind() == c10::TypeKind::OptionalType) {
          match.stack.emplace_back();
        } else {
          return refuse("'" + argument.name() + "' is missing");
        }
        continue;
      }
      const int before = match.cost;
      std::optional<int> length;
      if (argument.N()) length = static_cast<int>(*argument.N());
      std::optional<c10::IValue> value = fitter.fit(*assigned_[i], argument.real_type(), argument.type(), length);
      if (!value && assigned_[i]->is_none() && argument.default_value()) {
        match.cost = before + kNone;
        value = *argument.default_value();
      }
      if (!value) return refuse("'" + argument.name() + "' can't be " + describe(*assigned_[i]));
      match.stack.push_back(std::move(*value));
    }
    return match;
  }

  const Arguments& arguments_;
  const c10::FunctionSchema& schema_;
  const MatchRules& rules_;
  std::string& why_not_;
  std::vector<std::optional<PythonValue>> assigned_;
};

}  // namespace

bool has_out_arguments(const c10::FunctionSchema& schema) {
  return std::any_of(schema.arguments().begin(), schema.arguments().end(), is_out);
}

std::optional<Match> match_arguments(const Arguments& arguments, const c10::FunctionSchema& schema, const MatchRules& rules,
                                     std::string& why_not) {
  return Matcher(arguments, schema, rules, why_not).run();
}

}  // namespace assay::torch_adapter
