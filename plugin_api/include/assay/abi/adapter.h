/* assay/abi/adapter.h: an adapter opens a framework and runs its APIs by recorded name. */
#ifndef ASSAY_ABI_ADAPTER_H
#define ASSAY_ABI_ADAPTER_H

#include "call.h"
#include "plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_EXT_ADAPTER "assay.adapter/1"
#define ASSAY_EXT_MEMORY_STATS "assay.memory-stats/1"

typedef struct assay_adapter_info {
  uint32_t struct_size; /* in */
  uint32_t reserved0;
  const char *framework; /* "LibTorch"; borrowed until the instance is destroyed, like the rest */
  const char *version;   /* of the framework */
  const char *details;   /* one line: BLAS, vector width, path of the interpreter, ... */
  const assay_device *devices;
  uint64_t device_count;
} assay_adapter_info;

typedef struct assay_adapter {
  uint32_t struct_size;
  uint32_t reserved0;

  /* Which framework this is; what `out` points to is borrowed until destroy. [instance-serial] errors: ASSAY_INTERNAL */
  assay_status(ASSAY_CALL *describe)(assay_instance *self, assay_adapter_info *out, assay_error *err);

  /* Whether the API can be run in that direction; cheap, makes no call; `api` is borrowed for the call. [instance-serial]
   * errors  ASSAY_NOT_FOUND (no such API), ASSAY_UNSUPPORTED; the message is the reason a user reads */
  assay_status(ASSAY_CALL *supports)(assay_instance *self, const char *api, int32_t direction, assay_error *err);

  /* Runs one call; work on the results' memory is finished when it returns. [instance-serial]
   * call    borrowed for the call
   * out     sized by the caller, filled on success only, freed by its `release`
   * errors  ASSAY_NOT_FOUND, ASSAY_UNSUPPORTED (no kernel, not differentiable), ASSAY_INVALID_ARGUMENT (fits no overload, the
   *         framework refused the values), ASSAY_OUT_OF_MEMORY, ASSAY_INTERNAL */
  assay_status(ASSAY_CALL *invoke)(assay_instance *self, const assay_call *call, assay_results *out, assay_error *err);
} assay_adapter;

typedef struct assay_memory_stats {
  uint32_t struct_size;
  uint32_t reserved0;
  /* Bytes that the framework's allocator holds now, and the most since the last reset. Both functions: [instance-serial] */
  assay_status(ASSAY_CALL *read)(assay_instance *self, uint64_t *current_bytes, uint64_t *peak_bytes, assay_error *err);
  void(ASSAY_CALL *reset_peak)(assay_instance *self);
} assay_memory_stats;

#ifdef __cplusplus
}
#endif

#endif
