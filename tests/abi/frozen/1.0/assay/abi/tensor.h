/* assay/abi/tensor.h: how a tensor crosses the boundary.
 *
 * `assay_dltensor` is field for field DLPack's `DLTensor` (tests/abi asserts it against dlpack.h), under a name of our own so
 * that no framework's copy of dlpack.h can clash. Element i of a tensor lies at
 *   (char *)data + byte_offset + sum(index[d] * strides[d]) * bits * lanes / 8.
 * Readers check device, dtype and lanes first, and accept: strides NULL (compact row-major), negative or zero strides,
 * zero-size tensors with data NULL, 0-d tensors (ndim 0, shape NULL), any alignment, any byte_offset. */
#ifndef ASSAY_ABI_TENSOR_H
#define ASSAY_ABI_TENSOR_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* dtype codes: DLPack's DLDataTypeCode; the ones newer than a given dlpack.h are named here. */
enum {
  ASSAY_DTYPE_INT = 0,
  ASSAY_DTYPE_UINT = 1,
  ASSAY_DTYPE_FLOAT = 2,
  ASSAY_DTYPE_BFLOAT = 4,
  ASSAY_DTYPE_COMPLEX = 5, /* bits of the whole number: complex64 has 64 */
  ASSAY_DTYPE_BOOL = 6,    /* 8 bits; any byte other than 0 means true */
  ASSAY_DTYPE_FLOAT8_E4M3FN = 10,
  ASSAY_DTYPE_FLOAT8_E5M2 = 12
};

/* device types: DLPack's DLDeviceType */
enum {
  ASSAY_DEVICE_CPU = 1,
  ASSAY_DEVICE_CUDA = 2,
  ASSAY_DEVICE_EXTENSION = 12 /* NPUs and other accelerators */
};

typedef struct assay_dtype {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes; /* always 1 today */
} assay_dtype;

typedef struct assay_device {
  int32_t type;
  int32_t id; /* 0 for the CPU */
} assay_device;

typedef struct assay_dltensor {
  void *data;
  assay_device device;
  int32_t ndim;
  assay_dtype dtype;
  int64_t *shape;
  int64_t *strides; /* in elements; NULL: compact row-major */
  uint64_t byte_offset;
} assay_dltensor;

enum { ASSAY_TENSOR_READ_ONLY = 1u << 0 /* the memory must not be written (a mapped file, another owner's data) */ };

typedef struct assay_tensor {
  uint32_t struct_size;
  uint32_t flags; /* ASSAY_TENSOR_* */
  assay_dltensor dl;
  void *owner;                                          /* the allocator's */
  void(ASSAY_CALL *release)(struct assay_tensor *self); /* [any-thread]; NULL: borrowed from whatever holds the tensor */
} assay_tensor;

#ifdef __cplusplus
}
#endif

#endif
