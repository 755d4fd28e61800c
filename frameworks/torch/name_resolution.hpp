// From an API's recorded name to what can run it: dispatcher operators, library functions, a hook.
#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "api_table.hpp"
#include "function_library.hpp"
#include "hooks.hpp"

namespace assay::torch_adapter {

/// One schema to try.
struct Candidate {
  std::string name;  ///< "aten::add.Tensor"
  const c10::FunctionSchema* schema = nullptr;
  std::function<void(std::vector<c10::IValue>& stack)> run;
  bool writes_all = false;  ///< may write any tensor argument (library functions that work in place)
  int handicap = 0;         ///< added to the cost of a match: less natural readings of a name
};

struct ResolvedApi {
  std::string name;
  ApiEntry entry;
  bool is_method = false;
  const Hook* hook = nullptr;
  std::vector<Candidate> functions;  ///< tried first
  std::vector<Candidate> operators;
  std::vector<Candidate> fallbacks;  ///< tried last
  std::string problem;               ///< why a function of the API doesn't compile, where none does
};

class NameResolver {
 public:
  NameResolver(ApiTable table, std::string version);

  /// Throws Error(ASSAY_NOT_FOUND), with similar names, or Error(ASSAY_UNSUPPORTED) with the reason.
  const ResolvedApi& resolve(const std::string& api);
  [[nodiscard]] const ApiTable& table() const { return table_; }

 private:
  ResolvedApi build(const std::string& api);
  std::vector<Candidate> functions_named(const std::vector<std::string>& names, std::string& problem);
  [[nodiscard]] std::string unknown(const std::string& api) const;

  ApiTable table_;
  FunctionLibrary library_;
  std::string version_;
  std::map<std::string, std::unique_ptr<ResolvedApi>> cache_;
};

}  // namespace assay::torch_adapter
