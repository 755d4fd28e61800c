/* assay/abi/base.h: version, status codes, errors and strings that every other header of the boundary uses.
 *
 *   assay_error error = {sizeof error};
 *   if (table->compare(instance, &pair, &result, &error) != ASSAY_OK) {
 *     fprintf(stderr, "%s\n", error.message);
 *     if (error.release) error.release(&error);
 *   }
 *
 * Rules for everything under assay/abi:
 *   - a struct that crosses starts with `struct_size`, set by the side that allocates it; fields are only appended;
 *   - `reserved` fields are 0; text is UTF-8 and NUL-terminated; blobs carry a size;
 *   - nothing throws through the boundary; whoever allocates frees, through `release` or `destroy`;
 *   - every function names its thread rule: [any-thread], [instance-serial] (any thread, never two calls at once on one
 *     instance) or [init-thread] (the thread that loaded the plugin).
 * ABI 1.0, frozen; docs/abi.md says how it grows. What isn't marked `since` is in it since 1.0. */
#ifndef ASSAY_ABI_BASE_H
#define ASSAY_ABI_BASE_H

#include <stddef.h>
#include <stdint.h>

#define ASSAY_ABI_MAJOR 1u /* layout; a host loads only its own major */
#define ASSAY_ABI_MINOR 0u /* appended fields, new extensions */

#define ASSAY_CALL
#define ASSAY_EXPORT __attribute__((visibility("default")))

/* Whether the struct behind `p` is large enough to hold `field`: ask before reading a field newer than x.0. */
#define ASSAY_HAS(type, p, field) ((p)->struct_size >= offsetof(type, field) + sizeof((p)->field))

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t assay_status; /* enum sizes vary: integers with named values */
enum {
  ASSAY_OK = 0,
  ASSAY_INVALID_ARGUMENT = 1, /* the caller's input is wrong: an argument, a config value, a call that fits no overload */
  ASSAY_NOT_FOUND = 2,        /* no API, component or file of that name */
  ASSAY_UNSUPPORTED = 3,      /* a right request that this build, framework or device can't do */
  ASSAY_OUT_OF_MEMORY = 4,
  ASSAY_CANCELLED = 5,
  ASSAY_INTERNAL = 6 /* a defect of the callee or of the framework behind it */
};

/* Allocated and sized by the caller, filled by the callee on failure only, freed by the caller through `release`.
 * A function's `err` may be NULL: the caller wants no detail. */
typedef struct assay_error {
  uint32_t struct_size; /* in */
  assay_status code;    /* out */
  const char *message;  /* out; a lowercase fragment that fits after "cannot ...:"; owned by the error, valid until release */
  void *private_data;   /* callee's */
  void(ASSAY_CALL *release)(struct assay_error *self); /* out; NULL: nothing to free; [any-thread] */
} assay_error;

/* Text or bytes with a size: not NUL-terminated, may hold zero bytes. data may be NULL when size is 0. */
typedef struct assay_string {
  const char *data;
  uint64_t size; /* bytes */
} assay_string;

#ifdef __cplusplus
}
#endif

#endif
