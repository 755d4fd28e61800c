#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>

#include "core/executor.hpp"

namespace assay::emulator {
namespace {

std::string of(const Parameter& parameter) { return "parameter '" + std::string(parameter.name) + "'"; }

bool is_private(aclFormat format) {
  switch (format) {
    case ACL_FORMAT_NC1HWC0:
    case ACL_FORMAT_FRACTAL_Z:
    case ACL_FORMAT_NC1HWC0_C04:
    case ACL_FORMAT_FRACTAL_NZ:
    case ACL_FORMAT_NDC1HWC0:
    case ACL_FRACTAL_Z_3D:
    case ACL_FORMAT_FRACTAL_NZ_C0_16:
    case ACL_FORMAT_FRACTAL_NZ_C0_32:
    case ACL_FORMAT_FRACTAL_NZ_C0_2:
    case ACL_FORMAT_FRACTAL_NZ_C0_4:
    case ACL_FORMAT_FRACTAL_NZ_C0_8:
    case ACL_FORMAT_UNDEFINED: return true;
    default: return false;
  }
}

bool has_bit(std::uint64_t mask, int bit) { return bit >= 0 && bit < 64 && ((mask >> static_cast<unsigned>(bit)) & 1U) != 0; }

bool is_contiguous(const aclTensor& tensor) {
  std::int64_t step = 1;
  for (std::size_t i = tensor.shape.size(); i-- > 0;) {
    if (tensor.shape[i] != 1 && tensor.strides[i] != step) {
      return false;
    }
    step *= tensor.shape[i];
  }
  return true;
}

std::int64_t product(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

// Where the tensor's memory lies: inside its storage, inside one live allocation.
aclnnStatus check_memory(Call& call, const Parameter& parameter, const aclTensor& tensor) {
  const auto [first, last] = extent(tensor);
  if (first == last) {
    return ACLNN_SUCCESS;
  }
  const auto size = static_cast<std::int64_t>(item_size(tensor.dtype));
  if (first < 0 || last > product(tensor.storage) * size) {
    return call.misuse("outside-storage", ACLNN_ERR_PARAM_INVALID, of(parameter) + ": the view reaches outside its storage");
  }
  if (tensor.data == nullptr) {
    return call.misuse("null-data", ACLNN_ERR_PARAM_NULLPTR, of(parameter) + ": the address is null");
  }
  const DeviceMemory& memory = process().memory;
  if (!memory.contains(tensor.data)) {
    return call.misuse("host-memory", ACLNN_ERR_PARAM_INVALID, of(parameter) + ": the address is not one of the device");
  }
  const auto block = memory.find(tensor.data);
  const auto* data = static_cast<const std::byte*>(tensor.data);
  if (!block) {
    return call.misuse("use-after-free", ACLNN_ERR_PARAM_INVALID, of(parameter) + ": the address is in no live allocation");
  }
  if (data + last > block->begin + block->size) {
    return call.misuse("outside-allocation", ACLNN_ERR_PARAM_INVALID, of(parameter) + ": reaches past the end of its allocation");
  }
  return ACLNN_SUCCESS;
}

aclnnStatus check_tensor(Call& call, const Operator& op, const Parameter& parameter, const Argument* arguments,
                         const aclTensor& tensor) {
  const std::string dtype = name_of(tensor.dtype);
  if (item_size(tensor.dtype) == 0) {
    return call.fail(ACLNN_ERR_PARAM_INVALID, of(parameter) + ": the emulator has no elements of its dtype");
  }
  if (parameter.dtypes != 0 && !has_bit(parameter.dtypes, tensor.dtype)) {
    return call.fail(ACLNN_ERR_PARAM_INVALID, of(parameter) + ": dtype " + dtype + " is not supported");
  }
  if (parameter.same_dtype_as >= 0 && op.parameters[parameter.same_dtype_as].type == Type::kTensor) {
    const auto* other = static_cast<const aclTensor*>(arguments[parameter.same_dtype_as].pointer);
    if (other != nullptr && process().live.count(other) != 0 && other->dtype != tensor.dtype) {
      return call.fail(ACLNN_ERR_PARAM_INVALID, of(parameter) + ": dtype " + dtype + " is not that of '" +
                                                    op.parameters[parameter.same_dtype_as].name + "', " + name_of(other->dtype));
    }
  }
  const auto rank = static_cast<int>(tensor.shape.size());
  // "1 to 8" in the documents is no bar to scalars: frameworks pass them everywhere.
  const int lowest = parameter.min_rank == 1 && parameter.max_rank == 8 ? 0 : parameter.min_rank;
  if (parameter.min_rank >= 0 && (rank < lowest || rank > parameter.max_rank)) {
    return call.fail(ACLNN_ERR_PARAM_INVALID, of(parameter) + ": rank " + std::to_string(rank) + " is not supported, expected " +
                                                  std::to_string(parameter.min_rank) + " to " + std::to_string(parameter.max_rank));
  }
  // Where ND is named, so is every plain format.
  const bool named = parameter.formats != 0 && !has_bit(parameter.formats, ACL_FORMAT_ND);
  const bool format_fits = has_bit(parameter.formats, tensor.format) || (!named && !is_private(tensor.format));
  if (!format_fits) {
    return call.fail(ACLNN_ERR_PARAM_INVALID, of(parameter) + ": format " + std::to_string(tensor.format) + " is not supported");
  }
  if (std::any_of(tensor.shape.begin(), tensor.shape.end(), [](std::int64_t dim) { return dim < 0; })) {
    return call.misuse("bad-shape", ACLNN_ERR_PARAM_INVALID, of(parameter) + ": a negative dimension");
  }
  if (parameter.contiguous_only && !is_contiguous(tensor)) {
    return call.fail(ACLNN_ERR_PARAM_INVALID, of(parameter) + ": must be contiguous");
  }
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
    if (tensor.strides[i] < 0) {
      return call.misuse("bad-stride", ACLNN_ERR_PARAM_INVALID, of(parameter) + ": a negative stride");
    }
    if (parameter.role != Role::kIn && tensor.strides[i] == 0 && tensor.shape[i] > 1) {
      return call.misuse("bad-stride", ACLNN_ERR_PARAM_INVALID, of(parameter) + ": an output whose elements lie on one another");
    }
  }
  return check_memory(call, parameter, tensor);
}

ScalarValue scalar_value(const aclScalar& scalar) {
  const std::byte* value = scalar.value.data();
  return {scalar.dtype, load_real(value, scalar.dtype), load_integer(value, scalar.dtype), load_complex(value, scalar.dtype)};
}

View view_of(const aclTensor& tensor, bool with_data) {
  View view{tensor.dtype, tensor.format, tensor.shape, tensor.strides, nullptr, const_cast<aclTensor*>(&tensor)};
  if (with_data && tensor.data != nullptr) {
    view.data = process().memory.host(tensor.data) + tensor.offset * static_cast<std::int64_t>(item_size(tensor.dtype));
  }
  return view;
}

Item item_of(const Parameter& parameter, const Argument& argument, const std::string& text, bool with_data) {
  Item item;
  item.present = true;
  switch (parameter.type) {
    case Type::kInteger:
    case Type::kBool:
    case Type::kInt8:
    case Type::kDtype: item.integer = argument.integer; return item;
    case Type::kReal: item.real = argument.real; return item;
    default: break;
  }
  if (argument.pointer == nullptr) {
    item.present = false;
    return item;
  }
  switch (parameter.type) {
    case Type::kTensor: item.view = view_of(*static_cast<const aclTensor*>(argument.pointer), with_data); break;
    case Type::kTensorList:
      for (const aclTensor* member : static_cast<const aclTensorList*>(argument.pointer)->members) {
        item.views.push_back(view_of(*member, with_data));
      }
      break;
    case Type::kScalar: item.scalar = scalar_value(*static_cast<const aclScalar*>(argument.pointer)); break;
    case Type::kIntArray: item.integers = static_cast<const aclIntArray*>(argument.pointer)->values; break;
    case Type::kBoolArray: {
      const auto& values = static_cast<const aclBoolArray*>(argument.pointer)->values;
      item.integers.assign(values.begin(), values.end());
      break;
    }
    case Type::kFloatArray: item.reals = static_cast<const aclFloatArray*>(argument.pointer)->values; break;
    default: item.text = text; break;
  }
  return item;
}

template <class T>
aclnnStatus hold(Call& call, const void* handle, std::vector<Object*>& objects) {
  T* object = call.live<T>(handle);
  if (object == nullptr) {
    return call.code();
  }
  objects.push_back(object);
  return ACLNN_SUCCESS;
}

}  // namespace

std::pair<std::int64_t, std::int64_t> extent(const aclTensor& tensor) {
  std::int64_t first = tensor.offset;
  std::int64_t last = tensor.offset;
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
    if (tensor.shape[i] == 0) {
      return {0, 0};
    }
    last += (tensor.shape[i] - 1) * tensor.strides[i];
  }
  const auto size = static_cast<std::int64_t>(item_size(tensor.dtype));
  return {first * size, (last + 1) * size};
}

aclnnStatus check_parameter(Call& call, const Operator& op, const Argument* arguments, int index, std::vector<Object*>& objects) {
  const Parameter& parameter = op.parameters[index];
  const Argument& argument = arguments[index];
  switch (parameter.type) {
    case Type::kBool:
      if (argument.integer != 0 && argument.integer != 1) {
        return call.misuse("dirty-bits", ACLNN_ERR_PARAM_INVALID,
                           of(parameter) + ": a bool arrives with other bits than the lowest");
      }
      return ACLNN_SUCCESS;
    case Type::kInt8:
      if (argument.integer < -128 || argument.integer > 127) {
        return call.misuse("dirty-bits", ACLNN_ERR_PARAM_INVALID, of(parameter) + ": an int8_t arrives with dirty upper bits");
      }
      return ACLNN_SUCCESS;
    case Type::kInteger:
    case Type::kReal:
    case Type::kDtype: return ACLNN_SUCCESS;
    default: break;
  }
  if (argument.pointer == nullptr) {
    if (parameter.optional) {
      return ACLNN_SUCCESS;
    }
    return call.misuse("null-parameter", ACLNN_ERR_PARAM_NULLPTR, of(parameter) + " must not be null");
  }
  switch (parameter.type) {
    case Type::kTensor:
      if (const aclnnStatus status = hold<aclTensor>(call, argument.pointer, objects)) {
        return status;
      }
      return check_tensor(call, op, parameter, arguments, *static_cast<const aclTensor*>(argument.pointer));
    case Type::kTensorList: {
      if (const aclnnStatus status = hold<aclTensorList>(call, argument.pointer, objects)) {
        return status;
      }
      for (const aclTensor* member : static_cast<const aclTensorList*>(argument.pointer)->members) {
        if (const aclnnStatus status = hold<aclTensor>(call, member, objects)) {
          return status;
        }
        if (const aclnnStatus status = check_tensor(call, op, parameter, arguments, *member)) {
          return status;
        }
      }
      return ACLNN_SUCCESS;
    }
    case Type::kScalar: return hold<aclScalar>(call, argument.pointer, objects);
    case Type::kIntArray: return hold<aclIntArray>(call, argument.pointer, objects);
    case Type::kFloatArray: return hold<aclFloatArray>(call, argument.pointer, objects);
    case Type::kBoolArray: return hold<aclBoolArray>(call, argument.pointer, objects);
    default: return ACLNN_SUCCESS;
  }
}

Args bound(const Operator& op, const Kernel& kernel, const std::vector<Argument>& arguments, const std::vector<std::string>& texts,
           bool with_data) {
  std::vector<Item> items;
  items.reserve(static_cast<std::size_t>(op.kernel_count));
  for (int i = 0; i < op.kernel_count; ++i) {
    const auto from = static_cast<std::size_t>(op.kernel_from[i]);
    items.push_back(item_of(op.parameters[from], arguments[from], texts[from], with_data));
  }
  return {op, kernel, std::move(items)};
}

}  // namespace assay::emulator
