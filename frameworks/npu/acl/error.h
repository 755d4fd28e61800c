/* Named codes of aclError and aclnnStatus. */
#ifndef ASSAY_NPU_ACL_ERROR_H
#define ASSAY_NPU_ACL_ERROR_H

enum {
  ACL_SUCCESS = 0,
  ACLNN_SUCCESS = 0,
#define ASSAY_ACL_ERROR(name, value) name = value,
#include "errors.def"
#undef ASSAY_ACL_ERROR
};

#endif
