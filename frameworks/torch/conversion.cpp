#include "conversion.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/api/include/torch/version.h>

#include <array>

namespace assay::torch_adapter {
namespace {

struct TypePair {
  assay_dtype ours;
  at::ScalarType theirs;
};

constexpr TypePair kTypes[] = {{kBool, at::kBool},
                               {kInt8, at::kChar},
                               {kInt16, at::kShort},
                               {kInt32, at::kInt},
                               {kInt64, at::kLong},
                               {kUInt8, at::kByte},
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 3)
                               {kUInt16, at::kUInt16},
                               {kUInt32, at::kUInt32},
                               {kUInt64, at::kUInt64},
                               {kFloat8E4M3FN, at::kFloat8_e4m3fn},
                               {kFloat8E5M2, at::kFloat8_e5m2},
#endif
                               {kFloat16, at::kHalf},
                               {kBFloat16, at::kBFloat16},
                               {kFloat32, at::kFloat},
                               {kFloat64, at::kDouble},
                               {kComplex32, at::kComplexHalf},
                               {kComplex64, at::kComplexFloat},
                               {kComplex128, at::kComplexDouble}};

at::ScalarType to_torch(assay_dtype dtype) {
  for (const TypePair& pair : kTypes) {
    if (pair.ours == dtype) return pair.theirs;
  }
  throw Error(ASSAY_UNSUPPORTED, "dtype " + std::string(dtype_name(dtype)) + " is not in LibTorch " TORCH_VERSION);
}

assay_dtype from_torch(at::ScalarType type) {
  for (const TypePair& pair : kTypes) {
    if (pair.theirs == type) return pair.ours;
  }
  throw Error(ASSAY_UNSUPPORTED, "a result of dtype " + std::string(c10::toString(type)) + " can't be handed over");
}

/// A compact copy of any layout that from_blob can't take.
at::Tensor copied(const TensorView& view, at::ScalarType type) {
  at::Tensor copy = at::empty(view.shape(), at::TensorOptions().dtype(type));
  const std::size_t size = dtype_size(view.dtype());
  auto* out = static_cast<char*>(copy.data_ptr());
  const auto* in = static_cast<const char*>(view.data());
  view.for_each_offset([&](std::int64_t index, std::int64_t offset) {
    std::memcpy(out + static_cast<std::size_t>(index) * size, in + offset * static_cast<std::int64_t>(size), size);
  });
  return copy;
}

/// Every byte other than 0 means true at the boundary; LibTorch's kernels rely on 1.
at::Tensor normalised_bool(const TensorView& view) {
  at::Tensor copy = copied(view, at::kBool);
  auto* bytes = static_cast<std::uint8_t*>(copy.data_ptr());
  for (std::int64_t i = 0; i < copy.numel(); ++i) bytes[i] = bytes[i] != 0 ? 1 : 0;
  return copy;
}

at::Tensor wrap_tensor(const assay_tensor& tensor) {
  const TensorView view(tensor);
  const at::ScalarType type = to_torch(view.dtype());
  if (!view.on_cpu()) throw Error(ASSAY_UNSUPPORTED, "a tensor argument is not in CPU memory");
  if (view.numel() == 0) return at::empty(view.shape(), at::TensorOptions().dtype(type));
  if (type == at::kBool) return normalised_bool(view);
  bool needs_copy = reinterpret_cast<std::uintptr_t>(view.data()) % std::min<std::size_t>(dtype_size(view.dtype()), 8) != 0;
  if (tensor.dl.strides != nullptr) {
    for (int d = 0; d < view.ndim(); ++d) needs_copy = needs_copy || tensor.dl.strides[d] < 0;
  }
  if (needs_copy) return copied(view, type);
  // from_blob wants a mutable pointer; operators that write get a copy, so the caller's memory stays as it is.
  void* data = const_cast<void*>(view.data());
  const auto options = at::TensorOptions().dtype(type);
  if (tensor.dl.strides == nullptr) return at::from_blob(data, view.shape(), options);
  return at::from_blob(data, view.shape(), at::IntArrayRef(tensor.dl.strides, static_cast<std::size_t>(view.ndim())), options);
}

c10::MemoryFormat memory_format(const std::string& name) {
  if (name == "contiguous_format") return c10::MemoryFormat::Contiguous;
  if (name == "channels_last") return c10::MemoryFormat::ChannelsLast;
  if (name == "channels_last_3d") return c10::MemoryFormat::ChannelsLast3d;
  if (name == "preserve_format") return c10::MemoryFormat::Preserve;
  throw Error(ASSAY_UNSUPPORTED, "unknown memory format '" + name + "'");
}

Slice to_slice(const assay_slice& slice) {
  const auto bound = [&](std::uint32_t bit, std::int64_t value) {
    return (slice.present & bit) != 0 ? std::optional(value) : std::nullopt;
  };
  return {bound(ASSAY_SLICE_START, slice.start), bound(ASSAY_SLICE_STOP, slice.stop), bound(ASSAY_SLICE_STEP, slice.step)};
}

/// Converts a call's values and collects their tensors.
class Converter {
 public:
  Converter(const ConversionOptions& options, std::vector<TensorSlot>* slots) : options_(options), slots_(slots) {}

  PythonValue convert(const assay_value& value, const std::string& path) {
    switch (value.kind) {
      case ASSAY_VALUE_NONE: return {};
      case ASSAY_VALUE_BOOL: return {value.as.boolean != 0};
      case ASSAY_VALUE_INT: return {value.as.integer};
      case ASSAY_VALUE_FLOAT: return {value.as.real};
      case ASSAY_VALUE_COMPLEX: return {c10::complex<double>(value.as.complex.real, value.as.complex.imag)};
      case ASSAY_VALUE_STRING: return {text(value.as.string)};
      case ASSAY_VALUE_DTYPE: return {widened(to_torch(value.as.dtype), options_)};
      // Wherever the recording ran, this adapter computes on the CPU.
      case ASSAY_VALUE_DEVICE: return {c10::Device(c10::kCPU)};
      case ASSAY_VALUE_SLICE: return {to_slice(value.as.slice)};
      case ASSAY_VALUE_ELLIPSIS: return {EllipsisMark{}};
      case ASSAY_VALUE_MEMORY_FORMAT: return {memory_format(text(value.as.string))};
      case ASSAY_VALUE_TENSOR: return {convert_tensor(*value.as.tensor, path)};
      case ASSAY_VALUE_LIST:
      case ASSAY_VALUE_TUPLE: {
        Sequence sequence;
        for (std::uint64_t i = 0; i < value.as.sequence.size; ++i) {
          sequence.items.push_back(convert(value.as.sequence.items[i], path + "." + std::to_string(i)));
        }
        return {std::move(sequence)};
      }
      case ASSAY_VALUE_DICT: {
        Dictionary dictionary;
        for (std::uint64_t i = 0; i < value.as.dict.size; ++i) {
          const assay_named_value& item = value.as.dict.items[i];
          dictionary.items.emplace_back(item.name, convert(item.value, path + "." + item.name));
        }
        return {std::move(dictionary)};
      }
      default: throw Error(ASSAY_INVALID_ARGUMENT, "argument '" + path + "' has the unknown kind " + std::to_string(value.kind));
    }
  }

 private:
  static std::string text(const assay_string& string) {
    return string.size == 0 ? std::string() : std::string(string.data, string.size);
  }

  at::Tensor convert_tensor(const assay_tensor& tensor, const std::string& path) {
    at::Tensor wrapped = wrap_tensor(tensor);
    const at::ScalarType recorded = wrapped.scalar_type();
    at::Tensor value = wrapped.to(widened(recorded, options_));
    if (slots_ != nullptr) slots_->push_back({path, recorded, value});
    return value;
  }

  ConversionOptions options_;
  std::vector<TensorSlot>* slots_;
};

}  // namespace

bool is_half_type(at::ScalarType type) {
  return type == at::kComplexHalf || (c10::isFloatingType(type) && c10::elementSize(type) <= 2);
}

at::ScalarType widened(at::ScalarType type, const ConversionOptions& options) {
  if (c10::isIntegralType(type, /*includeBool=*/true)) return options.integers_to_float ? at::kDouble : type;
  if (options.width == Width::kAsRecorded || (options.halves_only && !is_half_type(type))) return type;
  const bool wide = options.width == Width::kFloat64;
  if (c10::isComplexType(type)) return wide ? at::kComplexDouble : at::kComplexFloat;
  if (c10::isFloatingType(type)) return wide ? at::kDouble : at::kFloat;
  return type;
}

ConvertedCall convert_arguments(const assay_call& call, const ConversionOptions& options) {
  ConvertedCall converted;
  Converter converter(options, &converted.tensors);
  for (std::uint64_t i = 0; i < call.arg_count; ++i) {
    converted.arguments.positional.push_back(converter.convert(call.args[i], std::to_string(i)));
  }
  for (std::uint64_t i = 0; i < call.kwarg_count; ++i) {
    converted.arguments.keyword.emplace_back(call.kwargs[i].name, converter.convert(call.kwargs[i].value, call.kwargs[i].name));
  }
  return converted;
}

PythonValue convert_value(const assay_value& value) { return Converter({}, nullptr).convert(value, "value"); }

namespace {

Value convert_tensor_result(const at::Tensor& tensor, const std::function<bool(const at::Tensor&)>& borrowed) {
  if (!tensor.defined()) return {};
  at::Tensor plain = tensor.detach();
  if (plain.layout() != at::kStrided) plain = plain.to_dense();
  if (plain.is_quantized()) plain = plain.dequantize();
  plain = plain.resolve_conj().resolve_neg();
  // Autograd has tensors of zeros without memory.
  if (plain._is_zerotensor()) plain = at::zeros(plain.sizes(), plain.options());
  if (plain.device().type() != c10::kCPU) throw Error(ASSAY_UNSUPPORTED, "a result is not in CPU memory");
  if (borrowed(plain)) plain = plain.clone();
  const assay_dtype dtype = from_torch(plain.scalar_type());
  auto owner = std::make_shared<at::Tensor>(plain);
  return Tensor::wrap(plain.data_ptr(), dtype, plain.sizes().vec(), plain.strides().vec(), std::move(owner), false);
}

template <class Sequence, class Items>
Value convert_items(const Items& items, const std::function<bool(const at::Tensor&)>& borrowed) {
  Sequence out;
  for (const c10::IValue& item : items) out.items.push_back(convert_result(item, borrowed));
  return out;
}

}  // namespace

Value convert_result(const c10::IValue& value, const std::function<bool(const at::Tensor&)>& borrowed) {
  if (value.isNone()) return {};
  if (value.isTensor()) return convert_tensor_result(value.toTensor(), borrowed);
  if (value.isBool()) return value.toBool();
  if (value.isInt()) return std::int64_t{value.toInt()};
  if (value.isDouble()) return value.toDouble();
  if (value.isComplexDouble()) {
    const auto number = value.toComplexDouble();
    return std::complex<double>(number.real(), number.imag());
  }
  if (value.isString()) return std::string(value.toStringRef());
  if (value.isDevice()) return assay_device{ASSAY_DEVICE_CPU, 0};
  if (value.isTuple()) return convert_items<Tuple>(value.toTupleRef().elements(), borrowed);
  if (value.isList()) return convert_items<List>(value.toListRef(), borrowed);
  throw Error(ASSAY_UNSUPPORTED, "a result of kind " + value.tagKind() + " can't be handed over");
}

}  // namespace assay::torch_adapter
