/* assay/abi/operator.h: a reference implementation of fused or vendor operators, forward and backward.
 *
 * The host asks an operator plugin for an API that the adapter lacks. The call has the adapter's shape; computation is in double
 * precision whatever `precision` says. */
#ifndef ASSAY_ABI_OPERATOR_H
#define ASSAY_ABI_OPERATOR_H

#include "call.h"
#include "plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_EXT_OPERATOR "assay.operator/1"

typedef struct assay_operator {
  uint32_t struct_size;
  uint32_t reserved0;

  /* The APIs that the component implements, as recorded ("NPU.npu_rms_norm"); borrowed until destroy. [any-thread] */
  const char *const *(ASSAY_CALL *apis)(const assay_instance *self, uint64_t *count);

  /* Runs one call. [instance-serial] ownership of call and out, and errors: as assay_adapter.invoke */
  assay_status(ASSAY_CALL *invoke)(assay_instance *self, const assay_call *call, assay_results *out, assay_error *err);
} assay_operator;

#ifdef __cplusplus
}
#endif

#endif
