#include "failures.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "acl/error.h"

namespace assay::npu {

namespace {

struct NamedCode {
  int code;
  const char* name;
};

constexpr NamedCode kNames[] = {
#define ASSAY_ACL_ERROR(name, value) {value, #name},
#include "acl/errors.def"
#undef ASSAY_ACL_ERROR
};

/// A kernel that failed, a device that is gone: whatever is tried next in this process fails too.
bool loses_device(int code) { return code / 1000 == 507; }

assay_status status_of(int code) {
  if (is_out_of_memory(code)) return ASSAY_OUT_OF_MEMORY;
  switch (code) {
    case ACLNN_ERR_PARAM_NULLPTR:
    case ACL_ERROR_INVALID_PARAM: return ASSAY_INVALID_ARGUMENT;
    case ACLNN_ERR_PARAM_INVALID:
    case ACLNN_ERR_INNER_TILING_ERROR:
    case ACLNN_ERR_INNER_FIND_KERNEL_ERROR:
    case ACL_ERROR_OP_NOT_FOUND:
    case ACL_ERROR_KERNEL_NOT_FOUND:
    case ACL_ERROR_UNSUPPORTED_DATA_TYPE:
    case ACL_ERROR_FORMAT_NOT_MATCH:
    case ACL_ERROR_API_NOT_SUPPORT:
    case ACL_ERROR_RT_FEATURE_NOT_SUPPORT: return ASSAY_UNSUPPORTED;
    default: return ASSAY_INTERNAL;
  }
}

const char* advice(int code) {
  switch (code) {
    case ACLNN_ERR_INNER_OPP_PATH_NOT_FOUND: return "; set ASCEND_OPP_PATH (source the toolkit's set_env.sh)";
    case ACLNN_ERR_INNER_OPP_KERNEL_PKG_NOT_FOUND: return "; install the kernel package of this chip";
    case ACL_ERROR_COMPILING_STUB_MODE:
      return "; the library is a stub to link against: put lib64 before devlib in LD_LIBRARY_PATH";
    case ACL_ERROR_RT_NO_DEVICE:
    case ACL_ERROR_RT_INVALID_DEVICEID: return "; see npu-smi info and ASCEND_RT_VISIBLE_DEVICES";
    default: return "";
  }
}

/// The vendor's text on one line of bounded length; it is several lines of time stamps, codes and traces.
std::string one_line(const char* text) {
  constexpr std::size_t kLongest = 400;
  std::string line;
  for (const char* c = text; *c != '\0' && line.size() < kLongest; ++c) {
    const bool space = std::isspace(static_cast<unsigned char>(*c)) != 0;
    if (space && (line.empty() || line.back() == ' ')) continue;
    line += space ? ' ' : *c;
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace

std::string error_name(int code) {
  const auto* const found = std::find_if(std::begin(kNames), std::end(kNames), [&](const NamedCode& n) { return n.code == code; });
  return found != std::end(kNames) ? found->name : "";
}

bool is_out_of_memory(int code) {
  return code == ACL_ERROR_RT_MEMORY_ALLOCATION || code == ACL_ERROR_RT_DEVICE_OOM || code == ACL_ERROR_BAD_ALLOC;
}

AclError make_error(const AclFunctions& acl, int code, const std::string& what) {
  const char* const text = acl.aclGetRecentErrMsg();
  const std::string words = text != nullptr ? one_line(text) : "";
  const std::string name = error_name(code);
  const bool lost = loses_device(code);
  std::string message = what + ": error " + std::to_string(code) + (name.empty() ? "" : " " + name);
  if (!words.empty()) message += ": " + words;
  if (lost) message += "; the device can't be used any more by this process";
  return {status_of(code), message + advice(code), code, lost};
}

}  // namespace assay::npu
