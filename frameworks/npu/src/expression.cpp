#include "expression.hpp"

#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>

namespace assay::npu {

namespace {

constexpr int kDeepest = 50;  // parentheses in parentheses

class Parser {
 public:
  Parser(std::string_view text, const Scope& scope) : text_(text), scope_(scope) {}

  Expression parse() {
    Expression expression = disjunction();
    skip_space();
    if (at_ != text_.size()) fail("expected the end");
    return expression;
  }

 private:
  using Kind = Expression::Kind;

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ASSAY_INVALID_ARGUMENT, "'" + std::string(text_) + "', character " + std::to_string(at_ + 1) + ": " + what);
  }

  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }

  bool take(std::string_view symbol) {
    skip_space();
    if (text_.substr(at_, symbol.size()) != symbol) return false;
    at_ += symbol.size();
    return true;
  }

  static bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

  bool take_word(std::string_view word) {
    skip_space();
    const std::size_t end = at_ + word.size();
    if (text_.substr(at_, word.size()) != word || (end < text_.size() && is_name(text_[end]))) return false;
    at_ = end;
    return true;
  }

  static Expression node(Kind kind, std::vector<Expression> children) {
    Expression expression;
    expression.kind = kind;
    expression.children = std::move(children);
    return expression;
  }

  static Expression literal(Datum value) {
    Expression expression;
    expression.literal = std::move(value);
    return expression;
  }

  static Expression binary(std::string operation, Expression left, Expression right) {
    Expression expression = node(Kind::kBinary, {std::move(left), std::move(right)});
    expression.operation = std::move(operation);
    return expression;
  }

  Expression disjunction() {
    if (++depth_ > kDeepest) fail("too deep");
    Expression left = conjunction();
    while (take_word("or")) left = node(Kind::kOr, {std::move(left), conjunction()});
    --depth_;
    return left;
  }

  Expression conjunction() {
    Expression left = negation();
    while (take_word("and")) left = node(Kind::kAnd, {std::move(left), negation()});
    return left;
  }

  Expression negation() {
    if (take_word("not")) return node(Kind::kNot, {negation()});
    return comparison();
  }

  Expression comparison() {
    Expression left = sum();
    for (const char* operation : {"==", "!=", "<=", ">=", "<", ">"}) {
      if (take(operation)) return binary(operation, std::move(left), sum());
    }
    return left;
  }

  Expression sum() {
    Expression left = product();
    for (;;) {
      if (take("+")) {
        left = binary("+", std::move(left), product());
      } else if (take("-")) {
        left = binary("-", std::move(left), product());
      } else {
        return left;
      }
    }
  }

  Expression product() {
    Expression left = unary();
    for (;;) {
      if (take("*")) {
        left = binary("*", std::move(left), unary());
      } else if (take("//")) {
        left = binary("//", std::move(left), unary());
      } else if (take("/")) {
        left = binary("/", std::move(left), unary());
      } else {
        return left;
      }
    }
  }

  Expression unary() {
    if (take("-")) return node(Kind::kNegate, {unary()});
    return primary();
  }

  std::vector<Expression> arguments(std::string_view end) {
    std::vector<Expression> items;
    if (take(end)) return items;
    do {
      items.push_back(disjunction());
    } while (take(","));
    if (!take(end)) fail("expected ',' or '" + std::string(end) + "'");
    return items;
  }

  Expression primary() {
    skip_space();
    if (at_ == text_.size()) fail("expected a value");
    if (take("(")) {
      Expression inner = disjunction();
      if (!take(")")) fail("expected ')'");
      return inner;
    }
    if (take("[")) return node(Kind::kList, arguments("]"));
    if (take("'")) return quoted();
    if (std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) return number();
    if (is_name(text_[at_])) return named();
    fail("expected a value");
  }

  Expression quoted() {
    const std::size_t end = text_.find('\'', at_);
    if (end == std::string_view::npos) fail("expected a closing quote");
    std::string value(text_.substr(at_, end - at_));
    at_ = end + 1;
    return literal(std::move(value));
  }

  Expression number() {
    std::size_t end = at_;
    while (end < text_.size() &&
           (is_name(text_[end]) || text_[end] == '.' || ((text_[end] == '-' || text_[end] == '+') && text_[end - 1] == 'e'))) {
      ++end;
    }
    const char* const first = text_.data() + at_;
    const char* const last = text_.data() + end;
    std::int64_t integer = 0;
    double real = 0;
    if (const auto r = std::from_chars(first, last, integer); r.ec == std::errc() && r.ptr == last) {
      at_ = end;
      return literal(integer);
    }
    if (const auto r = std::from_chars(first, last, real); r.ec == std::errc() && r.ptr == last) {
      at_ = end;
      return literal(real);
    }
    fail("expected a number");
  }

  Expression named() {
    std::size_t end = at_;
    while (end < text_.size() && is_name(text_[end])) ++end;
    const std::string name(text_.substr(at_, end - at_));
    const std::size_t start = at_;
    at_ = end;
    if (take("(")) return called(name, start);
    if (const std::size_t* slot = scope_.find(name)) {
      Expression expression;
      expression.kind = Kind::kSlot;
      expression.slot = *slot;
      return expression;
    }
    if (name == "none") return literal(Datum());
    if (name == "true") return literal(true);
    if (name == "false") return literal(false);
    if (name == "inf") return literal(std::numeric_limits<double>::infinity());
    if (const auto dtype = dtype_from_name(name)) return literal(*dtype);
    at_ = start;
    fail("unknown name '" + name + "'");
  }

  Expression called(const std::string& name, std::size_t start) {
    std::vector<Expression> given = arguments(")");
    if (name == "if") {
      if (given.size() != 3) fail("'if' takes 3 values");
      return node(Kind::kIf, std::move(given));
    }
    const Rule* const rule = find_rule(name);
    if (rule == nullptr) {
      at_ = start;
      fail("unknown rule '" + name + "'");
    }
    const int count = static_cast<int>(given.size());
    if (count < rule->fewest || (rule->most >= 0 && count > rule->most)) {
      fail("rule '" + name + "' got " + std::to_string(count) + " values, expected " + std::to_string(rule->fewest) +
           (rule->most == rule->fewest ? ""
            : rule->most < 0           ? " or more"
                                       : " to " + std::to_string(rule->most)));
    }
    Expression expression = node(Kind::kRule, std::move(given));
    expression.rule = rule;
    return expression;
  }

  std::string_view text_;
  const Scope& scope_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

bool equal(const Datum& left, const Datum& right) {
  if (left.number() && right.number()) return as_real(left, "a compared value") == as_real(right, "a compared value");
  if (left.data.index() != right.data.index()) return false;
  if (const auto* text = left.get_if<std::string>()) return *text == *right.get_if<std::string>();
  if (const auto* dtype = left.get_if<assay_dtype>()) return *dtype == *right.get_if<assay_dtype>();
  if (const auto* list = left.get_if<DatumList>()) {
    const DatumList& other = *right.get_if<DatumList>();
    bool same = list->size() == other.size();
    for (std::size_t i = 0; same && i < list->size(); ++i) same = equal((*list)[i], other[i]);
    return same;
  }
  return left.none();
}

std::int64_t floor_divide(std::int64_t left, std::int64_t right) {
  if (right == 0 || (left == std::numeric_limits<std::int64_t>::min() && right == -1))
    throw Error(ASSAY_INVALID_ARGUMENT, "a size is divided by 0");
  const std::int64_t quotient = left / right;
  return left % right != 0 && (left < 0) != (right < 0) ? quotient - 1 : quotient;
}

/// Sizes are far below overflow; numbers from a recording need not be.
std::int64_t whole(const std::string& operation, std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  const bool overflow = operation == "+"   ? __builtin_add_overflow(left, right, &result)
                        : operation == "-" ? __builtin_sub_overflow(left, right, &result)
                                           : __builtin_mul_overflow(left, right, &result);
  if (overflow) throw Error(ASSAY_INVALID_ARGUMENT, "a number is too large");
  return result;
}

Datum binary(const std::string& operation, const Datum& left, const Datum& right) {
  if (operation == "==") return equal(left, right);
  if (operation == "!=") return !equal(left, right);
  const char* const what = "a value in an expression";
  const bool integers = (left.is<std::int64_t>() || left.is<bool>()) && (right.is<std::int64_t>() || right.is<bool>());
  const double l = as_real(left, what);
  const double r = as_real(right, what);
  if (operation == "<") return l < r;
  if (operation == "<=") return l <= r;
  if (operation == ">") return l > r;
  if (operation == ">=") return l >= r;
  if (operation == "/") return l / r;
  if (integers) {
    const std::int64_t a = as_integer(left, what);
    const std::int64_t b = as_integer(right, what);
    return operation == "//" ? floor_divide(a, b) : whole(operation, a, b);
  }
  if (operation == "//") return std::floor(l / r);
  return operation == "+" ? l + r : operation == "-" ? l - r : l * r;
}

}  // namespace

std::size_t Scope::add(const std::string& name) { return slots_.emplace(name, slots_.size()).first->second; }

const std::size_t* Scope::find(const std::string& name) const {
  const auto found = slots_.find(name);
  return found != slots_.end() ? &found->second : nullptr;
}

Expression parse_expression(std::string_view text, const Scope& scope) { return Parser(text, scope).parse(); }

Datum evaluate(const Expression& expression, Runner& runner, const std::vector<Datum>& slots) {
  const auto child = [&](std::size_t i) { return evaluate(expression.children[i], runner, slots); };
  const char* const condition = "a condition";
  switch (expression.kind) {
    case Expression::Kind::kLiteral: return expression.literal;
    case Expression::Kind::kSlot: return slots[expression.slot];
    case Expression::Kind::kIf: return child(as_flag(child(0), condition) ? 1 : 2);
    case Expression::Kind::kAnd: return as_flag(child(0), condition) && as_flag(child(1), condition);
    case Expression::Kind::kOr: return as_flag(child(0), condition) || as_flag(child(1), condition);
    case Expression::Kind::kNot: return !as_flag(child(0), condition);
    case Expression::Kind::kNegate: {
      const Datum value = child(0);
      if (const auto* real = value.get_if<double>()) return -*real;
      return whole("-", 0, as_integer(value, "a negated value"));
    }
    case Expression::Kind::kBinary: return binary(expression.operation, child(0), child(1));
    default: break;
  }
  DatumList items;
  items.reserve(expression.children.size());
  for (std::size_t i = 0; i < expression.children.size(); ++i) items.push_back(child(i));
  if (expression.kind == Expression::Kind::kList) return items;
  return expression.rule->apply(runner, items);
}

}  // namespace assay::npu
