/* assay/watch.h: free benchmarking inside a running job. Link or preload libassay_watch, then
 *
 *   char message[512];
 *   if (assay_watch_start("{\"budget\": \"5%\"}", "watch-out", message, sizeof message) != ASSAY_WATCH_OK) fputs(message, stderr);
 *   for (...) {
 *     train one step
 *     assay_watch_step();
 *   }
 *   assay_watch_stop();
 *
 * The library is for the one version of LibTorch that it was built with. */
#ifndef ASSAY_WATCH_H
#define ASSAY_WATCH_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define ASSAY_WATCH_API __attribute__((visibility("default")))
#else
#define ASSAY_WATCH_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The values of assay_status (assay/abi/base.h). */
enum { ASSAY_WATCH_OK = 0, ASSAY_WATCH_INVALID_ARGUMENT = 1, ASSAY_WATCH_INTERNAL = 6 };

typedef struct assay_watch_numbers {
  uint32_t struct_size; /* in */
  int32_t active;       /* 1 between start and stop, unless this rank is left out */
  int64_t step;         /* the current one */
  uint64_t operators;   /* outermost operators seen */
  uint64_t checked;     /* checks made */
  uint64_t skipped;     /* operators that can't be checked */
  uint64_t findings;    /* rows that are not "pass" */
  uint64_t kinds;       /* distinct operator, shapes and types */
  uint64_t kinds_checked;
  int64_t covered_after; /* steps after which all kinds had been checked; -1: not yet */
  double cost_share;     /* time of the watch over time of the job without it */
} assay_watch_numbers;

/* Where the running job's own code is ("train.py:42 (forward)"): written as text of at most `size` bytes, 0 at its end. */
typedef void (*assay_watch_call_site)(char *out, size_t size);

/* The version of LibTorch that the library was built with: "2.15.0". Static. */
ASSAY_WATCH_API const char *assay_watch_torch_version(void);

/* Starts the watch for the calling thread and, through autograd, for the threads that run its backward pass.
 * config_json  a document of configs/schemas/watch.schema.json, or MindStudio Probe's config.json; NULL or "": what is shipped
 * out          folder of the results; one folder rank<N> in it for each rank (RANK, else LOCAL_RANK, else 0)
 * message      out, may be NULL: what is wrong if it is
 * errors       ASSAY_WATCH_INVALID_ARGUMENT: configuration, folder, or a watch is running */
ASSAY_WATCH_API int32_t assay_watch_start(const char *config_json, const char *out, char *message, size_t message_size);

/* The end of a training step: rows are handed to the kernel. */
ASSAY_WATCH_API int32_t assay_watch_step(void);

/* The end of the watch; writes summary.json. Nothing happens if none is running. */
ASSAY_WATCH_API int32_t assay_watch_stop(void);

/* Watches (1) or leaves (0) the calling thread: for threads that the job makes itself. */
ASSAY_WATCH_API void assay_watch_thread(int32_t on);

/* Between pause(1) and pause(0), nothing is checked or counted: warm-up and dummy calls. For all threads. */
ASSAY_WATCH_API void assay_watch_pause(int32_t on);

/* The module whose code the calling thread runs: a name to enter it, NULL to leave the innermost one. */
ASSAY_WATCH_API void assay_watch_module(const char *name);

/* How to find the call site; NULL: from the C++ stack. */
ASSAY_WATCH_API void assay_watch_set_call_site(assay_watch_call_site function);

/* A remark for summary.json, such as what the watch can't see. */
ASSAY_WATCH_API void assay_watch_note(const char *text);

ASSAY_WATCH_API void assay_watch_get_numbers(assay_watch_numbers *out);

#ifdef __cplusplus
}
#endif

#endif
