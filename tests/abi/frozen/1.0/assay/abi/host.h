/* assay/abi/host.h: what the host offers to a plugin. */
#ifndef ASSAY_ABI_HOST_H
#define ASSAY_ABI_HOST_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  ASSAY_LOG_TRACE = 0,
  ASSAY_LOG_DEBUG = 1,
  ASSAY_LOG_INFO = 2,
  ASSAY_LOG_WARN = 3,
  ASSAY_LOG_ERROR = 4,
  ASSAY_LOG_HOST_MISBEHAVING = 5,
  ASSAY_LOG_PLUGIN_MISBEHAVING = 6
};

typedef struct assay_host {
  uint32_t struct_size;
  uint32_t abi_major;
  uint32_t abi_minor;
  uint32_t reserved0;
  const char *name;    /* static */
  const char *version; /* static */
  void *impl;          /* the host's */

  /* Writes one line to the host's log; plugins never write to stdout or stderr themselves. [any-thread]
   * component  borrowed for the call; the component's id
   * message    borrowed for the call; one line, no newline at the end */
  void(ASSAY_CALL *log)(const struct assay_host *host, int32_t level, const char *component, const char *message);

  /* A table of the host's extension `id`, or NULL: not supported. Static. [any-thread] */
  const void *(ASSAY_CALL *get_extension)(const struct assay_host *host, const char *id);
} assay_host;

#ifdef __cplusplus
}
#endif

#endif
