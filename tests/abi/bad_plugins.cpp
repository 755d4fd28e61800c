// A plugin with one comparison, and, compiled with a definition, the same plugin with one fault. The host must name each of them.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#include "assay/abi/comparison.h"
#include "assay/sdk/tensor.hpp"

namespace {

assay_status fail(assay_error* err, assay_status code, const char* message) {
#if defined(BAD_IGNORES_ERROR_SIZE)
  const bool room = err != nullptr;
#elif defined(BAD_NEEDS_ERROR)
  const bool room = err->struct_size >= sizeof *err;
#else
  const bool room = err != nullptr && err->struct_size >= sizeof *err;
#endif
  if (room) {
    err->code = code;
    err->message = message;
  }
  return code;
}

const assay_metric_info kMetric = {sizeof(assay_metric_info),
                                   ASSAY_METRIC_COUNT,
                                   ASSAY_BETTER_LOWER,
                                   1,
                                   "different_elements",
#if defined(BAD_METRIC_WITHOUT_UNIT)
                                   nullptr,
#else
                                   "element",
#endif
                                   "number of elements that differ in value"};
const assay_metric_info* const kMetrics[] = {&kMetric};

const assay_metric_info* const* metrics(const assay_instance*, std::uint64_t* count) {
  *count = 1;
  return kMetrics;
}

bool readable(const assay_dltensor& dl) {
#if defined(BAD_TRUSTS_EVERY_TENSOR)
  return dl.ndim >= 0;
#else
  return dl.device.type == ASSAY_DEVICE_CPU && assay::dtype_name(dl.dtype) != "unknown";
#endif
}

/// Walks both tensors in row-major order; a fault of the definition comes on top.
double count_differences(const assay::TensorView& actual, const assay::TensorView& expected) {
  double differences = 0;
#if defined(BAD_CRASHES_IN_COMPARE)
  const volatile std::uintptr_t nowhere = 16;
  *reinterpret_cast<volatile int*>(nowhere) = 1;
#elif defined(BAD_HANGS_IN_COMPARE)
  for (;;) ::pause();
#elif defined(BAD_WRITES_INPUT)
  if (actual.numel() > 0) *static_cast<volatile char*>(actual.abi().dl.data) = 0;
#elif defined(BAD_READS_BEYOND)
  if (actual.numel() > 0) differences += 0 * actual.number_at(actual.numel());
#elif defined(BAD_COUNTS_CALLS)
  static double calls = 0;
  differences += ++calls;
#endif
  for (std::int64_t i = 0; i < actual.numel(); ++i) {
#if defined(BAD_IGNORES_STRIDES)
    const std::int64_t left = i;
    const std::int64_t right = i;
#else
    const std::int64_t left = actual.offset_of(i);
    const std::int64_t right = expected.offset_of(i);
#endif
    const bool same = actual.number_at(left) == expected.number_at(right);
    differences += same ? 0 : 1;
  }
  return differences;
}

assay_status compare(const assay_instance*, const assay_pair* pair, double* values, std::uint8_t* available, assay_error* err) {
  if (!readable(pair->actual->dl) || !readable(pair->expected->dl)) return fail(err, ASSAY_UNSUPPORTED, "unknown dtype or device");
  const assay::TensorView actual(*pair->actual);
  const assay::TensorView expected(*pair->expected);
#if !defined(BAD_ACCEPTS_OTHER_SHAPES)
  if (actual.shape() != expected.shape()) return fail(err, ASSAY_INVALID_ARGUMENT, "shapes differ");
#endif
  values[0] = count_differences(actual, expected);
  available[0] = 1;
  return ASSAY_OK;
}

#if defined(BAD_SHORT_TABLE)
const assay_comparison kTable = {8, 0, metrics, compare};
#elif defined(BAD_NULL_SLOT)
const assay_comparison kTable = {sizeof(assay_comparison), 0, metrics, nullptr};
#else
const assay_comparison kTable = {sizeof(assay_comparison), 0, metrics, compare};
#endif

const void* get_extension(const assay_instance*, const char* id) {
#if defined(BAD_NO_TABLE)
  return std::strcmp(id, "") == 0 ? &kTable : nullptr;
#elif defined(BAD_THROWS_IN_GET_EXTENSION)
  throw std::runtime_error(std::string("no ") + id);
#elif defined(BAD_MATCHES_THE_BEGINNING_OF_AN_ID)
  return std::strncmp(id, ASSAY_EXT_COMPARISON, std::strlen(ASSAY_EXT_COMPARISON)) == 0 ? &kTable : nullptr;
#else
  return std::strcmp(id, ASSAY_EXT_COMPARISON) == 0 ? &kTable : nullptr;
#endif
}

void destroy(assay_instance* self) {
  delete self;
#if defined(BAD_THROWS_IN_DESTROY)
  throw std::runtime_error("destroyed too early");
#endif
}

assay_status create(const assay_host* host, const char* config, assay_instance** out, assay_error* err) {
  host->log(host, ASSAY_LOG_DEBUG, "test.zoo", "create");
  if (std::strstr(config, "\"scale\"") != nullptr && std::strstr(config, "[") != nullptr) {
#if defined(BAD_CRASHES_ON_WRONG_CONFIGURATION)
    std::abort();
#endif
    return fail(err, ASSAY_INVALID_ARGUMENT, "scale is a list");
  }
#if defined(BAD_PRINTS)
  std::puts("hello");
#elif defined(BAD_SHARES_ONE_INSTANCE)
  static assay_instance shared{sizeof(assay_instance), 0, nullptr, [](assay_instance*) {}, get_extension};
  *out = &shared;
  return ASSAY_OK;
#endif
#if defined(BAD_THROWS_IN_CREATE)
  throw std::runtime_error("no memory for the model");
#elif defined(BAD_THROWS_A_NUMBER_IN_CREATE)
  throw 42;
#elif defined(BAD_CREATE_FAILS)
  return fail(err, ASSAY_INTERNAL, "the device\nburns");
#elif defined(BAD_CREATE_UNSUPPORTED)
  return fail(err, ASSAY_UNSUPPORTED, "no such device here");
#elif defined(BAD_CREATE_UNKNOWN_STATUS)
  return 99;
#elif defined(BAD_CREATE_GIVES_NOTHING)
  return ASSAY_OK;
#endif
  (void)err;
#if defined(BAD_SHORT_INSTANCE)
  // Static: the host can't know how to free it.
  static assay_instance stunted{16, 0, nullptr, destroy, get_extension};
  auto* instance = &stunted;
#elif defined(BAD_NO_DESTROY)
  static assay_instance immortal{sizeof(assay_instance), 0, nullptr, nullptr, get_extension};
  auto* instance = &immortal;
#else
  auto* instance = new assay_instance{sizeof(assay_instance), 0, nullptr, destroy, get_extension};
#endif
  *out = instance;
  return ASSAY_OK;
}

assay_status init(const assay_host*, assay_error* err) {
#if defined(BAD_INIT_FAILS)
  return fail(err, ASSAY_UNSUPPORTED, "the driver is too old");
#elif defined(BAD_THROWS_IN_INIT)
  throw std::runtime_error("the driver is too old");
#elif defined(BAD_CRASHES_IN_INIT)
  const volatile std::uintptr_t nowhere = 16;
  *reinterpret_cast<volatile int*>(nowhere) = 1;
#endif
  (void)err;
  return ASSAY_OK;
}

void deinit() {
#if defined(BAD_THROWS_IN_DEINIT)
  throw std::runtime_error("already gone");
#endif
}

#if defined(BAD_BROKEN_SCHEMA)
constexpr const char* kSchema = R"({"type": )";
#else
constexpr const char* kSchema = R"({"type": "object", "properties": {"scale": {"type": "number"}}, "additionalProperties": false})";
#endif

const assay_component kComponent = {sizeof(assay_component),
                                    0,
#if defined(BAD_NO_COMPONENT_ID)
                                    nullptr,
#elif defined(BAD_MANIFEST_MISMATCH)
                                    "test.other",
#else
                                    "test.zoo",
#endif
                                    ASSAY_KIND_COMPARISON,
                                    "1.0.0",
                                    "counts different elements",
                                    kSchema,
#if defined(BAD_NO_CREATE)
                                    nullptr
#else
                                    create
#endif
};

#if defined(BAD_NULL_COMPONENT)
const assay_component* const kComponents[] = {nullptr};
#else
const assay_component* const kComponents[] = {&kComponent};
#endif

const assay_plugin kPlugin = {
#if defined(BAD_SHORT_DESCRIPTOR)
    24,
#else
    sizeof(assay_plugin),
#endif
#if defined(BAD_OTHER_MAJOR_IN_DESCRIPTOR)
    ASSAY_ABI_MAJOR + 1,
#else
    ASSAY_ABI_MAJOR,
#endif
#if defined(BAD_NEEDS_NEWER_MINOR)
    ASSAY_ABI_MINOR + 9,
#else
    0,
#endif
    0,
    "test.zoo-plugin",
#if defined(BAD_MANIFEST_MISMATCH)
    "2.0.0",
#else
    "1.0.0",
#endif
    init,
    deinit,
#if defined(BAD_NO_COMPONENTS)
    0,
#else
    1,
#endif
#if defined(BAD_NULL_COMPONENTS)
    nullptr
#else
    kComponents
#endif
};

}  // namespace

#if defined(BAD_UNRESOLVED_SYMBOL)
extern "C" void function_of_a_library_that_is_not_there();
#endif

#if !defined(BAD_NO_ENTRY)
extern "C" ASSAY_EXPORT const assay_plugin* ASSAY_CALL assay_plugin_entry(std::uint32_t host_abi_major) {
#if defined(BAD_THROWS_IN_ENTRY)
  throw std::runtime_error("not today");
#elif defined(BAD_WRONG_MAJOR)
  return host_abi_major == ASSAY_ABI_MAJOR + 1 ? &kPlugin : nullptr;
#elif defined(BAD_UNRESOLVED_SYMBOL)
  function_of_a_library_that_is_not_there();
#endif
#if defined(BAD_ACCEPTS_EVERY_MAJOR)
  (void)host_abi_major;
  return &kPlugin;
#else
  return host_abi_major == ASSAY_ABI_MAJOR ? &kPlugin : nullptr;
#endif
}
#else
const assay_plugin* descriptor_for_nobody() { return &kPlugin; }
#endif
