// Fits Python arguments to an operator's schema by the rules of PyTorch's Python argument parser: numbers where tensors are
// wanted, one int for a list of ints, ints as varargs, 0-d tensors as numbers, NumPy's argument names, out=.
//
//   std::optional<Match> match = match_arguments(arguments, schema, rules, why_not);
#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "python_value.hpp"

namespace assay::torch_adapter {

struct MatchRules {
  /// Other names of a parameter, tried when the schema has no parameter of the keyword's own name: {"axis", {"dim"}}.
  const std::map<std::string, std::vector<std::string>>& argument_names;
  /// The first argument is a method's `self`.
  bool is_method = false;
  /// Values for parameters that the call leaves out, where they are not the schema's.
  const std::map<std::string, std::int64_t>& defaults;
};

/// A full stack for the operator. Lower cost fits better; 0 is an exact fit.
struct Match {
  std::vector<c10::IValue> stack;
  int cost = 0;
};

/// nullopt: doesn't fit; `why_not` says for which argument ("'dim' can't be a str").
std::optional<Match> match_arguments(const Arguments& arguments, const c10::FunctionSchema& schema, const MatchRules& rules,
                                     std::string& why_not);

/// Whether the schema is an out= overload.
bool has_out_arguments(const c10::FunctionSchema& schema);

}  // namespace assay::torch_adapter
