// The header of a .npy file: a Python dictionary literal of three known keys.
//
//   parse_npy_header("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }")
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace assay {

struct NpyHeader {
  std::string descr;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
};

/// errors  kInput: what was expected and at which character
Result<NpyHeader> parse_npy_header(std::string_view text);

}  // namespace assay
