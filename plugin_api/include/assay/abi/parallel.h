/* assay/abi/parallel.h: a host's threads, an extension of the host. A plugin that asks the host for it computes on the threads that
 * the process computes with anyway, instead of starting some beside them. */
#ifndef ASSAY_ABI_PARALLEL_H
#define ASSAY_ABI_PARALLEL_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_EXT_PARALLEL "assay.parallel/1"

typedef struct assay_parallel {
  uint32_t struct_size;
  uint32_t reserved0;

  /* Calls body(context, part) for each part from 0 to before `count`, at the same time where it can, and returns when all have ended.
   * `body` never throws. [any-thread]
   * context  borrowed for the call; given to the body as it is */
  void(ASSAY_CALL *run)(uint64_t count, void(ASSAY_CALL *body)(void *context, uint64_t part), void *context);
} assay_parallel;

#ifdef __cplusplus
}
#endif

#endif
