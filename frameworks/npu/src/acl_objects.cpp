#include "acl_objects.hpp"

#include <memory>

#include "dtypes.hpp"

namespace assay::npu {

namespace {

static_assert(sizeof(bool) == sizeof(char), "a vector of char serves as an array of bool");

/// The layout that frameworks give by rank; most operators don't look at it, those on images do.
aclFormat format_of(const DeviceTensor& tensor) {
  switch (tensor.rank()) {
    case 3: return ACL_FORMAT_NCL;
    case 4: return ACL_FORMAT_NCHW;
    case 5: return ACL_FORMAT_NCDHW;
    default: return ACL_FORMAT_ND;
  }
}

}  // namespace

AclObjects::~AclObjects() {
  for (auto* object : tensor_lists_) acl_.aclDestroyTensorList(object);  // and the tensors in them
  for (auto* object : tensors_) acl_.aclDestroyTensor(object);
  for (auto* object : scalars_) acl_.aclDestroyScalar(object);
  for (auto* object : int_arrays_) acl_.aclDestroyIntArray(object);
  for (auto* object : float_arrays_) acl_.aclDestroyFloatArray(object);
  for (auto* object : bool_arrays_) acl_.aclDestroyBoolArray(object);
}

template <class T>
T* AclObjects::kept(T* object, std::vector<T*>& objects, const char* function) {
  if (object == nullptr) throw make_error(acl_, -1, std::string("describe an argument (") + function + ")");
  objects.push_back(object);
  return object;
}

aclTensor* AclObjects::create(const DeviceTensor& tensor) {
  // The storage is given as one dimension, as frameworks do.
  const std::int64_t storage = tensor.elements;
  return acl_.aclCreateTensor(tensor.shape.data(), tensor.shape.size(), acl_dtype(tensor.dtype), tensor.strides.data(),
                              tensor.offset, format_of(tensor), &storage, 1, tensor.memory.get());
}

aclTensor* AclObjects::tensor(const DeviceTensor& tensor) {
  tensors_.reserve(tensors_.size() + 1);
  return kept(create(tensor), tensors_, "aclCreateTensor");
}

aclTensorList* AclObjects::tensor_list(const std::vector<DeviceTensor>& tensors) {
  const std::size_t before = tensors_.size();
  for (const DeviceTensor& item : tensors) tensor(item);
  tensor_lists_.reserve(tensor_lists_.size() + 1);
  aclTensorList* const list = acl_.aclCreateTensorList(tensors_.data() + before, tensors.size());
  kept(list, tensor_lists_, "aclCreateTensorList");
  tensors_.resize(before);  // the list owns them now
  return list;
}

aclScalar* AclObjects::scalar(const Datum& number) {
  scalars_.reserve(scalars_.size() + 1);
  const auto make = [&](auto value, aclDataType dtype) {
    return kept(acl_.aclCreateScalar(&value, dtype), scalars_, "aclCreateScalar");
  };
  if (const auto* flag = number.get_if<bool>()) return make(*flag, ACL_BOOL);
  if (const auto* integer = number.get_if<std::int64_t>()) return make(*integer, ACL_INT64);
  if (const auto* real = number.get_if<double>()) return make(*real, ACL_DOUBLE);
  if (const auto* complex = number.get_if<std::complex<double>>()) return make(*complex, ACL_COMPLEX128);
  throw Error(ASSAY_INVALID_ARGUMENT, std::string("expected a number, got ") + kind_name(number));
}

aclIntArray* AclObjects::int_array(const Dims& values) {
  int_arrays_.reserve(int_arrays_.size() + 1);
  return kept(acl_.aclCreateIntArray(values.data(), values.size()), int_arrays_, "aclCreateIntArray");
}

aclFloatArray* AclObjects::float_array(const std::vector<float>& values) {
  float_arrays_.reserve(float_arrays_.size() + 1);
  return kept(acl_.aclCreateFloatArray(values.data(), values.size()), float_arrays_, "aclCreateFloatArray");
}

aclBoolArray* AclObjects::bool_array(const std::vector<char>& values) {
  bool_arrays_.reserve(bool_arrays_.size() + 1);
  const auto* const flags = reinterpret_cast<const bool*>(values.data());
  return kept(acl_.aclCreateBoolArray(flags, values.size()), bool_arrays_, "aclCreateBoolArray");
}

const char* AclObjects::text(const std::string& value) {
  constexpr std::size_t kMost = 64;  // parameters of an operator: pointers into the strings stay valid
  texts_.reserve(kMost);
  return texts_.emplace_back(value).c_str();
}

}  // namespace assay::npu
