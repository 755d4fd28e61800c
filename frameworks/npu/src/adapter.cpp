// The NPU adapter: runs recorded API calls on an Ascend device through AscendCL and aclnn, which are opened at run time.
#include "assay/sdk/adapter.hpp"

#include <dlfcn.h>

#include <filesystem>

#include "api_call.hpp"

namespace assay::npu {
namespace {

constexpr const char* kSchema = R"({
  "type": "object",
  "properties": {
    "home": {"type": "string", "description": "folder of the toolkit (with lib64); default: ASCEND_HOME_PATH, ASCEND_TOOLKIT_HOME, the loader, the usual places"},
    "libraries": {"type": "array", "items": {"type": "string"}, "description": "libraries with operators of your own, asked first"},
    "apis": {"type": "string", "description": "path of the operator table; default: share/assay/apis/aclnn.json of this installation"},
    "device": {"type": "integer", "minimum": 0, "description": "number of the device, after ASCEND_RT_VISIBLE_DEVICES; default: 0"},
    "cube_math_type": {"type": "integer", "minimum": 0, "maximum": 4, "description": "of matrix products: 0 as the inputs (default), 1 float32 may be lowered, 2 float16, 3 HF32, 4 float32 added with care"},
    "convolution_cube_math_type": {"type": "integer", "minimum": 0, "maximum": 4, "description": "the same of convolutions; torch_npu computes them with 3 unless told otherwise; default: 0"},
    "deterministic": {"type": "integer", "minimum": 0, "maximum": 3, "description": "0 as the toolkit decides (default), 1 deterministic, 2 and 3 stricter"},
    "overflow": {"enum": ["inf-nan", "saturation"], "description": "what results beyond the range become; default: the chip's"},
    "timeout_s": {"type": "integer", "minimum": 1, "maximum": 86400, "description": "limit of waiting for one call; default: 300"}
  },
  "additionalProperties": false
})";

/// share/assay/apis/aclnn.json beside the lib folder that this library is in.
std::string default_table() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&default_table), &info) == 0) return "aclnn.json";
  const std::filesystem::path folder = std::filesystem::absolute(info.dli_fname).parent_path();
  const std::filesystem::path tail = "share/assay/apis/aclnn.json";
  for (std::filesystem::path up = folder; up.has_relative_path(); up = up.parent_path()) {
    std::error_code ignored;
    if (std::filesystem::exists(up / tail, ignored)) return (up / tail).string();
  }
  return (folder / "../../../.." / tail).lexically_normal().string();
}

DeviceOptions device_options(const Config& config) {
  DeviceOptions options;
  options.id = static_cast<std::int32_t>(config.get<std::int64_t>("device", 0));
  options.deterministic = config.get<std::int64_t>("deterministic", 0);
  options.overflow = config.get<std::string>("overflow", "");
  options.timeout_ms = static_cast<std::int32_t>(config.get<std::int64_t>("timeout_s", 300) * 1000);
  return options;
}

bool is_half(const assay_value& value) {
  if (value.kind == ASSAY_VALUE_TENSOR) {
    const assay_dtype dtype = value.as.tensor->dl.dtype;
    return is_floating(dtype) && dtype.bits <= 16;
  }
  if (value.kind != ASSAY_VALUE_LIST && value.kind != ASSAY_VALUE_TUPLE) return false;
  for (std::uint64_t i = 0; i < value.as.sequence.size; ++i) {
    if (is_half(value.as.sequence.items[i])) return true;
  }
  return false;
}

class NpuAdapter final : public Adapter {
 public:
  explicit NpuAdapter(const Context& context)
      : log_(context.log),
        table_(ApiTable::load(context.config.get<std::string>("apis", default_table()))),
        installation_(Installation::open(
            {context.config.get<std::string>("home", ""), context.config.get<std::vector<std::string>>("libraries", {})})),
        device_(installation_, device_options(context.config)) {
    modes_.matmul = context.config.get<std::int64_t>("cube_math_type", 0);
    modes_.convolution = context.config.get<std::int64_t>("convolution_cube_math_type", 0);
    info_.framework = "AscendCL" + (device_.chip().empty() ? "" : " on " + device_.chip());
    info_.version = device_.version();
    info_.details = details();
    for (std::uint32_t i = 0; i < device_.device_count(); ++i)
      info_.devices.push_back({ASSAY_DEVICE_EXTENSION, static_cast<std::int32_t>(i)});
    for (const std::string& remark : installation_.remarks()) log_.debug(remark);
  }

  const AdapterInfo& describe() override { return info_; }

  void require_support(const std::string& api, std::int32_t direction) override {
    const ApiFunction& function = *table_.resolve(api).function;
    if (direction != ASSAY_BACKWARD) return;
    for (const Form& form : function.forms) {
      if (form.has_backward) return;
    }
    throw Error(ASSAY_UNSUPPORTED, "the operator table has no backward of '" + api + "'");
  }

  Results invoke(const assay_call& call) override {
    const ResolvedApi api = table_.resolve(call.api);
    device_.enter();
    UploadOptions options;
    options.widen = call.precision == ASSAY_PRECISION_FLOAT32;
    Results results;
    try {
      results = run(api, call, options);
    } catch (...) {
      device_.settle();
      throw;
    }
    if (call.precision == ASSAY_PRECISION_FLOAT64) results.notes.push_back("computed as recorded, float64 is not the device's");
    if (options.widen && has_half(call)) results.notes.push_back("computed in float32");
    return results;
  }

  static const void* extension(const char* id) {
    static const assay_memory_stats stats = {
        sizeof(assay_memory_stats), 0,
        [](assay_instance* self, std::uint64_t* current, std::uint64_t* peak, assay_error* err) {
          return guard(err, [&] {
            *current = impl(self).device_.used_bytes();
            *peak = impl(self).device_.peak_bytes();
          });
        },
        [](assay_instance* self) { impl(self).device_.reset_peak(); }};
    return std::string_view(id) == ASSAY_EXT_MEMORY_STATS ? &stats : Adapter::extension(id);
  }

 private:
  static NpuAdapter& impl(assay_instance* self) { return *static_cast<NpuAdapter*>(static_cast<Adapter*>(self->impl)); }

  Results run(const ResolvedApi& api, const assay_call& call, const UploadOptions& options) {
    Runner runner(device_, installation_, table_.operators(), modes_);
    try {
      ApiCall one(runner, table_, api, call, options);
      return call.direction == ASSAY_BACKWARD ? one.backward() : one.forward();
    } catch (const AclError&) {
      throw;
    } catch (const Error& e) {
      // The table's idea of the API is narrower than the framework's: that is no fault of the device.
      if (e.code() != ASSAY_INVALID_ARGUMENT) throw;
      throw Error(ASSAY_UNSUPPORTED, "the operator table's " + api.function->name + " doesn't fit the call: " + e.what());
    }
  }

  static bool has_half(const assay_call& call) {
    for (std::uint64_t i = 0; i < call.arg_count; ++i) {
      if (is_half(call.args[i])) return true;
    }
    for (std::uint64_t i = 0; i < call.kwarg_count; ++i) {
      if (is_half(call.kwargs[i].value)) return true;
    }
    return false;
  }

  /// Which libraries, and which operators of the table they lack.
  std::string details() {
    std::string text = "device " + std::to_string(device_.id()) + " of " + std::to_string(device_.device_count()) + "; libraries ";
    for (const OpenedLibrary& library : installation_.libraries())
      text += (&library == &installation_.libraries().front() ? "" : ", ") + library.path;
    std::size_t found = 0;
    std::string missing;
    for (const auto& [name, operation] : table_.operators()) {
      if (operation->find(installation_)) {
        ++found;
      } else {
        missing += (missing.empty() ? "" : ", ") + name;
      }
    }
    text += "; " + std::to_string(found) + " of " + std::to_string(table_.operators().size()) + " operators";
    return missing.empty() ? text : text + ", missing: " + missing;
  }

  Log log_;
  ApiTable table_;
  const Installation& installation_;
  Device device_;
  MathModes modes_;
  AdapterInfo info_;
};

}  // namespace
}  // namespace assay::npu

ASSAY_EXPORT_PLUGIN("assay.npu", "0.1.0",
                    ASSAY_COMPONENT(assay::npu::NpuAdapter, "assay.npu", "0.1.0",
                                    "runs recorded PyTorch and mint APIs on an Ascend NPU through aclnn", assay::npu::kSchema))
