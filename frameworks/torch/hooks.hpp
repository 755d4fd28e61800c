// APIs whose rules neither an operator's schema nor a library function can say, implemented in C++ by family.
#pragma once

#include <ATen/core/ivalue.h>

#include <map>
#include <string>
#include <vector>

#include "python_value.hpp"

namespace assay::torch_adapter {

struct Hook {
  /// Runs the API; throws Error(ASSAY_INVALID_ARGUMENT) where the arguments don't fit.
  std::vector<c10::IValue> (*run)(const Arguments& arguments);
  bool writes = false;  ///< works in place: the arguments are copies of the caller's tensors
};

/// By the name that the API table uses ("index", "set_item", ...).
const std::map<std::string, Hook>& hooks();

}  // namespace assay::torch_adapter
