/* The layout of the boundary, slot by slot: a change of any number here is a change of the ABI's major version (an appended field:
 * of its minor version). Compiled as C and as C++; it passes by compiling. */
#include "assay/abi/adapter.h"
#include "assay/abi/base.h"
#include "assay/abi/call.h"
#include "assay/abi/comparison.h"
#include "assay/abi/host.h"
#include "assay/abi/operator.h"
#include "assay/abi/parallel.h"
#include "assay/abi/perturbation.h"
#include "assay/abi/plugin.h"
#include "assay/abi/tensor.h"
#include "assay/abi/value.h"

#ifdef __cplusplus
#define LAYOUT_ASSERT(condition, text) static_assert(condition, text)
#else
#define LAYOUT_ASSERT(condition, text) _Static_assert(condition, text)
#endif
#define SIZE(type, bytes) LAYOUT_ASSERT(sizeof(type) == (bytes), "size of " #type)
#define SLOT(type, field, offset) LAYOUT_ASSERT(offsetof(type, field) == (offset), "offset of " #type "." #field)

/* base.h */
SIZE(assay_error, 32);
SLOT(assay_error, struct_size, 0);
SLOT(assay_error, code, 4);
SLOT(assay_error, message, 8);
SLOT(assay_error, private_data, 16);
SLOT(assay_error, release, 24);
SIZE(assay_string, 16);
SLOT(assay_string, data, 0);
SLOT(assay_string, size, 8);

/* host.h */
SIZE(assay_host, 56);
SLOT(assay_host, struct_size, 0);
SLOT(assay_host, abi_major, 4);
SLOT(assay_host, abi_minor, 8);
SLOT(assay_host, reserved0, 12);
SLOT(assay_host, name, 16);
SLOT(assay_host, version, 24);
SLOT(assay_host, impl, 32);
SLOT(assay_host, log, 40);
SLOT(assay_host, get_extension, 48);

/* parallel.h */
SIZE(assay_parallel, 16);
SLOT(assay_parallel, struct_size, 0);
SLOT(assay_parallel, reserved0, 4);
SLOT(assay_parallel, run, 8);

/* plugin.h */
SIZE(assay_instance, 32);
SLOT(assay_instance, struct_size, 0);
SLOT(assay_instance, reserved0, 4);
SLOT(assay_instance, impl, 8);
SLOT(assay_instance, destroy, 16);
SLOT(assay_instance, get_extension, 24);
SIZE(assay_component, 56);
SLOT(assay_component, struct_size, 0);
SLOT(assay_component, reserved0, 4);
SLOT(assay_component, id, 8);
SLOT(assay_component, kind, 16);
SLOT(assay_component, version, 24);
SLOT(assay_component, description, 32);
SLOT(assay_component, config_schema, 40);
SLOT(assay_component, create, 48);
SIZE(assay_plugin, 64);
SLOT(assay_plugin, struct_size, 0);
SLOT(assay_plugin, abi_major, 4);
SLOT(assay_plugin, abi_minor, 8);
SLOT(assay_plugin, reserved0, 12);
SLOT(assay_plugin, id, 16);
SLOT(assay_plugin, version, 24);
SLOT(assay_plugin, init, 32);
SLOT(assay_plugin, deinit, 40);
SLOT(assay_plugin, component_count, 48);
SLOT(assay_plugin, components, 56);

/* tensor.h */
SIZE(assay_dtype, 4);
SLOT(assay_dtype, code, 0);
SLOT(assay_dtype, bits, 1);
SLOT(assay_dtype, lanes, 2);
SIZE(assay_device, 8);
SLOT(assay_device, type, 0);
SLOT(assay_device, id, 4);
SIZE(assay_dltensor, 48);
SLOT(assay_dltensor, data, 0);
SLOT(assay_dltensor, device, 8);
SLOT(assay_dltensor, ndim, 16);
SLOT(assay_dltensor, dtype, 20);
SLOT(assay_dltensor, shape, 24);
SLOT(assay_dltensor, strides, 32);
SLOT(assay_dltensor, byte_offset, 40);
SIZE(assay_tensor, 72);
SLOT(assay_tensor, struct_size, 0);
SLOT(assay_tensor, flags, 4);
SLOT(assay_tensor, dl, 8);
SLOT(assay_tensor, owner, 56);
SLOT(assay_tensor, release, 64);

/* value.h */
SIZE(assay_complex, 16);
SLOT(assay_complex, real, 0);
SLOT(assay_complex, imag, 8);
SIZE(assay_slice, 32);
SLOT(assay_slice, start, 0);
SLOT(assay_slice, stop, 8);
SLOT(assay_slice, step, 16);
SLOT(assay_slice, present, 24);
SLOT(assay_slice, reserved0, 28);
SIZE(assay_sequence, 16);
SLOT(assay_sequence, items, 0);
SLOT(assay_sequence, size, 8);
SIZE(assay_dict, 16);
SLOT(assay_dict, items, 0);
SLOT(assay_dict, size, 8);
SIZE(assay_value, 40);
SLOT(assay_value, kind, 0);
SLOT(assay_value, reserved0, 4);
SLOT(assay_value, as, 8);
SIZE(assay_named_value, 48);
SLOT(assay_named_value, name, 0);
SLOT(assay_named_value, value, 8);

/* call.h */
SIZE(assay_call, 88);
SLOT(assay_call, struct_size, 0);
SLOT(assay_call, direction, 4);
SLOT(assay_call, api, 8);
SLOT(assay_call, precision, 16);
SLOT(assay_call, flags, 20);
SLOT(assay_call, device, 24);
SLOT(assay_call, seed, 32);
SLOT(assay_call, args, 40);
SLOT(assay_call, arg_count, 48);
SLOT(assay_call, kwargs, 56);
SLOT(assay_call, kwarg_count, 64);
SLOT(assay_call, grad_outputs, 72);
SLOT(assay_call, grad_output_count, 80);
SIZE(assay_path_value, 48);
SLOT(assay_path_value, path, 0);
SLOT(assay_path_value, value, 8);
SIZE(assay_results, 88);
SLOT(assay_results, struct_size, 0);
SLOT(assay_results, reserved0, 4);
SLOT(assay_results, outputs, 8);
SLOT(assay_results, output_count, 16);
SLOT(assay_results, gradients, 24);
SLOT(assay_results, gradient_count, 32);
SLOT(assay_results, mutated, 40);
SLOT(assay_results, mutated_count, 48);
SLOT(assay_results, notes, 56);
SLOT(assay_results, note_count, 64);
SLOT(assay_results, private_data, 72);
SLOT(assay_results, release, 80);

/* adapter.h */
SIZE(assay_adapter_info, 48);
SLOT(assay_adapter_info, struct_size, 0);
SLOT(assay_adapter_info, reserved0, 4);
SLOT(assay_adapter_info, framework, 8);
SLOT(assay_adapter_info, version, 16);
SLOT(assay_adapter_info, details, 24);
SLOT(assay_adapter_info, devices, 32);
SLOT(assay_adapter_info, device_count, 40);
SIZE(assay_adapter, 32);
SLOT(assay_adapter, struct_size, 0);
SLOT(assay_adapter, reserved0, 4);
SLOT(assay_adapter, describe, 8);
SLOT(assay_adapter, supports, 16);
SLOT(assay_adapter, invoke, 24);
SIZE(assay_memory_stats, 24);
SLOT(assay_memory_stats, struct_size, 0);
SLOT(assay_memory_stats, reserved0, 4);
SLOT(assay_memory_stats, read, 8);
SLOT(assay_memory_stats, reset_peak, 16);

/* comparison.h */
SIZE(assay_metric_info, 40);
SLOT(assay_metric_info, struct_size, 0);
SLOT(assay_metric_info, kind, 4);
SLOT(assay_metric_info, better, 8);
SLOT(assay_metric_info, length, 12);
SLOT(assay_metric_info, name, 16);
SLOT(assay_metric_info, unit, 24);
SLOT(assay_metric_info, description, 32);
SIZE(assay_pair, 32);
SLOT(assay_pair, struct_size, 0);
SLOT(assay_pair, max_threads, 4);
SLOT(assay_pair, actual, 8);
SLOT(assay_pair, expected, 16);
SLOT(assay_pair, api, 24);
SIZE(assay_comparison, 24);
SLOT(assay_comparison, struct_size, 0);
SLOT(assay_comparison, reserved0, 4);
SLOT(assay_comparison, metrics, 8);
SLOT(assay_comparison, compare, 16);

/* perturbation.h */
SIZE(assay_perturbed_layout, 20);
SLOT(assay_perturbed_layout, struct_size, 0);
SLOT(assay_perturbed_layout, reserved0, 4);
SLOT(assay_perturbed_layout, dtype, 8);
SLOT(assay_perturbed_layout, device, 12);
SIZE(assay_perturbation, 24);
SLOT(assay_perturbation, struct_size, 0);
SLOT(assay_perturbation, flags, 4);
SLOT(assay_perturbation, plan, 8);
SLOT(assay_perturbation, apply, 16);

/* operator.h */
SIZE(assay_operator, 24);
SLOT(assay_operator, struct_size, 0);
SLOT(assay_operator, reserved0, 4);
SLOT(assay_operator, apis, 8);
SLOT(assay_operator, invoke, 16);
