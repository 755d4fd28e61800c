/* assay/abi/call.h: one operator call and its results; used by adapters and operator plugins.
 *
 * Argument paths name a place in the call: "0" the first positional argument, "0.1" the second item of a list at position 0,
 * "weight" a keyword, "weight.2" an item below it. */
#ifndef ASSAY_ABI_CALL_H
#define ASSAY_ABI_CALL_H

#include "value.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { ASSAY_FORWARD = 0, ASSAY_BACKWARD = 1 };

/* In which floating-point type the callee computes: as recorded, or every floating (and complex) argument converted first. */
enum { ASSAY_PRECISION_AS_RECORDED = 0, ASSAY_PRECISION_FLOAT32 = 1, ASSAY_PRECISION_FLOAT64 = 2 };

enum {
  /* Backward only: return too, under the paths "node.0", "node.1", ..., what the last differentiation step of the API produced,
   * in that step's own order (a tape-based framework records this). Ignored by frameworks without such a step. */
  ASSAY_CALL_NODE_GRADIENTS = 1u << 0
};

typedef struct assay_call {
  uint32_t struct_size;
  int32_t direction; /* ASSAY_FORWARD or ASSAY_BACKWARD */
  const char *api;   /* as recorded, without index and direction: "Functional.linear", "Torch.fft.rfft" */
  int32_t precision; /* ASSAY_PRECISION_* */
  uint32_t flags;    /* ASSAY_CALL_* */
  assay_device device;
  uint64_t seed; /* of the framework's random generators for this call */
  const assay_value *args;
  uint64_t arg_count;
  const assay_named_value *kwargs;
  uint64_t kwarg_count;
  /* Backward only: one value for each output of the forward call, in order; ASSAY_VALUE_NONE where no gradient arrives. */
  const assay_value *grad_outputs;
  uint64_t grad_output_count;
} assay_call;

/* A gradient, or an argument that the call changed in place, by argument path. */
typedef struct assay_path_value {
  const char *path;
  assay_value value;
} assay_path_value;

/* Allocated and sized by the caller (other fields zero), filled by the callee on success only, freed through `release`.
 * Everything inside is borrowed from the results until then. Arguments of the call are never written: an API that works in place
 * runs on a copy. */
typedef struct assay_results {
  uint32_t struct_size;
  uint32_t reserved0;
  const assay_value *outputs; /* forward: a single return value is a list of 1; a returned tuple or list gives one entry an item */
  uint64_t output_count;
  const assay_path_value *gradients; /* backward: one for each floating or complex tensor of the call, NONE if none reached it */
  uint64_t gradient_count;
  const assay_path_value *mutated; /* arguments whose memory the call changed, with the new value */
  uint64_t mutated_count;
  const char *const *notes; /* one line each, for the row: "computed in float32, no half kernel" */
  uint64_t note_count;
  void *private_data;
  void(ASSAY_CALL *release)(struct assay_results *self); /* [any-thread] */
} assay_results;

#ifdef __cplusplus
}
#endif

#endif
