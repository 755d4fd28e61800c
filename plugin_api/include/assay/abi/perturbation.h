/* assay/abi/perturbation.h: makes a slightly changed copy of a tensor. */
#ifndef ASSAY_ABI_PERTURBATION_H
#define ASSAY_ABI_PERTURBATION_H

#include "plugin.h"
#include "tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_EXT_PERTURBATION "assay.perturbation/1"

enum {
  ASSAY_PERTURBATION_IDENTITY = 1u << 0,  /* never changes a value: a control */
  ASSAY_PERTURBATION_ALL_INPUTS = 1u << 1 /* meant for every eligible tensor of a call, not for one at a time */
};

/* Where the changed copy lives and in which type. */
typedef struct assay_perturbed_layout {
  uint32_t struct_size;
  uint32_t reserved0;
  assay_dtype dtype;
  assay_device device;
} assay_perturbed_layout;

typedef struct assay_perturbation {
  uint32_t struct_size;
  uint32_t flags; /* ASSAY_PERTURBATION_* */

  /* Whether the tensor is eligible, and what its copy will be; looks at dtype, shape and device only. [any-thread]
   * input and out are borrowed for the call. errors  ASSAY_UNSUPPORTED: not eligible, the message says why */
  assay_status(ASSAY_CALL *plan)(const assay_instance *self, const assay_tensor *input, assay_perturbed_layout *out,
                                 assay_error *err);

  /* Writes the changed copy. The same input bits and seed give the same output bits for any thread count. [any-thread]
   * input        borrowed for the call; never written
   * seed         of the counter-based generator: element i draws from (seed, i)
   * max_threads  how many threads may be used
   * output       memory of the caller: the planned dtype and device, the input's shape, any strides, not overlapping the input
   * changed      out: how many elements differ from the input in value */
  assay_status(ASSAY_CALL *apply)(const assay_instance *self, const assay_tensor *input, uint64_t seed, uint32_t max_threads,
                                  assay_tensor *output, uint64_t *changed, assay_error *err);
} assay_perturbation;

#ifdef __cplusplus
}
#endif

#endif
