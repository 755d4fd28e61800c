#include "aclnn_operator.hpp"

#include <limits>

#include "acl_objects.hpp"
#include "dtypes.hpp"

namespace assay::npu {

namespace {

/// Small integers are passed as the full words that they travel in on x86-64 and aarch64: libffi leaves the rest of a word on the
/// stack as it was, and callees may rely on at least 32 clean bits.
ffi_type* ffi_type_of(ParameterType type) {
  switch (type) {
    case ParameterType::kInt64:
    case ParameterType::kInt32:
    case ParameterType::kDType:
    case ParameterType::kInt8: return &ffi_type_sint64;
    case ParameterType::kUInt64:
    case ParameterType::kBool: return &ffi_type_uint64;
    case ParameterType::kDouble: return &ffi_type_double;
    case ParameterType::kFloat: return &ffi_type_float;
    default: return &ffi_type_pointer;
  }
}

/// An integer that fits the parameter's own type.
template <class T>
std::int64_t fitting(const Datum& datum, const char* what) {
  const std::int64_t value = as_integer(datum, what);
  if (value < std::numeric_limits<T>::min() || value > std::numeric_limits<T>::max())
    throw Error(ASSAY_INVALID_ARGUMENT,
                std::string(what) + " is " + std::to_string(value) + ", which the operator's type can't hold");
  return value;
}

std::vector<DeviceTensor> tensors_of(const Datum& datum, const char* what) {
  std::vector<DeviceTensor> tensors;
  for (const Datum& item : as_list(datum, what)) tensors.push_back(as_tensor(item, what));
  return tensors;
}

/// Cuts a tensor to the shape that the operator says it filled; it was given the largest possible.
void cut_to_view_shape(const AclFunctions& acl, const aclTensor* object, DeviceTensor& tensor) {
  std::int64_t* dims = nullptr;
  std::uint64_t count = 0;
  require(acl, acl.aclGetViewShape(object, &dims, &count), "ask for the shape of an output (aclGetViewShape)");
  const std::unique_ptr<std::int64_t[]> owned(dims);
  Dims shape(dims, dims + count);
  if (element_count(shape) > tensor.elements) throw Error(ASSAY_INTERNAL, "an output says it is larger than its memory");
  tensor.strides = compact_strides(shape);
  tensor.shape = std::move(shape);
}

}  // namespace

AclnnOperator::AclnnOperator(std::string name, std::vector<Parameter> parameters)
    : name_(std::move(name)), parameters_(std::move(parameters)) {
  for (const Parameter& parameter : parameters_) types_.push_back(ffi_type_of(parameter.type));
  types_.push_back(&ffi_type_pointer);  // workspace size
  types_.push_back(&ffi_type_pointer);  // executor
  if (ffi_prep_cif(&cif_, FFI_DEFAULT_ABI, static_cast<unsigned>(types_.size()), &ffi_type_sint32, types_.data()) != FFI_OK)
    throw Error(ASSAY_INTERNAL, "libffi can't prepare " + name_);
}

bool AclnnOperator::find(const Installation& installation) {
  if (!looked_) {
    plan_ = reinterpret_cast<void (*)()>(installation.find(name_ + "GetWorkspaceSize"));
    launch_ = reinterpret_cast<aclnnLaunch>(installation.find(name_));
    looked_ = true;
  }
  return plan_ != nullptr && launch_ != nullptr;
}

void AclnnOperator::fill(Slot& slot, const Parameter& parameter, const Datum& datum, AclObjects& objects) const {
  const char* const what = parameter.name.c_str();
  slot.pointer = nullptr;
  if (datum.none() && parameter.optional) return;
  switch (parameter.type) {
    case ParameterType::kTensor: slot.pointer = objects.tensor(as_tensor(datum, what)); break;
    case ParameterType::kTensorList: slot.pointer = objects.tensor_list(tensors_of(datum, what)); break;
    case ParameterType::kScalar: slot.pointer = objects.scalar(datum); break;
    case ParameterType::kIntArray: slot.pointer = objects.int_array(datum.none() ? Dims() : as_dims(datum, what)); break;
    case ParameterType::kFloatArray: {
      std::vector<float> values;
      for (const Datum& item : as_list(datum, what)) values.push_back(static_cast<float>(as_real(item, what)));
      slot.pointer = objects.float_array(values);
      break;
    }
    case ParameterType::kBoolArray: {
      std::vector<char> values;
      for (const Datum& item : as_list(datum, what)) values.push_back(as_flag(item, what) ? 1 : 0);
      slot.pointer = objects.bool_array(values);
      break;
    }
    case ParameterType::kInt64: slot.i64 = as_integer(datum, what); break;
    case ParameterType::kUInt64: slot.u64 = static_cast<std::uint64_t>(as_integer(datum, what)); break;
    case ParameterType::kInt32: slot.i64 = fitting<std::int32_t>(datum, what); break;
    case ParameterType::kInt8: slot.i64 = fitting<std::int8_t>(datum, what); break;
    case ParameterType::kBool: slot.u64 = as_flag(datum, what) ? 1 : 0; break;
    case ParameterType::kDouble: slot.f64 = as_real(datum, what); break;
    case ParameterType::kFloat: slot.f32 = static_cast<float>(as_real(datum, what)); break;
    case ParameterType::kDType: slot.i64 = acl_dtype(as_dtype(datum, what)); break;
    case ParameterType::kString: slot.constant = objects.text(as_text(datum, what)); break;
  }
}

void AclnnOperator::run(Device& device, const Installation& installation, std::vector<Datum>& arguments,
                        const std::vector<std::size_t>& late_shape) {
  if (!find(installation)) {
    const std::string symbol = plan_ == nullptr ? name_ + "GetWorkspaceSize" : name_;
    throw Error(ASSAY_UNSUPPORTED, "the operator libraries have no " + symbol);
  }
  AclObjects objects(device.acl());
  std::vector<Slot> slots(parameters_.size());
  std::vector<void*> values(parameters_.size() + 2);
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    fill(slots[i], parameters_[i], arguments[i], objects);
    values[i] = &slots[i];
  }
  std::uint64_t workspace_bytes = 0;
  std::uint64_t* const workspace_out = &workspace_bytes;
  aclOpExecutor* executor = nullptr;
  aclOpExecutor** const executor_out = &executor;
  values[parameters_.size()] = const_cast<std::uint64_t**>(&workspace_out);
  values[parameters_.size() + 1] = const_cast<aclOpExecutor***>(&executor_out);
  ffi_arg code = 0;
  ffi_call(&cif_, plan_, &code, values.data());
  if (static_cast<aclnnStatus>(code) != 0) {
    const AclError error = make_error(device.acl(), static_cast<aclnnStatus>(code), name_ + " refuses the call");
    device.note(error);
    throw error;
  }
  void* workspace = nullptr;
  try {
    workspace = device.workspace(workspace_bytes);
  } catch (const Error&) {
    if (device.acl().aclDestroyAclOpExecutor != nullptr) device.acl().aclDestroyAclOpExecutor(executor);
    throw;
  }
  const aclnnStatus launched = launch_(workspace, workspace_bytes, executor, device.stream());
  if (launched != 0) {
    const AclError error = make_error(device.acl(), launched, name_ + " can't be launched");
    device.note(error);
    throw error;
  }
  if (late_shape.empty()) return;
  device.synchronize(name_);
  for (const std::size_t i : late_shape) {
    DeviceTensor tensor = as_tensor(arguments[i], parameters_[i].name.c_str());
    cut_to_view_shape(device.acl(), static_cast<const aclTensor*>(slots[i].pointer), tensor);
    arguments[i] = std::move(tensor);
  }
}

}  // namespace assay::npu
