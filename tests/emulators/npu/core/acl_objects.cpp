// Arguments of operators: tensors, scalars, arrays, lists.
#include <cstring>
#include <numeric>
#include <string>

#include "core/process.hpp"

using namespace assay::emulator;

namespace {

constexpr std::uint64_t kMostDims = 64;

void fill(aclTensor& tensor, const int64_t* dims, uint64_t rank, aclDataType dtype, const int64_t* strides, int64_t offset,
          aclFormat format, const int64_t* storage, uint64_t storage_rank, void* data) {
  tensor.dtype = dtype;
  tensor.format = format;
  tensor.offset = offset;
  tensor.data = data;
  tensor.shape.assign(dims, dims + rank);
  tensor.storage.assign(storage, storage + storage_rank);
  tensor.strides.assign(rank, 1);
  if (strides != nullptr) {
    tensor.strides.assign(strides, strides + rank);
    return;
  }
  for (std::size_t i = rank; i-- > 1;) {
    tensor.strides[i - 1] = tensor.strides[i] * tensor.shape[i];
  }
}

bool bad_dims(const int64_t* dims, uint64_t rank, const int64_t* storage, uint64_t storage_rank) {
  return (dims == nullptr && rank > 0) || (storage == nullptr && storage_rank > 0) || rank > kMostDims || storage_rank > kMostDims;
}

// The use that executors and pending work make of an object ends with it.
aclnnStatus destroy(Call& call, Object* object, bool by_list) {
  if (object->users > 0) {
    call.misuse("destroyed-in-use", ACL_SUCCESS,
                std::string(name_of(object->kind)) + " is destroyed while an executor or pending work needs it");
  }
  if (object->in_list && !by_list) {
    call.misuse("destroyed-in-list", ACL_SUCCESS, std::string(name_of(object->kind)) + " belongs to a list, which destroys it");
  }
  process().remove(object);
  return ACLNN_SUCCESS;
}

template <class T>
aclnnStatus destroy_one(const char* name, const T* handle) {
  Call call(name);
  if (handle == nullptr) {
    return ACLNN_SUCCESS;
  }
  T* object = call.live<T>(handle);
  return object != nullptr ? destroy(call, object, false) : call.code();
}

template <class T>
aclnnStatus destroy_list(const char* name, const T* handle) {
  Call call(name);
  if (handle == nullptr) {
    return ACLNN_SUCCESS;
  }
  T* list = call.live<T>(handle);
  if (list == nullptr) {
    return call.code();
  }
  for (auto* member : list->members) {
    if (process().live.count(member) == 0) {
      call.misuse("destroyed-in-list", ACL_SUCCESS, "a member of the list was destroyed by hand");
      continue;
    }
    destroy(call, member, true);
  }
  return destroy(call, list, false);
}

template <class List, class Member>
List* make_list(const char* name, const Member* const* members, uint64_t size) {
  Call call(name);
  if (members == nullptr && size > 0) {
    call.misuse("null-pointer", ACLNN_ERR_PARAM_NULLPTR, "the members are null");
    return nullptr;
  }
  auto* list = new List;
  for (uint64_t i = 0; i < size; ++i) {
    Member* member = call.live<Member>(members[i]);
    if (member == nullptr) {
      delete list;
      return nullptr;
    }
    list->members.push_back(member);
  }
  for (Member* member : list->members) {
    if (member->in_list) {
      call.misuse("destroyed-in-list", ACL_SUCCESS, "a member is in another list already");
    }
    member->in_list = true;
  }
  return process().add(list);
}

template <class Array, class Element>
Array* make_array(const char* name, const Element* values, uint64_t size) {
  Call call(name);
  if (values == nullptr && size > 0) {
    call.misuse("null-pointer", ACLNN_ERR_PARAM_NULLPTR, "the values are null");
    return nullptr;
  }
  auto* array = new Array;
  array->values.assign(values, values + size);
  return process().add(array);
}

template <class T>
aclnnStatus size_of(const char* name, const T* handle, uint64_t* size, std::size_t (*count)(const T&)) {
  Call call(name);
  if (handle == nullptr || size == nullptr) {
    return call.misuse("null-pointer", ACLNN_ERR_PARAM_NULLPTR, "an argument is null");
  }
  const T* object = call.live<T>(handle);
  if (object == nullptr) {
    return call.code();
  }
  *size = count(*object);
  return ACLNN_SUCCESS;
}

// The tensor of a question about it; null after a report.
const aclTensor* asked(Call& call, const aclTensor* handle, const void* result) {
  if (handle == nullptr || result == nullptr) {
    call.misuse("null-pointer", ACLNN_ERR_PARAM_NULLPTR, "an argument is null");
    return nullptr;
  }
  return call.live<aclTensor>(handle);
}

aclnnStatus give_dims(Call& call, const aclTensor* handle, Shape aclTensor::*dims, int64_t** result, uint64_t* count) {
  const aclTensor* tensor = asked(call, handle, result != nullptr ? static_cast<const void*>(count) : nullptr);
  if (tensor == nullptr) {
    return call.code();
  }
  if (tensor->shape_pending) {
    return call.misuse("shape-before-synchronize", ACLNN_ERR_PARAM_INVALID,
                       "the shape depends on data that pending work has yet to compute");
  }
  const Shape& values = tensor->*dims;
  // The interface says that the caller deletes it with delete[].
  *result = new int64_t[values.size() + 1];
  std::copy(values.begin(), values.end(), *result);
  *count = values.size();
  return ACLNN_SUCCESS;
}

}  // namespace

ASSAY_EMULATOR_EXPORT aclTensor* aclCreateTensor(const int64_t* dims, uint64_t rank, aclDataType dtype, const int64_t* strides,
                                                 int64_t offset, aclFormat format, const int64_t* storage, uint64_t storage_rank,
                                                 void* data) {
  Call call("aclCreateTensor");
  if (bad_dims(dims, rank, storage, storage_rank)) {
    call.misuse("null-pointer", ACLNN_ERR_PARAM_NULLPTR, "dimensions are null");
    return nullptr;
  }
  auto* tensor = new aclTensor;
  fill(*tensor, dims, rank, dtype, strides, offset, format, storage, storage_rank, data);
  return process().add(tensor);
}

ASSAY_EMULATOR_EXPORT aclnnStatus aclInitTensor(aclTensor* handle, const int64_t* dims, uint64_t rank, aclDataType dtype,
                                                const int64_t* strides, int64_t offset, aclFormat format, const int64_t* storage,
                                                uint64_t storage_rank, void* data) {
  Call call("aclInitTensor");
  aclTensor* tensor = call.live<aclTensor>(handle);
  if (tensor == nullptr) {
    return call.code();
  }
  if (bad_dims(dims, rank, storage, storage_rank)) {
    return call.misuse("null-pointer", ACLNN_ERR_PARAM_NULLPTR, "dimensions are null");
  }
  fill(*tensor, dims, rank, dtype, strides, offset, format, storage, storage_rank, data);
  return ACLNN_SUCCESS;
}

ASSAY_EMULATOR_EXPORT aclnnStatus aclDestroyTensor(const aclTensor* tensor) { return destroy_one("aclDestroyTensor", tensor); }

ASSAY_EMULATOR_EXPORT aclTensorList* aclCreateTensorList(const aclTensor* const* members, uint64_t size) {
  return make_list<aclTensorList, aclTensor>("aclCreateTensorList", members, size);
}

ASSAY_EMULATOR_EXPORT aclnnStatus aclDestroyTensorList(const aclTensorList* list) {
  return destroy_list("aclDestroyTensorList", list);
}

ASSAY_EMULATOR_EXPORT aclnnStatus aclGetTensorListSize(const aclTensorList* list, uint64_t* size) {
  return size_of<aclTensorList>("aclGetTensorListSize", list, size, [](const aclTensorList& it) { return it.members.size(); });
}

ASSAY_EMULATOR_EXPORT aclScalar* aclCreateScalar(void* value, aclDataType dtype) {
  Call call("aclCreateScalar");
  if (value == nullptr || item_size(dtype) == 0) {
    call.misuse("null-pointer", ACLNN_ERR_PARAM_NULLPTR, "the value is null, or its dtype isn't one of numbers");
    return nullptr;
  }
  if (dtype == ACL_BOOL && *static_cast<const uint8_t*>(value) > 1) {
    call.misuse("dirty-bits", ACL_SUCCESS, "a bool holds another value than 0 and 1");
  }
  auto* scalar = new aclScalar;
  scalar->dtype = dtype;
  std::memcpy(scalar->value.data(), value, item_size(dtype));
  return process().add(scalar);
}

ASSAY_EMULATOR_EXPORT aclnnStatus aclDestroyScalar(const aclScalar* scalar) { return destroy_one("aclDestroyScalar", scalar); }

ASSAY_EMULATOR_EXPORT aclScalarList* aclCreateScalarList(const aclScalar* const* members, uint64_t size) {
  return make_list<aclScalarList, aclScalar>("aclCreateScalarList", members, size);
}

ASSAY_EMULATOR_EXPORT aclnnStatus aclDestroyScalarList(const aclScalarList* list) {
  return destroy_list("aclDestroyScalarList", list);
}

ASSAY_EMULATOR_EXPORT aclnnStatus aclGetScalarListSize(const aclScalarList* list, uint64_t* size) {
  return size_of<aclScalarList>("aclGetScalarListSize", list, size, [](const aclScalarList& it) { return it.members.size(); });
}

ASSAY_EMULATOR_EXPORT aclIntArray* aclCreateIntArray(const int64_t* values, uint64_t size) {
  return make_array<aclIntArray>("aclCreateIntArray", values, size);
}

ASSAY_EMULATOR_EXPORT aclnnStatus aclDestroyIntArray(const aclIntArray* array) { return destroy_one("aclDestroyIntArray", array); }

ASSAY_EMULATOR_EXPORT aclnnStatus aclGetIntArraySize(const aclIntArray* array, uint64_t* size) {
  return size_of<aclIntArray>("aclGetIntArraySize", array, size, [](const aclIntArray& it) { return it.values.size(); });
}

ASSAY_EMULATOR_EXPORT aclFloatArray* aclCreateFloatArray(const float* values, uint64_t size) {
  return make_array<aclFloatArray>("aclCreateFloatArray", values, size);
}

ASSAY_EMULATOR_EXPORT aclnnStatus aclDestroyFloatArray(const aclFloatArray* array) {
  return destroy_one("aclDestroyFloatArray", array);
}

ASSAY_EMULATOR_EXPORT aclnnStatus aclGetFloatArraySize(const aclFloatArray* array, uint64_t* size) {
  return size_of<aclFloatArray>("aclGetFloatArraySize", array, size, [](const aclFloatArray& it) { return it.values.size(); });
}

ASSAY_EMULATOR_EXPORT aclBoolArray* aclCreateBoolArray(const bool* values, uint64_t size) {
  return make_array<aclBoolArray>("aclCreateBoolArray", reinterpret_cast<const uint8_t*>(values), size);
}

ASSAY_EMULATOR_EXPORT aclnnStatus aclDestroyBoolArray(const aclBoolArray* array) {
  return destroy_one("aclDestroyBoolArray", array);
}

ASSAY_EMULATOR_EXPORT aclnnStatus aclGetBoolArraySize(const aclBoolArray* array, uint64_t* size) {
  return size_of<aclBoolArray>("aclGetBoolArraySize", array, size, [](const aclBoolArray& it) { return it.values.size(); });
}

ASSAY_EMULATOR_EXPORT aclnnStatus aclGetViewShape(const aclTensor* tensor, int64_t** dims, uint64_t* rank) {
  Call call("aclGetViewShape");
  return give_dims(call, tensor, &aclTensor::shape, dims, rank);
}

ASSAY_EMULATOR_EXPORT aclnnStatus aclGetStorageShape(const aclTensor* tensor, int64_t** dims, uint64_t* rank) {
  Call call("aclGetStorageShape");
  return give_dims(call, tensor, &aclTensor::storage, dims, rank);
}

ASSAY_EMULATOR_EXPORT aclnnStatus aclGetViewStrides(const aclTensor* tensor, int64_t** strides, uint64_t* rank) {
  Call call("aclGetViewStrides");
  return give_dims(call, tensor, &aclTensor::strides, strides, rank);
}

ASSAY_EMULATOR_EXPORT aclnnStatus aclGetViewOffset(const aclTensor* handle, int64_t* offset) {
  Call call("aclGetViewOffset");
  const aclTensor* tensor = asked(call, handle, offset);
  return tensor == nullptr ? call.code() : (*offset = tensor->offset, ACLNN_SUCCESS);
}

ASSAY_EMULATOR_EXPORT aclnnStatus aclGetFormat(const aclTensor* handle, aclFormat* format) {
  Call call("aclGetFormat");
  const aclTensor* tensor = asked(call, handle, format);
  return tensor == nullptr ? call.code() : (*format = tensor->format, ACLNN_SUCCESS);
}

ASSAY_EMULATOR_EXPORT aclnnStatus aclGetDataType(const aclTensor* handle, aclDataType* dtype) {
  Call call("aclGetDataType");
  const aclTensor* tensor = asked(call, handle, dtype);
  return tensor == nullptr ? call.code() : (*dtype = tensor->dtype, ACLNN_SUCCESS);
}

ASSAY_EMULATOR_EXPORT aclnnStatus aclSetRawTensorAddr(aclTensor* handle, void* address) {
  Call call("aclSetRawTensorAddr");
  aclTensor* tensor = call.live<aclTensor>(handle);
  if (tensor == nullptr) {
    return call.code();
  }
  if (tensor->users > 0) {
    call.misuse("changed-in-use", ACL_SUCCESS, "the address of a tensor changes between the phases");
  }
  tensor->data = address;
  return ACLNN_SUCCESS;
}

ASSAY_EMULATOR_EXPORT aclnnStatus aclGetRawTensorAddr(const aclTensor* handle, void** address) {
  Call call("aclGetRawTensorAddr");
  const aclTensor* tensor = asked(call, handle, address);
  return tensor == nullptr ? call.code() : (*address = tensor->data, ACLNN_SUCCESS);
}
