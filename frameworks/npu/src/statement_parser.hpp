// Reads the statements and parameter lists of the operator table.
#pragma once

#include <string>
#include <vector>

#include "api_table.hpp"

namespace assay::npu {

/// Names that the statement gives are added to the scope. Throws Error(ASSAY_INVALID_ARGUMENT).
Statement parse_statement(const std::string& text, Scope& scope, OperatorMap& operators);

/// "input|self, other, *, alpha=1"; "*dims" takes the rest. Throws Error(ASSAY_INVALID_ARGUMENT).
std::vector<ApiParameter> parse_parameters(const std::string& text, Scope& scope);

}  // namespace assay::npu
