#include "validator/calls.hpp"

#include <cstring>

#include "base/text.hpp"
#include "validator/guarded.hpp"

namespace assay::validator {

namespace {

std::string describe(const assay_value& value, int depth);

std::string describe(const assay_tensor& tensor) {
  require(tensor.struct_size >= sizeof(assay_tensor),
          "a tensor of the results has struct_size " + std::to_string(tensor.struct_size));
  require(tensor.dl.ndim >= 0 && tensor.dl.ndim <= 64,
          "a tensor of the results has " + std::to_string(tensor.dl.ndim) + " dimensions");
  require(tensor.dl.ndim == 0 || tensor.dl.shape != nullptr, "a tensor of the results has no shape");
  require(tensor.dl.device.type == ASSAY_DEVICE_CPU, "a tensor of the results is not on the CPU");
  require(dtype_name(tensor.dl.dtype) != "unknown", "a tensor of the results has an unknown dtype");
  const TensorView view(tensor);
  std::string text = std::string(dtype_name(view.dtype())) + format_shape(view.shape());
  view.for_each_offset([&](std::int64_t, std::int64_t offset) {
    text += ' ';
    text += format_number(view.number_at(offset));
  });
  return text;
}

std::string describe_all(const assay_value* items, std::uint64_t size, int depth) {
  require(size == 0 || items != nullptr, "a list of the results is NULL");
  std::string text = "[";
  for (std::uint64_t i = 0; i < size; ++i) text += describe(items[i], depth + 1) + ",";
  return text + "]";
}

std::string describe(const assay_value& value, int depth) {
  require(depth < ASSAY_VALUE_MAX_DEPTH, "a value of the results nests too deep");
  switch (value.kind) {
    case ASSAY_VALUE_NONE: return "None";
    case ASSAY_VALUE_BOOL: return value.as.boolean != 0 ? "True" : "False";
    case ASSAY_VALUE_INT: return std::to_string(value.as.integer);
    case ASSAY_VALUE_FLOAT: return format_number(value.as.real);
    case ASSAY_VALUE_COMPLEX: return format_number(value.as.complex.real) + "+" + format_number(value.as.complex.imag) + "j";
    case ASSAY_VALUE_STRING:
    case ASSAY_VALUE_MEMORY_FORMAT: return std::string(value.as.string.data, value.as.string.size);
    case ASSAY_VALUE_DTYPE: return std::string(dtype_name(value.as.dtype));
    case ASSAY_VALUE_DEVICE: return "device " + std::to_string(value.as.device.type);
    case ASSAY_VALUE_SLICE: return "slice";
    case ASSAY_VALUE_ELLIPSIS: return "...";
    case ASSAY_VALUE_TENSOR:
      require(value.as.tensor != nullptr, "a tensor of the results is NULL");
      return describe(*value.as.tensor);
    case ASSAY_VALUE_LIST:
    case ASSAY_VALUE_TUPLE: return describe_all(value.as.sequence.items, value.as.sequence.size, depth);
    case ASSAY_VALUE_DICT: {
      std::string text = "{";
      for (std::uint64_t i = 0; i < value.as.dict.size; ++i) {
        require(value.as.dict.items[i].name != nullptr, "a key of the results is NULL");
        text += std::string(value.as.dict.items[i].name) + ": " + describe(value.as.dict.items[i].value, depth + 1) + ",";
      }
      return text + "}";
    }
    default: throw Verdict{Outcome::kFailed, "a value of the results is of the unknown kind " + std::to_string(value.kind)};
  }
}

std::string describe(const assay_path_value* items, std::uint64_t size) {
  std::string text;
  for (std::uint64_t i = 0; i < size; ++i) {
    require(items[i].path != nullptr, "an argument path of the results is NULL");
    text += std::string(items[i].path) + "=" + describe(items[i].value, 0) + ";";
  }
  return text;
}

}  // namespace

assay_call make_call(const char* api, const std::vector<assay_value>& args, std::int32_t direction) {
  assay_call call{};
  call.struct_size = sizeof call;
  call.direction = direction;
  call.api = api;
  call.precision = ASSAY_PRECISION_AS_RECORDED;
  call.device = {ASSAY_DEVICE_CPU, 0};
  call.args = args.empty() ? nullptr : args.data();
  call.arg_count = args.size();
  return call;
}

CallOutcome invoke_once(const Invoke& invoke, const assay_call& given) {
  CallOutcome outcome;
  assay_results results{};
  results.struct_size = sizeof results;
  outcome.status = call(
      "invoke", [&](assay_error* err) { return invoke(&given, &results, err); }, &outcome.message);
  if (outcome.status != ASSAY_OK) {
    require(results.release == nullptr && results.outputs == nullptr, "invoke fails and writes its results");
    return outcome;
  }
  outcome.outputs = results.output_count;
  outcome.values = describe_all(results.outputs, results.output_count, 0) + describe(results.gradients, results.gradient_count) +
                   describe(results.mutated, results.mutated_count);
  for (std::uint64_t i = 0; i < results.note_count; ++i) require(results.notes[i] != nullptr, "a note of the results is NULL");
  require(results.release != nullptr, "the results have no release");
  results.release(&results);
  return outcome;
}

void require_unknown_api_is_refused(const Invoke& invoke) {
  for (const char* api :
       {"Torch.no_such_function_anywhere", "", "Torch", "Torch.", ".", "Functional.relu\n", "Torch.__class__", "\xff\xfe"}) {
    const assay_call call = make_call(api, {});
    const CallOutcome outcome = invoke_once(invoke, call);
    require(outcome.status == ASSAY_NOT_FOUND || outcome.status == ASSAY_UNSUPPORTED || outcome.status == ASSAY_INVALID_ARGUMENT,
            "the unknown API '" + escape_control(api) + "' gives " + status_text(outcome.status));
    assay_results results{};
    results.struct_size = sizeof results;
    require(invoke(&call, &results, nullptr) == outcome.status,
            "the unknown API '" + escape_control(api) + "' gives another status when err is NULL");
  }
}

}  // namespace assay::validator
