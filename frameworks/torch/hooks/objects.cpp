// APIs that take or give Python objects other than tensors: types by name, shapes, nested lists of numbers.
#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/jit_type.h>
#include <ATen/ops/einsum.h>

#include <algorithm>

#include "assay/sdk/error.hpp"
#include "hooks/hook_arguments.hpp"

namespace assay::torch_adapter {
namespace {

struct LegacyType {
  const char* name;
  at::ScalarType type;
};

/// torch.FloatTensor and its kin.
constexpr LegacyType kLegacyTypes[] = {{"FloatTensor", at::kFloat},
                                       {"DoubleTensor", at::kDouble},
                                       {"HalfTensor", at::kHalf},
                                       {"BFloat16Tensor", at::kBFloat16},
                                       {"ByteTensor", at::kByte},
                                       {"CharTensor", at::kChar},
                                       {"ShortTensor", at::kShort},
                                       {"IntTensor", at::kInt},
                                       {"LongTensor", at::kLong},
                                       {"BoolTensor", at::kBool},
                                       {"ComplexFloatTensor", at::kComplexFloat},
                                       {"ComplexDoubleTensor", at::kComplexDouble}};

/// "torch.npu.FloatTensor" and "torch.float32" both name a type.
std::optional<at::ScalarType> type_named(const std::string& text) {
  const std::string last = text.substr(text.rfind('.') == std::string::npos ? 0 : text.rfind('.') + 1);
  for (const LegacyType& entry : kLegacyTypes) {
    if (last == entry.name) return entry.type;
  }
  static const std::map<std::string, at::ScalarType> kNames = {{"float32", at::kFloat},
                                                               {"float64", at::kDouble},
                                                               {"float16", at::kHalf},
                                                               {"bfloat16", at::kBFloat16},
                                                               {"uint8", at::kByte},
                                                               {"int8", at::kChar},
                                                               {"int16", at::kShort},
                                                               {"int32", at::kInt},
                                                               {"int64", at::kLong},
                                                               {"bool", at::kBool},
                                                               {"complex64", at::kComplexFloat},
                                                               {"complex128", at::kComplexDouble}};
  const auto found = kNames.find(last);
  return found == kNames.end() ? std::nullopt : std::optional(found->second);
}

std::vector<c10::IValue> type(const Arguments& arguments) {
  const HookArguments in(arguments, {"self", "dtype", "non_blocking"});
  const at::Tensor& self = in.tensor(0);
  if (!in.has(1)) {
    for (const LegacyType& entry : kLegacyTypes) {
      if (self.scalar_type() == entry.type) return {std::string("torch.") + entry.name};
    }
    throw Error(ASSAY_UNSUPPORTED, "a tensor of this dtype has no type name");
  }
  if (const auto* dtype = in.value(1).get_if<at::ScalarType>()) return {self.to(*dtype)};
  const auto* text = in.value(1).get_if<std::string>();
  const std::optional<at::ScalarType> named = text != nullptr ? type_named(*text) : std::nullopt;
  if (!named) throw Error(ASSAY_INVALID_ARGUMENT, "argument 'dtype' names no type");
  return {self.to(*named)};
}

c10::IValue number_of(const at::Scalar& scalar) {
  if (scalar.isBoolean()) return scalar.toBool();
  if (scalar.isIntegral(false)) return scalar.toLong();
  if (scalar.isFloatingPoint()) return scalar.toDouble();
  return scalar.toComplexDouble();
}

/// Nested lists cross as tuples inside: a list of the interpreter has one element type, Python's has not.
c10::IValue as_list(const at::Tensor& tensor) {
  if (tensor.dim() == 0) return number_of(tensor.item());
  c10::impl::GenericList list(c10::AnyType::get());
  for (std::int64_t i = 0; i < tensor.size(0); ++i) list.push_back(as_list(tensor.select(0, i)));
  return list;
}

std::vector<c10::IValue> to_list(const Arguments& arguments) {
  const HookArguments in(arguments, {"self"});
  return {as_list(in.tensor(0).detach())};
}

std::vector<c10::IValue> item(const Arguments& arguments) {
  const HookArguments in(arguments, {"self"});
  return {number_of(in.tensor(0).item())};
}

std::vector<c10::IValue> make_tensor(const Arguments& arguments) {
  const HookArguments in(arguments, {"data", "dtype", "device", "copy", "pin_memory"});
  const at::Tensor made = tensor_from_data(in.value(0));
  const auto* dtype = in.has(1) ? in.value(1).get_if<at::ScalarType>() : nullptr;
  return {dtype != nullptr ? made.to(*dtype) : made.clone()};
}

/// Tensor.new_tensor: the receiver gives the type.
std::vector<c10::IValue> new_tensor(const Arguments& arguments) {
  const HookArguments in(arguments, {"self", "data", "dtype", "device"});
  const at::Tensor made = tensor_from_data(in.value(1));
  const auto* dtype = in.has(2) ? in.value(2).get_if<at::ScalarType>() : nullptr;
  const bool is_tensor = in.value(1).is<at::Tensor>();
  return {made.to(dtype != nullptr ? *dtype : is_tensor ? made.scalar_type() : in.tensor(0).scalar_type(), false, true)};
}

std::vector<std::int64_t> shape_of(const PythonValue& value) {
  if (const auto* n = value.get_if<std::int64_t>()) return {*n};
  std::vector<std::int64_t> shape;
  const auto* sequence = value.get_if<Sequence>();
  if (sequence == nullptr) throw Error(ASSAY_INVALID_ARGUMENT, "a shape is an int or a list of ints");
  for (const PythonValue& size : sequence->items) {
    const auto* n = size.get_if<std::int64_t>();
    if (n == nullptr) throw Error(ASSAY_INVALID_ARGUMENT, "a shape is an int or a list of ints");
    shape.push_back(*n);
  }
  return shape;
}

std::vector<c10::IValue> broadcast_shapes(const Arguments& arguments) {
  std::vector<std::int64_t> out;
  for (const PythonValue& value : arguments.positional) {
    const std::vector<std::int64_t> shape = shape_of(value);
    if (shape.size() > out.size()) out.insert(out.begin(), shape.size() - out.size(), 1);
    for (std::size_t i = 0; i < shape.size(); ++i) {
      std::int64_t& size = out[out.size() - shape.size() + i];
      if (size != shape[i] && size != 1 && shape[i] != 1) {
        throw Error(ASSAY_INVALID_ARGUMENT, "the shapes can't be broadcast to a single shape");
      }
      if (size == 1) size = shape[i];
    }
  }
  return {c10::IValue(out)};
}

/// einsum(equation, *operands), einsum(equation, [operands]) and einsum(operand, subscripts, ..., result).
std::vector<c10::IValue> einsum(const Arguments& arguments) {
  if (arguments.positional.empty()) throw Error(ASSAY_INVALID_ARGUMENT, "einsum needs an equation");
  std::string equation;
  std::vector<at::Tensor> operands;
  const auto subscripts = [](const PythonValue& value) {
    std::string text;
    for (const PythonValue& item : value.is<Sequence>() ? std::get<Sequence>(value.data).items : std::vector<PythonValue>()) {
      const auto* n = item.get_if<std::int64_t>();
      if (n == nullptr && !item.is<EllipsisMark>())
        throw Error(ASSAY_INVALID_ARGUMENT, "an einsum subscript is an int or an ellipsis");
      if (n != nullptr && (*n < 0 || *n >= 52)) throw Error(ASSAY_INVALID_ARGUMENT, "einsum subscripts go from 0 to 51");
      text += n == nullptr ? std::string("...") : std::string(1, static_cast<char>(*n < 26 ? 'A' + *n : 'a' + *n - 26));
    }
    return text;
  };
  const auto& positional = arguments.positional;
  if (const auto* text = positional[0].get_if<std::string>()) {
    equation = *text;
    const auto* listed = positional.size() == 2 ? positional[1].get_if<Sequence>() : nullptr;
    const std::vector<PythonValue> rest =
        listed != nullptr ? listed->items : std::vector<PythonValue>(positional.begin() + 1, positional.end());
    for (const PythonValue& value : rest) {
      const auto* tensor = value.get_if<at::Tensor>();
      if (tensor == nullptr) throw Error(ASSAY_INVALID_ARGUMENT, "an operand of einsum is not a tensor");
      operands.push_back(*tensor);
    }
  } else {
    for (std::size_t i = 0; i + 1 < positional.size(); i += 2) {
      const auto* tensor = positional[i].get_if<at::Tensor>();
      if (tensor == nullptr) throw Error(ASSAY_INVALID_ARGUMENT, "an operand of einsum is not a tensor");
      operands.push_back(*tensor);
      equation += (i == 0 ? "" : ",") + subscripts(positional[i + 1]);
    }
    if (positional.size() % 2 == 1) equation += "->" + subscripts(positional.back());
  }
  return {at::einsum(equation, operands)};
}

}  // namespace

void add_object_hooks(std::map<std::string, Hook>& table) {
  table["type"] = {type, false};
  table["tolist"] = {to_list, false};
  table["item"] = {item, false};
  table["new_tensor"] = {new_tensor, false};
  table["tensor"] = {make_tensor, false};
  table["broadcast_shapes"] = {broadcast_shapes, false};
  table["einsum"] = {einsum, false};
}

}  // namespace assay::torch_adapter
