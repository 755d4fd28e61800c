// configs/apis/torch.json: what the names of recorded APIs mean where the dispatcher's own names don't say it.
//
//   {"format": 1,
//    "functions": ["torch/functional.py"],
//    "argument_names": {"axis": ["dim"]},
//    "apis": {"Tensor.__rpow__": {"operator": "pow", "order": [1, 0]}}}
//
// docs/torch-adapter.md describes every key.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace assay::torch_adapter {

/// What the table says about one API; an API that it doesn't name has an empty entry.
struct ApiEntry {
  std::string alias;                             ///< "as": run as that API
  std::vector<std::string> operators;            ///< "operator": dispatcher names without "aten::"
  std::vector<std::string> functions;            ///< "function": functions of the library
  std::vector<std::string> fallbacks;            ///< "fallback": functions tried where nothing else fits the arguments
  std::string hook;                              ///< "hook": a C++ implementation
  std::vector<std::size_t> order;                ///< "order": positional arguments, reordered
  std::map<std::string, std::string> rename;     ///< "rename": keyword -> the schema's name
  std::vector<std::string> drop;                 ///< "drop": keywords that change nothing in the result
  std::map<std::string, std::int64_t> defaults;  ///< "defaults": where Python's default differs from the schema's
  std::optional<std::size_t> variadic;           ///< "variadic": positional arguments from here on are one list
  bool returns_tuple = false;                    ///< "returns": "tuple": a list of numbers is several outputs
  bool returns_list = false;                     ///< "returns": "list": the result is one Python list, not several outputs
  bool as_recorded = false;                      ///< "precision": "as-recorded": a wider type would compute something else
  std::string unsupported;                       ///< "unsupported": why it can't be replayed
};

class ApiTable {
 public:
  /// Throws Error(ASSAY_INVALID_ARGUMENT), naming file and JSON pointer.
  static ApiTable load(const std::string& path);

  [[nodiscard]] const ApiEntry* find(const std::string& api) const;
  [[nodiscard]] const std::map<std::string, ApiEntry>& apis() const { return apis_; }
  /// Files of library functions, absolute.
  [[nodiscard]] const std::vector<std::string>& function_files() const { return function_files_; }
  [[nodiscard]] const std::map<std::string, std::vector<std::string>>& argument_names() const { return argument_names_; }
  /// Keywords that change nothing in any API's result: requires_grad, ...
  [[nodiscard]] const std::vector<std::string>& ignored_keywords() const { return ignored_keywords_; }
  /// Overloads that PyTorch's Python never reaches, since it hands numbers over as tensors: "add.Scalar".
  [[nodiscard]] const std::set<std::string>& hidden_overloads() const { return hidden_overloads_; }
  /// The version of PyTorch that brought an operator: {"rms_norm", "2.4"}.
  [[nodiscard]] const std::map<std::string, std::string>& since() const { return since_; }

 private:
  std::map<std::string, ApiEntry> apis_;
  std::vector<std::string> function_files_;
  std::map<std::string, std::vector<std::string>> argument_names_;
  std::vector<std::string> ignored_keywords_;
  std::set<std::string> hidden_overloads_;
  std::map<std::string, std::string> since_;
};

}  // namespace assay::torch_adapter
