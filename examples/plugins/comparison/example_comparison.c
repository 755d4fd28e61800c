/* A metric in plain C: the mean of actual - expected, a bias that absolute errors don't show. */
#include <stdlib.h>
#include <string.h>

#include "assay/abi/comparison.h"
#define ID "com.example.example-comparison"
#define SCHEMA "{\"type\": \"object\", \"additionalProperties\": false}"

static const assay_metric_info mean_error = {
    sizeof mean_error, ASSAY_METRIC_SCALAR, ASSAY_BETTER_NEITHER, 1, "mean_signed_error", "1", "mean of actual - expected"};
static const assay_metric_info* const metric_list[] = {&mean_error};
static const assay_metric_info* const* metrics(const assay_instance* self, uint64_t* count) {
  return (void)self, *count = 1, metric_list;
}
static assay_status fail(assay_error* err, assay_status code, const char* message) {
  if (err != NULL && ASSAY_HAS(assay_error, err, release)) err->code = code, err->message = message, err->release = NULL;
  return code;
}
static int readable(const assay_dltensor* t) {
  return t->device.type == ASSAY_DEVICE_CPU && t->dtype.code == ASSAY_DTYPE_FLOAT && t->dtype.lanes == 1 && t->dtype.bits == 32;
}
/* The element at a row-major index: strides may be absent, negative or zero, and memory unaligned. */
static double element(const assay_dltensor* t, int64_t index) {
  int64_t offset = 0, compact = 1;
  for (int32_t d = t->ndim - 1; d >= 0; compact *= t->shape[d], index /= t->shape[d], --d)
    offset += index % t->shape[d] * (t->strides != NULL ? t->strides[d] : compact);
  float value;
  memcpy(&value, (const char*)t->data + t->byte_offset + offset * (int64_t)sizeof value, sizeof value);
  return (double)value;
}
static assay_status compare(const assay_instance* self, const assay_pair* pair, double* values, uint8_t* available,
                            assay_error* err) {
  const assay_dltensor *const actual = &pair->actual->dl, *const expected = &pair->expected->dl;
  int64_t count = 1;
  if (!readable(actual) || !readable(expected)) return fail(err, ASSAY_UNSUPPORTED, "needs float32 on the CPU");
  if (actual->ndim != expected->ndim) return fail(err, ASSAY_INVALID_ARGUMENT, "shapes differ");
  for (int32_t d = 0; d < actual->ndim; count *= actual->shape[d++])
    if (actual->shape[d] != expected->shape[d]) return fail(err, ASSAY_INVALID_ARGUMENT, "shapes differ");
  values[0] = 0;
  for (int64_t i = 0; i < count; ++i) values[0] += (element(actual, i) - element(expected, i)) / (double)count;
  return (void)self, available[0] = 1, ASSAY_OK;
}
static const assay_comparison table = {sizeof table, 0, metrics, compare};
static const void* get_extension(const assay_instance* self, const char* id) {
  return (void)self, strcmp(id, ASSAY_EXT_COMPARISON) == 0 ? &table : NULL;
}
static void destroy(assay_instance* self) { free(self); }
static assay_status create(const assay_host* host, const char* config_json, assay_instance** out, assay_error* err) {
  assay_instance* const instance = malloc(sizeof *instance);
  if (instance == NULL) return fail(err, ASSAY_OUT_OF_MEMORY, "out of memory");
  *instance = (assay_instance){sizeof *instance, 0, NULL, destroy, get_extension};
  return (void)host, (void)config_json, *out = instance, ASSAY_OK;
}
static const assay_component only = {sizeof only, 0, ID, ASSAY_KIND_COMPARISON, "1.0.0", "mean signed error", SCHEMA, create};
static const assay_component* const components[] = {&only};
static const assay_plugin plugin = {sizeof plugin, ASSAY_ABI_MAJOR, 0, 0, ID, "1.0.0", NULL, NULL, 1, components};
ASSAY_EXPORT const assay_plugin* ASSAY_CALL assay_plugin_entry(uint32_t major) { return major == ASSAY_ABI_MAJOR ? &plugin : NULL; }
