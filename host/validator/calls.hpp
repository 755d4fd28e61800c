// Operator calls for the checks of adapters and operators, and a look at every value of their results.
#pragma once

#include <string>
#include <vector>

#include "assay/abi/call.h"
#include "validator/check.hpp"

namespace assay::validator {

/// `invoke` of an adapter or operator.
using Invoke = std::function<assay_status(const assay_call*, assay_results*, assay_error*)>;

/// A forward call without keywords on the CPU.
assay_call make_call(const char* api, const std::vector<assay_value>& args, std::int32_t direction = ASSAY_FORWARD);

/// What one call gave: the status and, as text, every value of the results, which must be well-formed.
struct CallOutcome {
  assay_status status = ASSAY_OK;
  std::string message;
  std::string values;
  std::size_t outputs = 0;
};
CallOutcome invoke_once(const Invoke& invoke, const assay_call& call);

/// Ends the check as failed unless an API that doesn't exist is refused with ASSAY_NOT_FOUND, with and without error detail.
void require_unknown_api_is_refused(const Invoke& invoke);

}  // namespace assay::validator
