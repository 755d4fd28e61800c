// The vendor's argument objects of one call, destroyed with it.
#pragma once

#include <vector>

#include "datum.hpp"

namespace assay::npu {

class AclObjects {
 public:
  explicit AclObjects(const AclFunctions& acl) : acl_(acl) {}
  ~AclObjects();
  AclObjects(const AclObjects&) = delete;
  AclObjects& operator=(const AclObjects&) = delete;

  aclTensor* tensor(const DeviceTensor& tensor);
  aclTensorList* tensor_list(const std::vector<DeviceTensor>& tensors);
  aclScalar* scalar(const Datum& number);
  aclIntArray* int_array(const Dims& values);
  aclFloatArray* float_array(const std::vector<float>& values);
  aclBoolArray* bool_array(const std::vector<char>& values);
  const char* text(const std::string& value);

 private:
  aclTensor* create(const DeviceTensor& tensor);
  template <class T>
  T* kept(T* object, std::vector<T*>& objects, const char* function);

  const AclFunctions& acl_;
  std::vector<aclTensor*> tensors_;
  std::vector<aclTensorList*> tensor_lists_;
  std::vector<aclScalar*> scalars_;
  std::vector<aclIntArray*> int_arrays_;
  std::vector<aclFloatArray*> float_arrays_;
  std::vector<aclBoolArray*> bool_arrays_;
  std::vector<std::string> texts_;
};

}  // namespace assay::npu
