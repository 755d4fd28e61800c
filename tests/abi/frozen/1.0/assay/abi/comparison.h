/* assay/abi/comparison.h: metrics over a pair of tensors, several in one pass. */
#ifndef ASSAY_ABI_COMPARISON_H
#define ASSAY_ABI_COMPARISON_H

#include "plugin.h"
#include "tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_EXT_COMPARISON "assay.comparison/1"

/* What the numbers of a metric are. */
enum {
  ASSAY_METRIC_SCALAR = 0,
  ASSAY_METRIC_COUNT = 1,     /* a whole number >= 0 */
  ASSAY_METRIC_INDEX = 2,     /* row-major element index, -1: none */
  ASSAY_METRIC_HISTOGRAM = 3, /* `length` counts */
  ASSAY_METRIC_FLAG = 4       /* 0 or 1 */
};

enum { ASSAY_BETTER_LOWER = 0, ASSAY_BETTER_HIGHER = 1, ASSAY_BETTER_NEITHER = 2 };

typedef struct assay_metric_info {
  uint32_t struct_size;
  int32_t kind;            /* ASSAY_METRIC_* */
  int32_t better;          /* ASSAY_BETTER_* */
  uint32_t length;         /* how many numbers: 1 for a scalar, the bins of a histogram, k for the k worst elements */
  const char *name;        /* snake_case, unique in the component: "max_abs_error"; static */
  const char *unit;        /* "1", "ulp", "bit", "element"; static */
  const char *description; /* formula in one line; static */
} assay_metric_info;

/* The pair to compare. Both have the same shape; dtypes may differ (each component says what it accepts). */
typedef struct assay_pair {
  uint32_t struct_size;
  uint32_t max_threads;         /* how many threads the component may use; results do not depend on it */
  const assay_tensor *actual;   /* the tensor under test; borrowed for the call */
  const assay_tensor *expected; /* borrowed for the call */
  const char *api;              /* "Functional.linear"; borrowed for the call; may be NULL */
} assay_pair;

typedef struct assay_comparison {
  uint32_t struct_size;
  uint32_t reserved0;

  /* The metrics of this instance, in the order of `compare`'s numbers; borrowed until destroy. [any-thread] */
  const assay_metric_info *const *(ASSAY_CALL *metrics)(const assay_instance *self, uint64_t *count);

  /* Computes every metric of the pair in one walk. [any-thread]
   * values     out, sized by the caller: the sum of all lengths, in order of `metrics`
   * available  out, sized by the caller: one byte a metric; 0: the metric has no value for this pair (the values are then NaN)
   * errors     ASSAY_INVALID_ARGUMENT (shapes differ), ASSAY_UNSUPPORTED (dtype or device), ASSAY_OUT_OF_MEMORY */
  assay_status(ASSAY_CALL *compare)(const assay_instance *self, const assay_pair *pair, double *values, uint8_t *available,
                                    assay_error *err);
} assay_comparison;

#ifdef __cplusplus
}
#endif

#endif
