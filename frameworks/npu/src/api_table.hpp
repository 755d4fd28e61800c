// configs/apis/aclnn.json, read and checked: which operators there are, and how a recorded API is run with them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "expression.hpp"
#include "runner.hpp"

namespace assay::npu {

/// One parameter of an API as Python has it.
struct ApiParameter {
  std::vector<std::string> names;  ///< "input", and others it goes by
  std::size_t slot = 0;
  bool required = true;
  bool keyword_only = false;
  bool rest = false;  ///< takes all positional arguments from here on, as a list
  Datum otherwise;    ///< where it is not given
};

/// What a statement's result is called, and how its memory is made: out(shape, dtype[, largest])
struct Target {
  bool discard = false;  ///< `none`: the operator gets no output
  std::size_t slot = 0;
  std::optional<Expression> shape;  ///< absent: the statement's value itself
  std::optional<Expression> dtype;
  bool largest = false;  ///< the true shape is known after the operator
};

/// "out(shape(x), dtype(x)) = aclnnAbs(x)", "d = dim(x, -1)" or "aclnnInplaceCopy(x, y)"
struct Statement {
  std::string text;
  std::vector<Target> targets;
  AclnnOperator* operation = nullptr;  ///< of a call
  std::vector<Expression> arguments;   ///< of a call: all but outputs and cubeMathType
  Expression value;                    ///< of an assignment
};

struct Gradient {
  std::size_t parameter;
  Expression value;
};

/// One way to run an API, for the arguments that meet its condition.
struct Form {
  std::optional<Expression> when;
  std::vector<Statement> run;
  std::vector<Expression> returns;
  bool has_backward = false;
  std::vector<bool> takes_gradient;  ///< by output: whether the backward makes use of what arrives there
  std::vector<Statement> backward;
  bool backward_needs_run = true;  ///< what the forward operators compute; else the shapes of the outputs are enough
  std::vector<Gradient> gives;
};

struct ApiFunction {
  std::string name;
  std::vector<ApiParameter> parameters;
  std::vector<std::size_t> gradient_slots;  ///< `grad`, `grad1`, ...: what arrives at the outputs
  std::vector<Form> forms;
  std::size_t slot_count = 0;
  std::vector<std::size_t> written;  ///< parameters whose memory the API may change besides what its name says
};

/// How an API's name is understood: the function, and whether it writes its first argument.
struct ResolvedApi {
  const ApiFunction* function = nullptr;
  bool in_place = false;
};

class ApiTable {
 public:
  /// Throws Error(ASSAY_INVALID_ARGUMENT) with the file and the entry that can't be read.
  static ApiTable load(const std::string& path);

  /// Throws Error(ASSAY_NOT_FOUND) where the table has no such API.
  [[nodiscard]] ResolvedApi resolve(const std::string& api) const;
  [[nodiscard]] OperatorMap& operators() { return operators_; }
  [[nodiscard]] bool is_ignored(const std::string& keyword) const;

 private:
  friend class TableReader;
  [[nodiscard]] const ApiFunction* find(const std::string& name) const;

  OperatorMap operators_;
  std::map<std::string, ApiFunction, std::less<>> functions_;
  std::map<std::string, std::string, std::less<>> aliases_;
  std::vector<std::string> ignored_;
};

}  // namespace assay::npu
