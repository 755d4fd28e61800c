// The bridge over tests/modules/bridge_ops.py: needs the system's python3 and nothing else.
#pragma once

#include <cstdlib>
#include <string>

#include "adapter_under_test.hpp"

namespace assay::bridge {

inline std::string plain_config(const std::string& more) {
  ::setenv("PYTHONPATH", ASSAY_MINT_TESTS "/modules", 1);
  ::setenv("PYTHONDONTWRITEBYTECODE", "1", 1);
  return R"({"map": ")" ASSAY_MINT_TESTS R"(/maps/plain.json")" + (more.empty() ? "" : ", " + more) + "}";
}

class PlainAdapter : public AdapterUnderTest {
 public:
  /// `more`: members of the configuration, "\"keep_mib\": 1".
  explicit PlainAdapter(const std::string& more = "") : AdapterUnderTest("assay.mint", plain_config(more)) {}
};

}  // namespace assay::bridge
