// LibTorch's exceptions as one-line messages with a status.
#pragma once

#include <exception>
#include <string>

#include "assay/sdk/error.hpp"

namespace assay::torch_adapter {

/// A failed run: the status it maps to, and what a caller may try next.
struct RunFailure {
  assay_status status = ASSAY_INVALID_ARGUMENT;
  bool no_kernel = false;  ///< the operator has no kernel for the element type: another type may work
  std::string message;
};

RunFailure describe_failure(const std::exception& error);

/// Why a library function doesn't compile: "LibTorch 1.13 has no aten::rms_norm".
std::string compile_problem(const std::string& what);

}  // namespace assay::torch_adapter
