// Start, end, versions and errors.
#include <cstdio>
#include <cstring>
#include <string>

#include "core/leaks.hpp"
#include "core/process.hpp"
#include "core/report.hpp"

using namespace assay::emulator;

namespace {

constexpr std::size_t kVersionText = 128;

template <std::size_t N>
void copy_text(char (&to)[N], const char* from) {
  std::snprintf(to, N, "%s", from);
}

const char* cann_version() { return config().old_version ? "8.1.RC1" : "9.1.0"; }

}  // namespace

ASSAY_EMULATOR_EXPORT aclError aclInit(const char* config_path) {
  Call call("aclInit");
  Process& state = process();
  if (config_path != nullptr) {
    std::FILE* file = std::fopen(config_path, "r");
    if (file == nullptr) {
      return call.fail(ACL_ERROR_INVALID_FILE, std::string("cannot read '") + config_path + "'");
    }
    std::fclose(file);
  }
  if (const Fault* fault = fault_at(Point::kInit, "", nullptr)) {
    return call.fail(fault->error, "initialisation failed (injected)");
  }
  if (state.initialised++ > 0) {
    return call.fail(ACL_ERROR_REPEAT_INITIALIZE, "the runtime is initialised already");
  }
  state.ever_initialised = true;
  number_modes().flush_subnormals = config().flush_subnormals;
  number_modes().hf32_mantissa = config().hf32_mantissa;
  return ACL_SUCCESS;
}

ASSAY_EMULATOR_EXPORT aclError aclFinalize() {
  Call call("aclFinalize");
  Process& state = process();
  if (state.initialised == 0) {
    return call.misuse("finalize-twice", ACL_ERROR_REPEAT_FINALIZE, "the runtime is not initialised");
  }
  report_leaks("aclFinalize");
  report_finalised();
  state.initialised = 0;
  return ACL_SUCCESS;
}

ASSAY_EMULATOR_EXPORT aclError aclFinalizeReference(uint64_t* count) {
  {
    Call call("aclFinalizeReference");
    Process& state = process();
    if (state.initialised == 0) {
      return call.misuse("finalize-twice", ACL_ERROR_REPEAT_FINALIZE, "the runtime is not initialised");
    }
    if (count != nullptr) {
      *count = state.initialised - 1;
    }
    if (state.initialised > 1) {
      --state.initialised;
      return ACL_SUCCESS;
    }
  }
  return aclFinalize();
}

ASSAY_EMULATOR_EXPORT const char* aclGetRecentErrMsg() {
  Thread& thread = this_thread();
  if (thread.message.empty()) {
    return nullptr;
  }
  thread.returned = std::move(thread.message);
  thread.message.clear();
  return thread.returned.c_str();
}

ASSAY_EMULATOR_EXPORT aclError aclrtPeekAtLastError(aclrtLastErrLevel) { return this_thread().last_error; }

ASSAY_EMULATOR_EXPORT aclError aclrtGetLastError(aclrtLastErrLevel) {
  const aclError error = this_thread().last_error;
  this_thread().last_error = ACL_SUCCESS;
  return error;
}

ASSAY_EMULATOR_EXPORT const char* aclrtGetSocName() { return config().soc.c_str(); }

ASSAY_EMULATOR_EXPORT aclError aclrtGetVersion(int32_t* major, int32_t* minor, int32_t* patch) {
  Call call("aclrtGetVersion");
  if (major == nullptr || minor == nullptr || patch == nullptr) {
    return call.misuse("null-pointer", ACL_ERROR_INVALID_PARAM, "a result pointer is null");
  }
  *major = 1;
  *minor = config().old_version ? 13 : 17;
  *patch = 0;
  return ACL_SUCCESS;
}

ASSAY_EMULATOR_EXPORT aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion* version) {
  Call call("aclsysGetCANNVersion");
  if (version == nullptr || name < ACL_PKG_NAME_CANN || name > ACL_PKG_NAME_DRIVER) {
    return call.misuse("null-pointer", ACL_ERROR_INVALID_PARAM, "no place for the version, or no such package");
  }
  std::memset(version, 0, sizeof *version);
  copy_text(version->version, cann_version());
  copy_text(version->majorVersion, config().old_version ? "8" : "9");
  copy_text(version->minorVersion, "1");
  copy_text(version->releaseVersion, config().old_version ? "RC1" : "0");
  return ACL_SUCCESS;
}

ASSAY_EMULATOR_EXPORT aclError aclsysGetVersionStr(char* package, char* version) {
  Call call("aclsysGetVersionStr");
  if (package == nullptr || version == nullptr) {
    return call.misuse("null-pointer", ACL_ERROR_INVALID_PARAM, "package or version is null");
  }
  std::snprintf(version, kVersionText, "%s", cann_version());
  return ACL_SUCCESS;
}

ASSAY_EMULATOR_EXPORT aclError aclsysGetVersionNum(char* package, int32_t* version) {
  Call call("aclsysGetVersionNum");
  if (package == nullptr || version == nullptr) {
    return call.misuse("null-pointer", ACL_ERROR_INVALID_PARAM, "package or version is null");
  }
  *version = 90100000;
  return ACL_SUCCESS;
}

ASSAY_EMULATOR_EXPORT aclError aclGetCannAttributeList(const aclCannAttr** list, size_t* count) {
  static const aclCannAttr kAttributes[] = {ACL_CANN_ATTR_INF_NAN, ACL_CANN_ATTR_BF16, ACL_CANN_ATTR_JIT_COMPILE};
  Call call("aclGetCannAttributeList");
  if (list == nullptr || count == nullptr) {
    return call.misuse("null-pointer", ACL_ERROR_INVALID_PARAM, "a result pointer is null");
  }
  *list = kAttributes;
  *count = sizeof kAttributes / sizeof *kAttributes;
  return ACL_SUCCESS;
}

ASSAY_EMULATOR_EXPORT aclError aclGetCannAttribute(aclCannAttr attribute, int32_t* value) {
  Call call("aclGetCannAttribute");
  if (value == nullptr || attribute < ACL_CANN_ATTR_INF_NAN || attribute > ACL_CANN_ATTR_JIT_COMPILE) {
    return call.misuse("null-pointer", ACL_ERROR_INVALID_PARAM, "no place for the value, or no such attribute");
  }
  *value = 1;
  return ACL_SUCCESS;
}

ASSAY_EMULATOR_EXPORT aclError aclGetDeviceCapability(uint32_t device, aclDeviceInfo info, int64_t* value) {
  Call call("aclGetDeviceCapability");
  if (value == nullptr || device >= static_cast<uint32_t>(config().devices)) {
    return call.misuse("null-pointer", ACL_ERROR_INVALID_PARAM, "no place for the value, or no such device");
  }
  *value = info == ACL_DEVICE_INFO_L2_SIZE ? int64_t{192} << 20 : info == ACL_DEVICE_INFO_VECTOR_CORE_NUM ? 48 : 24;
  return ACL_SUCCESS;
}

ASSAY_EMULATOR_EXPORT void aclAppLog(aclLogLevel, const char*, const char*, uint32_t, const char*, ...) {}

ASSAY_EMULATOR_EXPORT size_t aclDataTypeSize(aclDataType dtype) { return item_size(dtype); }

// These two lose infinity and NaN, as the real ones do: callers must not use them on results.
ASSAY_EMULATOR_EXPORT float aclFloat16ToFloat(aclFloat16 value) {
  if ((value & 0x7c00) == 0x7c00) {
    const float magnitude = (value & 0x3ff) != 0 ? 98304.0F : 65536.0F;
    return (value & 0x8000) != 0 ? -magnitude : magnitude;
  }
  return float_from_half(value);
}

ASSAY_EMULATOR_EXPORT aclFloat16 aclFloatToFloat16(float value) {
  const aclFloat16 bits = half_from_float(value);
  return (bits & 0x7c00) == 0x7c00 ? static_cast<aclFloat16>((bits & 0x8000) | 0x7bff) : bits;
}

ASSAY_EMULATOR_EXPORT aclError aclSetCompileopt(aclCompileOpt, const char* value) {
  Call call("aclSetCompileopt");
  return value != nullptr ? call.ready() : call.misuse("null-pointer", ACL_ERROR_INVALID_PARAM, "the value is null");
}

ASSAY_EMULATOR_EXPORT aclError aclGetCompileopt(aclCompileOpt, char* value, size_t length) {
  Call call("aclGetCompileopt");
  if (value == nullptr || length == 0) {
    return call.misuse("null-pointer", ACL_ERROR_INVALID_PARAM, "no place for the value");
  }
  *value = '\0';
  return call.ready();
}
