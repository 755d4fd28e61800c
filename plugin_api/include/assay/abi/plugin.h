/* assay/abi/plugin.h: what a plugin exports, and the lifecycle of its components.
 *
 * A plugin is a shared object with one exported symbol and a manifest.json beside it. The host calls, in this order:
 *   assay_plugin_entry -> init -> component.create -> get_extension ... -> instance.destroy -> deinit. */
#ifndef ASSAY_ABI_PLUGIN_H
#define ASSAY_ABI_PLUGIN_H

#include "base.h"
#include "host.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_KIND_ADAPTER "adapter"
#define ASSAY_KIND_COMPARISON "comparison"
#define ASSAY_KIND_PERTURBATION "perturbation"
#define ASSAY_KIND_OPERATOR "operator"

#define ASSAY_PLUGIN_ENTRY_SYMBOL "assay_plugin_entry"

typedef struct assay_instance {
  uint32_t struct_size;
  uint32_t reserved0;
  void *impl; /* the plugin's */

  /* Frees the instance; tensors and results that it gave must have been released before. [instance-serial] */
  void(ASSAY_CALL *destroy)(struct assay_instance *self);

  /* The table of a capability ("assay.adapter/1", "assay.comparison/1", a third party's "com.example.thing/1"), borrowed until
   * destroy; NULL: not supported. Matches the whole id. [any-thread] */
  const void *(ASSAY_CALL *get_extension)(const struct assay_instance *self, const char *id);
} assay_instance;

typedef struct assay_component {
  uint32_t struct_size;
  uint32_t reserved0;
  const char *id;            /* "assay.torch", "com.example.add-noise"; static, like all strings here */
  const char *kind;          /* ASSAY_KIND_* */
  const char *version;       /* of the component */
  const char *description;   /* one line */
  const char *config_schema; /* JSON Schema (draft 4) of `config_json` */

  /* Creates an instance. [any-thread]
   * host         borrowed; outlives the instance
   * config_json  borrowed for the call; already valid against config_schema; never NULL ("{}" when nothing is configured)
   * out          owned by the caller, freed by (*out)->destroy; untouched on error
   * errors       ASSAY_INVALID_ARGUMENT, ASSAY_OUT_OF_MEMORY, ASSAY_UNSUPPORTED (device or framework missing) */
  assay_status(ASSAY_CALL *create)(const assay_host *host, const char *config_json, assay_instance **out, assay_error *err);
} assay_component;

typedef struct assay_plugin {
  uint32_t struct_size;
  uint32_t abi_major;
  uint32_t abi_minor; /* the lowest minor that the plugin needs of the host */
  uint32_t reserved0;
  const char *id;      /* static */
  const char *version; /* static */

  /* Called once before any component is created; `host` is borrowed, valid until deinit returns. [init-thread] errors: any */
  assay_status(ASSAY_CALL *init)(const assay_host *host, assay_error *err);
  /* Called once, after the last instance is destroyed; not called if init failed. [init-thread] */
  void(ASSAY_CALL *deinit)(void);

  uint64_t component_count;
  const assay_component *const *components; /* static */
} assay_plugin;

/* The only exported symbol. No side effects, no allocation; NULL if this major is not supported. [any-thread] */
ASSAY_EXPORT const assay_plugin *ASSAY_CALL assay_plugin_entry(uint32_t host_abi_major);

#ifdef __cplusplus
}
#endif

#endif
