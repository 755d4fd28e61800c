#include "statement_parser.hpp"

#include <algorithm>

namespace assay::npu {

namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\n");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

/// Calls f(position) for each character outside of brackets and quotes.
template <class F>
void for_each_outer(const std::string& text, F&& f) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\'') quoted = !quoted;
    if (quoted) continue;
    if (c == ')' || c == ']') --depth;
    if (depth == 0) f(i);
    if (c == '(' || c == '[') ++depth;
  }
}

std::vector<std::string> split_outer(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  for_each_outer(text, [&](std::size_t i) {
    if (text[i] != ',') return;
    parts.push_back(trimmed(text.substr(start, i - start)));
    start = i + 1;
  });
  const std::string last = trimmed(text.substr(start));
  if (!last.empty() || !parts.empty()) parts.push_back(last);
  return parts;
}

/// The place of the assignment; npos where there is none.
std::size_t assignment(const std::string& text) {
  std::size_t found = std::string::npos;
  for_each_outer(text, [&](std::size_t i) {
    const auto near = [&](std::size_t j) { return j < text.size() ? text[j] : ' '; };
    const bool compares = near(i + 1) == '=' || (i > 0 && std::string("=!<>").find(text[i - 1]) != std::string::npos);
    if (text[i] == '=' && !compares && found == std::string::npos) found = i;
  });
  return found;
}

struct Called {
  std::string name;
  std::vector<std::string> arguments;
};

/// "name(a, b)" taken apart; no arguments where there are no brackets.
Called take_apart(const std::string& text) {
  const std::size_t open = text.find('(');
  if (open == std::string::npos) return {text, {}};
  if (text.back() != ')') throw Error(ASSAY_INVALID_ARGUMENT, "expected ')' at the end of '" + text + "'");
  return {trimmed(text.substr(0, open)), split_outer(text.substr(open + 1, text.size() - open - 2))};
}

bool is_identifier(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

Target parse_target(const std::string& text, Scope& scope) {
  Target target;
  if (text == "none") {
    target.discard = true;
    return target;
  }
  const Called parts = take_apart(text);
  const bool largest = parts.arguments.size() == 3 && parts.arguments[2] == "largest";
  if (!is_identifier(parts.name) || !(parts.arguments.empty() || parts.arguments.size() == 2 || largest))
    throw Error(ASSAY_INVALID_ARGUMENT, "expected name or name(shape, dtype[, largest]), got '" + text + "'");
  if (!parts.arguments.empty()) {
    target.shape = parse_expression(parts.arguments[0], scope);
    target.dtype = parse_expression(parts.arguments[1], scope);
    target.largest = largest;
  }
  target.slot = scope.add(parts.name);
  return target;
}

bool is_output(const Parameter& parameter) { return parameter.role == ParameterRole::kOut; }

void parse_call(const std::string& text, Statement& statement, const Scope& scope, OperatorMap& operators) {
  const Called call = take_apart(text);
  const auto found = operators.find(call.name);
  if (found == operators.end()) throw Error(ASSAY_INVALID_ARGUMENT, "'operators' has no " + call.name);
  statement.operation = found->second.get();
  for (const std::string& argument : call.arguments) statement.arguments.push_back(parse_expression(argument, scope));
  const std::vector<Parameter>& parameters = statement.operation->parameters();
  const auto outputs = static_cast<std::size_t>(std::count_if(parameters.begin(), parameters.end(), is_output));
  const bool has_mode =
      std::any_of(parameters.begin(), parameters.end(), [](const Parameter& p) { return p.name == kMathModeParameter; });
  const std::size_t inputs = parameters.size() - outputs - (has_mode ? 1 : 0);
  if (statement.arguments.size() != inputs) {
    throw Error(ASSAY_INVALID_ARGUMENT, call.name + " got " + std::to_string(statement.arguments.size()) +
                                            " arguments, its signature has " + std::to_string(inputs) + " beside outputs");
  }
  if (statement.targets.size() != outputs) {
    throw Error(ASSAY_INVALID_ARGUMENT, call.name + " has " + std::to_string(outputs) + " outputs, the statement names " +
                                            std::to_string(statement.targets.size()));
  }
  for (const Target& target : statement.targets) {
    if (!target.discard && !target.shape)
      throw Error(ASSAY_INVALID_ARGUMENT, "an output of " + call.name + " has no shape and dtype");
  }
}

}  // namespace

Statement parse_statement(const std::string& text, Scope& scope, OperatorMap& operators) {
  Statement statement;
  statement.text = text;
  const std::size_t equals = assignment(text);
  const std::string right = trimmed(equals == std::string::npos ? text : text.substr(equals + 1));
  const bool calls = right.compare(0, 5, "aclnn") == 0;
  const Scope before = scope;  // a statement doesn't see what it gives
  if (equals != std::string::npos) {
    for (const std::string& target : split_outer(text.substr(0, equals))) statement.targets.push_back(parse_target(target, scope));
  }
  if (calls) {
    parse_call(right, statement, before, operators);
    return statement;
  }
  if (statement.targets.size() != 1 || statement.targets[0].discard || statement.targets[0].shape)
    throw Error(ASSAY_INVALID_ARGUMENT, "expected name = value or outputs = aclnnOperator(...)");
  statement.value = parse_expression(right, before);
  return statement;
}

std::vector<ApiParameter> parse_parameters(const std::string& text, Scope& scope) {
  std::vector<ApiParameter> parameters;
  bool keyword_only = false;
  for (const std::string& part : split_outer(text)) {
    if (part == "*") {
      keyword_only = true;
      continue;
    }
    ApiParameter parameter;
    parameter.keyword_only = keyword_only;
    const std::size_t equals = part.find('=');
    std::string names = trimmed(part.substr(0, equals));
    if (equals != std::string::npos) {
      parameter.required = false;
      const Expression value = parse_expression(part.substr(equals + 1), Scope());
      const bool negative = value.kind == Expression::Kind::kNegate && value.children[0].kind == Expression::Kind::kLiteral;
      const bool empty = value.kind == Expression::Kind::kList && value.children.empty();
      if (value.kind != Expression::Kind::kLiteral && !negative && !empty)
        throw Error(ASSAY_INVALID_ARGUMENT, "the default of '" + names + "' is not a literal");
      if (negative) {
        const Datum& number = value.children[0].literal;
        parameter.otherwise = number.is<double>() ? Datum(-as_real(number, "a default")) : Datum(-as_integer(number, "a default"));
      } else {
        parameter.otherwise = empty ? Datum(DatumList()) : value.literal;
      }
    }
    if (!names.empty() && names[0] == '*') {
      parameter.rest = true;
      names.erase(0, 1);
    }
    for (std::size_t start = 0; start <= names.size();) {
      const std::size_t end = std::min(names.find('|', start), names.size());
      parameter.names.push_back(trimmed(names.substr(start, end - start)));
      if (!is_identifier(parameter.names.back())) throw Error(ASSAY_INVALID_ARGUMENT, "'" + part + "' is not a parameter");
      start = end + 1;
    }
    parameter.slot = scope.add(parameter.names[0]);
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

}  // namespace assay::npu
