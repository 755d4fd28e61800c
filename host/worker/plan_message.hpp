// A plan of calls as it crosses from a worker to the supervisor.
//
// {"positions": [0, 1, ...], "costs": [4096, ...], "orders": [[3, "Functional.linear.0"], ...]}
#pragma once

#include <string>
#include <string_view>

#include "pipeline/call_plan.hpp"

namespace assay {

std::string plan_to_json(const CallPlan& plan);

/// errors  kInput: not JSON, a field missing or of the wrong type, costs of other calls than there are
Result<CallPlan> plan_from_json(std::string_view text);

}  // namespace assay
