// Codes of the vendor's functions as errors that cross the boundary: a name, the vendor's own words, whether the device survives.
#pragma once

#include <string>

#include "acl_functions.hpp"
#include "assay/sdk/error.hpp"

namespace assay::npu {

/// A vendor function's failure. `device_lost`: the context can't be used any more; only a new process can go on.
class AclError : public Error {
 public:
  AclError(assay_status status, const std::string& message, int code, bool device_lost)
      : Error(status, message), code_(code), device_lost_(device_lost) {}
  [[nodiscard]] int code() const { return code_; }
  [[nodiscard]] bool device_lost() const { return device_lost_; }

 private:
  int code_;
  bool device_lost_;
};

/// "ACL_ERROR_RT_MEMORY_ALLOCATION"; empty for a code without a name.
std::string error_name(int code);

bool is_out_of_memory(int code);

/// The error for a failed call; `what` is a fragment ("allocate 64 bytes on the device"). Takes, and so clears, the text of the
/// vendor's last failures on this thread: call it at once.
AclError make_error(const AclFunctions& acl, int code, const std::string& what);

inline void require(const AclFunctions& acl, int code, const char* what) {
  if (code != 0) throw make_error(acl, code, what);
}

}  // namespace assay::npu
