// One MindSpore server for all tests of a file: importing MindSpore takes seconds.
#pragma once

#include <string>

#include "adapter_under_test.hpp"

namespace assay::bridge {

inline std::string mint_config(const std::string& more = "") {
  return R"({"python": ")" ASSAY_MINT_PYTHON R"(")" + (more.empty() ? "" : ", " + more) + "}";
}

inline AdapterUnderTest& mint() {
  static AdapterUnderTest adapter("assay.mint", mint_config());
  return adapter;
}

}  // namespace assay::bridge
