/* assay/abi/value.h: one argument or result of an operator call, as a tagged union.
 *
 * Pointers inside a value are borrowed from whatever holds it: a value of an `assay_call` is valid for the call, a value of an
 * `assay_results` until its release. Lists and tuples nest; depth is at most ASSAY_VALUE_MAX_DEPTH. */
#ifndef ASSAY_ABI_VALUE_H
#define ASSAY_ABI_VALUE_H

#include "tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { ASSAY_VALUE_MAX_DEPTH = 400 };

enum {
  ASSAY_VALUE_NONE = 0,
  ASSAY_VALUE_BOOL = 1,
  ASSAY_VALUE_INT = 2,
  ASSAY_VALUE_FLOAT = 3,
  ASSAY_VALUE_COMPLEX = 4,
  ASSAY_VALUE_STRING = 5,
  ASSAY_VALUE_DTYPE = 6,
  ASSAY_VALUE_DEVICE = 7,
  ASSAY_VALUE_SLICE = 8,
  ASSAY_VALUE_ELLIPSIS = 9,
  ASSAY_VALUE_TENSOR = 10,
  ASSAY_VALUE_LIST = 11,
  ASSAY_VALUE_TUPLE = 12,
  ASSAY_VALUE_DICT = 13,
  ASSAY_VALUE_MEMORY_FORMAT = 14 /* `string`: contiguous_format, channels_last, channels_last_3d, preserve_format */
};

typedef struct assay_complex {
  double real;
  double imag;
} assay_complex;

/* A Python slice; a bound that is absent has its bit in `present` clear. */
enum { ASSAY_SLICE_START = 1u << 0, ASSAY_SLICE_STOP = 1u << 1, ASSAY_SLICE_STEP = 1u << 2 };
typedef struct assay_slice {
  int64_t start;
  int64_t stop;
  int64_t step;
  uint32_t present; /* ASSAY_SLICE_* */
  uint32_t reserved0;
} assay_slice;

struct assay_value;
struct assay_named_value;

typedef struct assay_sequence {
  const struct assay_value *items;
  uint64_t size;
} assay_sequence;

typedef struct assay_dict {
  const struct assay_named_value *items; /* in recorded order */
  uint64_t size;
} assay_dict;

typedef struct assay_value {
  int32_t kind; /* ASSAY_VALUE_* */
  uint32_t reserved0;
  union {
    int32_t boolean; /* 0 or 1 */
    int64_t integer;
    double real;
    assay_complex complex;
    assay_string string; /* STRING and MEMORY_FORMAT */
    assay_dtype dtype;
    assay_device device;
    assay_slice slice;
    const assay_tensor *tensor;
    assay_sequence sequence; /* LIST and TUPLE */
    assay_dict dict;
  } as;
} assay_value;

typedef struct assay_named_value {
  const char *name;
  assay_value value;
} assay_named_value;

#ifdef __cplusplus
}
#endif

#endif
