#include "acl_functions.hpp"

#include "assay/sdk/error.hpp"

namespace assay::npu {

AclFunctions AclFunctions::of(const Installation& installation) {
  AclFunctions functions;
  std::string missing;
#define ASSAY_ACL_FIND(name) functions.name = reinterpret_cast<decltype(functions.name)>(installation.find(#name));
#define ASSAY_ACL_REQUIRE(name) \
  ASSAY_ACL_FIND(name)          \
  if (functions.name == nullptr) missing += std::string(missing.empty() ? "" : ", ") + #name;
  ASSAY_ACL_NEEDED(ASSAY_ACL_REQUIRE)
  ASSAY_ACL_OPTIONAL(ASSAY_ACL_FIND)
#undef ASSAY_ACL_REQUIRE
#undef ASSAY_ACL_FIND
  if (!missing.empty()) {
    std::string paths;
    for (const OpenedLibrary& library : installation.libraries()) paths += (paths.empty() ? "" : ", ") + library.path;
    throw Error(ASSAY_UNSUPPORTED,
                "use the Ascend runtime: " + missing + " not found in " + paths + "; the toolkit is not complete");
  }
  return functions;
}

}  // namespace assay::npu
