// The functions of the runtime and the object library that the adapter calls, as a table of pointers filled from an installation.
#pragma once

#include "acl/aclnn.h"
#include "installation.hpp"

namespace assay::npu {

#define ASSAY_ACL_NEEDED(X)                                                                                                       \
  X(aclInit)                                                                                                                      \
  X(aclFinalize)                                                                                                                  \
  X(aclrtGetVersion)                                                                                                              \
  X(aclGetRecentErrMsg)                                                                                                           \
  X(aclrtSetDevice) X(aclrtResetDevice) X(aclrtGetDeviceCount) X(aclrtGetCurrentContext) X(aclrtSetCurrentContext)                \
      X(aclrtCreateStream) X(aclrtDestroyStream) X(aclrtSynchronizeStream) X(aclrtMalloc) X(aclrtFree) X(aclrtMemcpy)             \
          X(aclrtMemset) X(aclCreateTensor) X(aclDestroyTensor) X(aclCreateTensorList) X(aclDestroyTensorList) X(aclCreateScalar) \
              X(aclDestroyScalar) X(aclCreateIntArray) X(aclDestroyIntArray) X(aclCreateFloatArray) X(aclDestroyFloatArray)       \
                  X(aclCreateBoolArray) X(aclDestroyBoolArray) X(aclGetViewShape)

// Newer, older or only for settings: done without where a version lacks them.
#define ASSAY_ACL_OPTIONAL(X)                                                                                                   \
  X(aclrtGetSocName)                                                                                                            \
  X(aclsysGetCANNVersion)                                                                                                       \
  X(aclsysGetVersionStr)                                                                                                        \
  X(aclrtSynchronizeStreamWithTimeout)                                                                                          \
  X(aclrtDestroyStreamForce) X(aclrtResetDeviceForce) X(aclrtSetSysParamOpt) X(aclrtCtxSetSysParamOpt) X(aclrtSetDeviceSatMode) \
      X(aclrtGetMemInfo) X(aclDestroyAclOpExecutor)

struct AclFunctions {
#define ASSAY_ACL_MEMBER(name) decltype(&::name) name = nullptr;
  ASSAY_ACL_NEEDED(ASSAY_ACL_MEMBER)
  ASSAY_ACL_OPTIONAL(ASSAY_ACL_MEMBER)
#undef ASSAY_ACL_MEMBER

  /// Throws Error(ASSAY_UNSUPPORTED) with the names of all needed functions that are missing.
  static AclFunctions of(const Installation& installation);
};

}  // namespace assay::npu
