// Expressions of the operator table: "broadcast(input, other)", "if(dim < 0, dim + rank(input), dim)", "[size(x, 0), 1]".
//
// Values are those of datum.hpp. Names are parameters and earlier results, dtypes (float32), none, true, false, or rules
// (rules.hpp) when called. Literals: integers, numbers, 'text'. Operators: or, and, not, == != < <= > >=, + - * / //, unary -.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "datum.hpp"

namespace assay::npu {

class Runner;

/// A named rule: shapes, dtypes, views, small compositions of operators.
struct Rule {
  const char* name;
  int fewest;  ///< arguments
  int most;    ///< -1: any number
  Datum (*apply)(Runner& runner, const DatumList& arguments);
};

/// Null where there is none of that name.
const Rule* find_rule(std::string_view name);

struct Expression {
  enum class Kind { kLiteral, kSlot, kList, kRule, kIf, kAnd, kOr, kNot, kNegate, kBinary };
  Kind kind = Kind::kLiteral;
  Datum literal;
  std::size_t slot = 0;
  const Rule* rule = nullptr;
  std::string operation;  ///< of kBinary
  std::vector<Expression> children;
};

/// Where the values of a function's names are kept.
class Scope {
 public:
  std::size_t add(const std::string& name);  ///< the slot of that name, new or not
  [[nodiscard]] const std::size_t* find(const std::string& name) const;
  [[nodiscard]] std::size_t size() const { return slots_.size(); }

 private:
  std::map<std::string, std::size_t> slots_;
};

/// Throws Error(ASSAY_INVALID_ARGUMENT) with the text and the place where it can't be read.
Expression parse_expression(std::string_view text, const Scope& scope);

Datum evaluate(const Expression& expression, Runner& runner, const std::vector<Datum>& slots);

}  // namespace assay::npu
