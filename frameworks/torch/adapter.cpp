// The LibTorch adapter: runs recorded API calls through the operator dispatcher, forward and backward, at a chosen precision.
#include "assay/sdk/adapter.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/GradMode.h>
#include <c10/util/Exception.h>
#include <dlfcn.h>
#include <torch/csrc/api/include/torch/version.h>

#include <algorithm>
#include <filesystem>
#include <regex>

#include "backward.hpp"
#include "errors.hpp"
#include "execution.hpp"
#include "memory_meter.hpp"

namespace assay::torch_adapter {
namespace {

constexpr const char* kSchema = R"({
  "type": "object",
  "properties": {
    "apis": {"type": "string", "description": "path of the API table; default: share/assay/apis/torch.json of this installation"},
    "threads": {"type": "integer", "minimum": 1, "description": "threads inside one operator; default: LibTorch's"}
  },
  "additionalProperties": false
})";

/// share/assay/apis/torch.json beside the lib folder that this library is in: lib/assay/plugins/torch/torch.so and, on
/// multi-arch systems, lib/<triplet>/assay/plugins/torch/torch.so.
std::string default_table() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&default_table), &info) == 0) return "torch.json";
  std::filesystem::path folder = std::filesystem::absolute(info.dli_fname).parent_path();
  const std::filesystem::path tail = "share/assay/apis/torch.json";
  for (std::filesystem::path up = folder; up.has_relative_path(); up = up.parent_path()) {
    std::error_code ignored;
    if (std::filesystem::exists(up / tail, ignored)) return (up / tail).string();
  }
  return (folder / "../../../.." / tail).lexically_normal().string();
}

std::string blas_name() {
  const std::string config = at::show_config();
  std::smatch match;
  if (std::regex_search(config, match, std::regex("BLAS_INFO=([a-zA-Z0-9_]+)"))) return match[1];
  return "unknown";
}

std::string cpu_capability() {
#if TORCH_VERSION_MAJOR >= 2
  return at::get_cpu_capability();
#else
  std::smatch match;
  const std::string config = at::show_config();
  if (std::regex_search(config, match, std::regex("CPU capability usage: ([A-Za-z0-9 ]+)"))) return match[1];
  return "unknown";
#endif
}

/// Makes float64 the type of results that PyTorch makes from integers (true division, linspace, ...) for the time of a run.
class DefaultTypeGuard {
 public:
  explicit DefaultTypeGuard(Width width) : before_(at::get_default_dtype()) {
    if (width == Width::kFloat64) at::set_default_dtype(caffe2::TypeMeta::Make<double>());
  }
  ~DefaultTypeGuard() { at::set_default_dtype(before_); }
  DefaultTypeGuard(const DefaultTypeGuard&) = delete;
  DefaultTypeGuard& operator=(const DefaultTypeGuard&) = delete;

 private:
  caffe2::TypeMeta before_;
};

/// One way to compute a call: at which width, and what the row must say if it is this one that worked.
struct Attempt {
  ConversionOptions options;
  bool round = false;  ///< results are rounded to the half type of the arguments
  std::string note;
};

bool is_half(assay_dtype dtype) { return (is_floating(dtype) && dtype.bits <= 16) || (is_complex(dtype) && dtype.bits == 32); }

#if TORCH_VERSION_MAJOR >= 2
namespace warning_scope = c10::WarningUtils;
#else
namespace warning_scope = c10::Warning;
#endif

/// Sends LibTorch's warnings to the host's log; without it they go to stderr.
class WarningLog final : public c10::WarningHandler {
 public:
  explicit WarningLog(const Log& log) : log_(log) {}
#if TORCH_VERSION_MAJOR >= 2
  void process(const c10::Warning& warning) override { log_.debug(warning.msg()); }
#else
  void process(const c10::SourceLocation&, const std::string& message, const bool) override { log_.debug(message); }
#endif

 private:
  Log log_;
};

/// What the call's tensors are made of.
struct TensorKinds {
  bool half = false;
  bool wider_float = false;
  bool integer = false;

  void add(const assay_value& value) {
    if (value.kind == ASSAY_VALUE_TENSOR) {
      const assay_dtype dtype = value.as.tensor->dl.dtype;
      half = half || is_half(dtype);
      wider_float = wider_float || ((is_floating(dtype) || is_complex(dtype)) && !is_half(dtype) && value.as.tensor->dl.ndim > 0);
      integer = integer || is_integer(dtype) || dtype == kBool;
    } else if (value.kind == ASSAY_VALUE_LIST || value.kind == ASSAY_VALUE_TUPLE) {
      for (std::uint64_t i = 0; i < value.as.sequence.size; ++i) add(value.as.sequence.items[i]);
    }
  }
};

TensorKinds tensor_kinds(const assay_call& call) {
  TensorKinds kinds;
  for (std::uint64_t i = 0; i < call.arg_count; ++i) kinds.add(call.args[i]);
  for (std::uint64_t i = 0; i < call.kwarg_count; ++i) kinds.add(call.kwargs[i].value);
  return kinds;
}

class TorchAdapter final : public Adapter {
 public:
  explicit TorchAdapter(const Context& context)
      : warnings_(context.log), resolver_(ApiTable::load(context.config.get<std::string>("apis", default_table())), TORCH_VERSION) {
    const auto threads = context.config.get<std::int64_t>("threads", 0);
    if (threads > 0) at::set_num_threads(static_cast<int>(threads));
    info_.framework = "LibTorch";
    info_.version = TORCH_VERSION;
    info_.details =
        "BLAS " + blas_name() + ", " + std::to_string(at::get_num_threads()) + " threads, CPU capability " + cpu_capability();
    info_.devices = {{ASSAY_DEVICE_CPU, 0}};
  }

  const AdapterInfo& describe() override { return info_; }

  void require_support(const std::string& api, std::int32_t) override { resolver_.resolve(api); }

  Results invoke(const assay_call& call) override {
    const warning_scope::WarningHandlerGuard warning_guard(&warnings_);
    const MemoryMeter::Scope memory_scope(memory_);
    const ResolvedApi& api = resolver_.resolve(call.api);
    const std::vector<Attempt> attempts = plan(api, call);
    std::optional<RunFailure> first;
    for (const Attempt& attempt : attempts) {
      if (first && attempt.options.integers_to_float && !first->no_kernel) break;
      try {
        return run(api, call, attempt);
      } catch (const std::exception& e) {
        const RunFailure failure = describe_failure(e);
        if (!first) first = failure;
      }
    }
    throw Error(first->status, first->message);
  }

  static const void* extension(const char* id) {
    static const assay_memory_stats table = {
        sizeof(assay_memory_stats), 0,
        [](assay_instance* self, std::uint64_t* current, std::uint64_t* peak, assay_error* err) {
          return guard(err, [&] {
            *current = memory_of(self).current_bytes();
            *peak = memory_of(self).peak_bytes();
          });
        },
        [](assay_instance* self) { memory_of(self).reset_peak(); }};
    return std::strcmp(id, ASSAY_EXT_MEMORY_STATS) == 0 ? &table : Adapter::extension(id);
  }

 private:
  static std::vector<Attempt> plan(const ResolvedApi& api, const assay_call& call) {
    const TensorKinds kinds = tensor_kinds(call);
    std::vector<Attempt> attempts;
    const bool wide = call.precision != ASSAY_PRECISION_AS_RECORDED && !api.entry.as_recorded;
    if (wide) {
      const Width width = call.precision == ASSAY_PRECISION_FLOAT64 ? Width::kFloat64 : Width::kFloat32;
      attempts.push_back({{width, false, false}, false, ""});
    }
    const std::string asked = call.precision == ASSAY_PRECISION_FLOAT64 ? "float64" : "float32";
    attempts.push_back({{}, false, wide ? "computed as recorded, " + asked + " is not possible" : ""});
    if (kinds.half) {
      attempts.push_back(
          {{Width::kFloat32, true, false}, !kinds.wider_float, "computed in float32 and rounded, no half-precision kernel"});
    }
    if (kinds.integer) attempts.push_back({{Width::kFloat64, false, true}, false, "computed in float64, no integer kernel"});
    return attempts;
  }

  static void seed(std::uint64_t value) {
    at::Generator generator = at::detail::getDefaultCPUGenerator();
    const std::lock_guard<std::mutex> lock(generator.mutex());
    generator.set_current_seed(value);
  }

  Results run(const ResolvedApi& api, const assay_call& call, const Attempt& attempt) {
    const DefaultTypeGuard default_type(attempt.options.width);
    Results results = call.direction == ASSAY_BACKWARD ? run_gradients(api, call, attempt) : run_outputs(api, call, attempt);
    if (!attempt.note.empty()) results.notes.push_back(attempt.note);
    return results;
  }

  Results run_outputs(const ResolvedApi& api, const assay_call& call, const Attempt& attempt) {
    const c10::NoGradGuard no_grad;
    seed(call.seed);
    const ForwardRun forward = run_forward(api, resolver_.table(), call, attempt.options, {});
    const auto borrowed = [&](const at::Tensor& tensor) { return is_borrowed(forward, {}, tensor); };
    Results results;
    for (const c10::IValue& output : forward.outputs)
      results.outputs.push_back(convert_result(rounded(output, forward, attempt), borrowed));
    for (const WrittenArgument& argument : forward.written) {
      // Running statistics are written without a new version.
      const bool is_new_version = argument.copy._version() != argument.version;
      if (!is_new_version && argument.copy.equal(forward.call.tensors[argument.slot].value)) continue;
      const at::Tensor value = rounded(argument.copy, forward, attempt).toTensor();
      results.mutated.emplace_back(forward.call.tensors[argument.slot].path, convert_result(value, borrowed));
    }
    return results;
  }

  /// Whole numbers computed in float64 as the integers that the arguments were.
  static c10::IValue as_integers(const c10::IValue& value, const ForwardRun& forward) {
    if (!value.isTensor() || !value.toTensor().defined() || value.toTensor().scalar_type() != at::kDouble) return value;
    const at::Tensor& tensor = value.toTensor();
    if (!tensor.equal(tensor.trunc())) return value;
    for (const TensorSlot& slot : forward.call.tensors) {
      if (c10::isIntegralType(slot.recorded, /*includeBool=*/true)) return tensor.to(slot.recorded);
    }
    return value;
  }

  /// The half type of the arguments, where the attempt rounds to it.
  static c10::IValue rounded(const c10::IValue& value, const ForwardRun& forward, const Attempt& attempt) {
    if (attempt.options.integers_to_float) return as_integers(value, forward);
    if (!attempt.round) return value;
    if (value.isTensorList()) {
      c10::List<at::Tensor> list;
      for (const at::Tensor& item : value.toTensorVector()) list.push_back(rounded(item, forward, attempt).toTensor());
      return list;
    }
    if (!value.isTensor() || !value.toTensor().defined()) return value;
    const at::Tensor& tensor = value.toTensor();
    for (const TensorSlot& slot : forward.call.tensors) {
      if (!is_half_type(slot.recorded) || widened(slot.recorded, attempt.options) != tensor.scalar_type()) continue;
      return tensor.to(slot.recorded);
    }
    return value;
  }

  Results run_gradients(const ResolvedApi& api, const assay_call& call, const Attempt& attempt) {
    const c10::AutoGradMode grad_mode(true);
    const ForwardRun forward = run_recorded(api, call, attempt);
    const Gradients gradients = run_backward(forward, call, (call.flags & ASSAY_CALL_NODE_GRADIENTS) != 0);
    const auto borrowed = [&](const at::Tensor& tensor) { return is_borrowed(forward, gradients.arrived, tensor); };
    Results results;
    for (std::size_t i = 0; i < forward.call.tensors.size(); ++i) {
      const TensorSlot& slot = forward.call.tensors[i];
      if (!c10::isFloatingType(slot.recorded) && !c10::isComplexType(slot.recorded)) continue;
      at::Tensor gradient = gradients.of_slots[i];
      if (gradient.defined() && attempt.round) gradient = gradient.to(slot.recorded);
      results.gradients.emplace_back(slot.path, gradient.defined() ? convert_result(gradient, borrowed) : Value());
    }
    for (std::size_t i = 0; i < gradients.of_node.size(); ++i) {
      const at::Tensor& gradient = gradients.of_node[i];
      const c10::IValue value = gradient.defined() ? rounded(gradient, forward, attempt) : c10::IValue();
      results.gradients.emplace_back("node." + std::to_string(i), convert_result(value, borrowed));
    }
    return results;
  }

  /// A forward run on a graph whose leaves are all floating and complex tensors, or, where the operator has no derivative for one
  /// of them, those that it has one for.
  ForwardRun run_recorded(const ResolvedApi& api, const assay_call& call, const Attempt& attempt) {
    const ConvertedCall converted = convert_arguments(call, attempt.options);
    std::vector<bool> leaves;
    for (const TensorSlot& slot : converted.tensors) {
      leaves.push_back(c10::isFloatingType(slot.value.scalar_type()) || c10::isComplexType(slot.value.scalar_type()));
    }
    const auto run = [&](const std::vector<bool>& chosen) {
      seed(call.seed);
      return run_forward(api, resolver_.table(), call, attempt.options, chosen);
    };
    const auto works = [&](const std::vector<bool>& chosen) {
      try {
        run(chosen);
        return true;
      } catch (const std::exception&) {
        return false;
      }
    };
    try {
      return run(leaves);
    } catch (const Error&) {
      throw;
    } catch (const std::exception&) {
      for (std::size_t i = 0; i < leaves.size(); ++i) {
        std::vector<bool> only(leaves.size(), false);
        only[i] = leaves[i];
        leaves[i] = leaves[i] && works(only);
      }
      return run(leaves);
    }
  }

  static MemoryMeter& memory_of(assay_instance* self) {
    return static_cast<TorchAdapter*>(static_cast<Adapter*>(self->impl))->memory_;
  }

  WarningLog warnings_;
  MemoryMeter memory_;
  NameResolver resolver_;
  AdapterInfo info_;
};

}  // namespace
}  // namespace assay::torch_adapter

ASSAY_EXPORT_PLUGIN("assay.torch", "0.1.0",
                    ASSAY_COMPONENT(assay::torch_adapter::TorchAdapter, "assay.torch", "0.1.0",
                                    "runs recorded PyTorch and mint APIs on LibTorch", assay::torch_adapter::kSchema))
