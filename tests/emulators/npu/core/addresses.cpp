// New addresses for a repeatable executor.
#include <string>

#include "core/executor.hpp"

using namespace assay::emulator;

namespace {

bool counts(Role role, bool inputs, bool outputs) {
  return role == Role::kAttribute ? false : role == Role::kIn ? inputs : role == Role::kOut ? outputs : true;
}

// The index-th tensor parameter, of the kinds that count.
aclnnStatus set_address(const char* name, aclOpExecutor* handle, std::size_t index, aclTensor* tensor, void* address, bool inputs,
                        bool outputs) {
  Call call(name);
  if (handle == nullptr || tensor == nullptr) {
    return call.misuse("null-handle", ACLNN_ERR_INNER_NULLPTR, "executor or tensor is null");
  }
  aclOpExecutor* executor = call.live<aclOpExecutor>(handle);
  if (executor == nullptr || call.live<aclTensor>(tensor) == nullptr) {
    return call.code();
  }
  std::size_t seen = 0;
  for (int i = 0; i < executor->op->count; ++i) {
    const Parameter& parameter = executor->op->parameters[i];
    if (parameter.type != Type::kTensor || !counts(parameter.role, inputs, outputs)) {
      continue;
    }
    if (seen++ == index) {
      if (executor->arguments[static_cast<std::size_t>(i)].pointer != tensor) {
        return call.misuse("wrong-handle", ACLNN_ERR_PARAM_INVALID,
                           "parameter '" + std::string(parameter.name) + "' was another tensor in phase 1");
      }
      tensor->data = address;
      return ACLNN_SUCCESS;
    }
  }
  return call.misuse("bad-index", ACLNN_ERR_PARAM_INVALID, "no tensor parameter " + std::to_string(index));
}

aclnnStatus set_member(const char* name, aclOpExecutor* handle, std::size_t relative, aclTensorList* list_handle, void* address) {
  Call call(name);
  if (handle == nullptr || list_handle == nullptr) {
    return call.misuse("null-handle", ACLNN_ERR_INNER_NULLPTR, "executor or list is null");
  }
  aclTensorList* list = call.live<aclTensorList>(list_handle);
  if (call.live<aclOpExecutor>(handle) == nullptr || list == nullptr) {
    return call.code();
  }
  if (relative >= list->members.size()) {
    return call.misuse("bad-index", ACLNN_ERR_PARAM_INVALID, "no member " + std::to_string(relative));
  }
  list->members[relative]->data = address;
  return ACLNN_SUCCESS;
}

}  // namespace

ASSAY_EMULATOR_EXPORT aclnnStatus aclSetTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor, void* address) {
  return set_address("aclSetTensorAddr", executor, index, tensor, address, true, true);
}

ASSAY_EMULATOR_EXPORT aclnnStatus aclSetInputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor,
                                                        void* address) {
  return set_address("aclSetInputTensorAddr", executor, index, tensor, address, true, false);
}

ASSAY_EMULATOR_EXPORT aclnnStatus aclSetOutputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor,
                                                         void* address) {
  return set_address("aclSetOutputTensorAddr", executor, index, tensor, address, false, true);
}

ASSAY_EMULATOR_EXPORT aclnnStatus aclSetDynamicTensorAddr(aclOpExecutor* executor, size_t, const size_t relative,
                                                          aclTensorList* list, void* address) {
  return set_member("aclSetDynamicTensorAddr", executor, relative, list, address);
}

ASSAY_EMULATOR_EXPORT aclnnStatus aclSetDynamicInputTensorAddr(aclOpExecutor* executor, size_t, const size_t relative,
                                                               aclTensorList* list, void* address) {
  return set_member("aclSetDynamicInputTensorAddr", executor, relative, list, address);
}

ASSAY_EMULATOR_EXPORT aclnnStatus aclSetDynamicOutputTensorAddr(aclOpExecutor* executor, size_t, const size_t relative,
                                                                aclTensorList* list, void* address) {
  return set_member("aclSetDynamicOutputTensorAddr", executor, relative, list, address);
}
