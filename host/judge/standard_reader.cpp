#include "judge/standard_reader.hpp"

#include <algorithm>

#include "config/json.hpp"

namespace assay {

namespace {

constexpr std::pair<std::string_view, Verdict> kSeverities[] = {{"warning", Verdict::kWarning}, {"error", Verdict::kError}};
constexpr std::pair<std::string_view, Verdict> kEmptyVerdicts[] = {
    {"pass", Verdict::kPass}, {"skip", Verdict::kSkip}, {"error", Verdict::kError}};
constexpr std::pair<std::string_view, WhenMissing> kMissing[] = {
    {"ignore", WhenMissing::kIgnore}, {"skip", WhenMissing::kSkip}, {"error", WhenMissing::kError}};
constexpr std::pair<std::string_view, ScalarPolicy> kScalarPolicies[] = {
    {"tolerance", ScalarPolicy::kTolerance}, {"equal", ScalarPolicy::kEqual}, {"error", ScalarPolicy::kError}};
constexpr std::pair<std::string_view, MismatchPolicy> kMismatchPolicies[] = {{"error", MismatchPolicy::kError},
                                                                             {"compare", MismatchPolicy::kCompare}};
constexpr std::pair<std::string_view, LengthRule> kLengths[] = {
    {"one", LengthRule::kOne},          {"reduced", LengthRule::kReduced},        {"contraction", LengthRule::kContraction},
    {"last_dim", LengthRule::kLastDim}, {"largest_dim", LengthRule::kLargestDim}, {"largest_input", LengthRule::kLargestInput}};
constexpr std::pair<std::string_view, ScaleRule> kScales[] = {
    {"none", ScaleRule::kNone}, {"inputs", ScaleRule::kInputs}, {"sum", ScaleRule::kSum}, {"product", ScaleRule::kProduct}};
constexpr std::pair<const char*, Relation> kRelations[] = {
    {"above", Relation::kAbove}, {"at_least", Relation::kAtLeast}, {"below", Relation::kBelow}, {"at_most", Relation::kAtMost}};

void check_dtype_name(const JsonCursor& at, std::string_view name) {
  for (const std::string_view group : {"float", "half", "integer", "complex"}) {
    if (name == group) return;
  }
  if (!dtype_from_name(name)) {
    at.problem("unknown dtype '" + escape_control(name) + "'; known: a dtype such as float32, or float, half, integer, complex");
  }
}

Formula read_formula(JsonCursor& at) {
  Formula out;
  if (at.value().IsNumber()) {
    out.constant = at.value().GetDouble();
    return out;
  }
  if (!at.require_object()) return out;
  out.constant = at.number("constant").value_or(0);
  out.eps = at.number("eps").value_or(0);
  out.accumulated_eps = at.number("accumulated_eps").value_or(0);
  at.refuse_unknown_keys();
  return out;
}

Limit read_limit(JsonCursor& at) {
  Limit out;
  if (!at.has("by_dtype")) {
    out.entries.push_back({{}, read_formula(at)});
    return out;
  }
  at.for_each("by_dtype", [&](JsonCursor& item) {
    if (!item.require_object()) return;
    Limit::Entry entry;
    entry.dtypes = read_dtypes(item, "dtypes");
    if (auto formula = item.member("limit")) {
      entry.formula = read_formula(*formula);
    } else {
      item.problem("'limit' is missing");
    }
    item.refuse_unknown_keys();
    out.entries.push_back(std::move(entry));
  });
  at.refuse_unknown_keys();
  return out;
}

std::optional<Condition> read_condition(JsonCursor& rule, const char* key) {
  auto at = rule.member(key);
  if (!at || !at->require_object()) return std::nullopt;
  Condition out;
  int found = 0;
  for (const auto& [name, relation] : kRelations) {
    if (auto limit = at->member(name)) {
      out.relation = relation;
      out.limit = read_limit(*limit);
      ++found;
    }
  }
  if (found != 1) at->problem("expected one of above, at_least, below, at_most");
  at->refuse_unknown_keys();
  return out;
}

Rule read_rule(JsonCursor& at, const Standard::Body& standard) {
  Rule out;
  if (!at.require_object()) return out;
  out.code = at.required_text("code");
  out.says = at.text("says");
  out.classes = at.texts("classes");
  out.other_than = at.texts("other_than");
  out.dtypes = read_dtypes(at, "dtypes");
  out.metric = at.required_text("metric");
  out.over_input_scale = at.text("over_input_scale");
  out.accept = read_condition(at, "accept");
  out.pass = read_condition(at, "pass");
  out.warning = read_condition(at, "warning");
  out.otherwise = at.choice("otherwise", Verdict::kError, kSeverities);
  out.nan_passes = at.flag("nan_passes", false);
  out.missing = at.choice("missing", WhenMissing::kIgnore, kMissing);
  if (!out.pass && !out.accept) at.problem("'pass' or 'accept' is missing");
  if (out.warning && !out.pass) at.problem("'warning' needs 'pass'");
  for (const auto* names : {&out.classes, &out.other_than}) {
    for (const std::string& name : *names) {
      const bool known =
          std::any_of(standard.classes.begin(), standard.classes.end(), [&](const auto& c) { return c.name == name; });
      if (!known) at.problem("unknown class '" + escape_control(name) + "'");
    }
  }
  at.refuse_unknown_keys();
  return out;
}

OperatorClass read_class(JsonCursor& at) {
  OperatorClass out;
  if (!at.require_object()) return out;
  out.name = at.required_text("name");
  out.apis = at.texts("apis");
  out.gradient = at.text("gradient");
  out.length = at.choice("length", LengthRule::kOne, kLengths);
  out.growth = at.number("growth").value_or(0.5);
  if (out.growth < 0 || out.growth > 2) at.problem("'growth' must lie in 0..2");
  out.input_scale = at.choice("input_scale", ScaleRule::kNone, kScales);
  at.refuse_unknown_keys();
  return out;
}

constexpr std::pair<std::string_view, bool> kElsewhere[] = {{"ignore", false}, {"exact", true}};

std::optional<Override::Region> read_region(JsonCursor& parent) {
  auto at = parent.member("region");
  if (!at || !at->require_object()) return std::nullopt;
  Override::Region out;
  out.dim = at->integer("dim").value_or(0);
  out.start = at->integer("start").value_or(0);
  if (auto stop = at->member("stop"); stop && stop->value().IsObject()) {
    out.stop_argument = read_argument(*stop);
  } else {
    out.stop = at->integer("stop").value_or(0);
  }
  out.elsewhere_exact = at->choice<bool>("elsewhere", false, kElsewhere);
  if (out.start < 0 || (!out.stop_argument && out.stop <= out.start)) at->problem("expected 0 <= start < stop");
  at->refuse_unknown_keys();
  return out;
}

std::optional<Override::Mask> read_mask(JsonCursor& parent) {
  auto at = parent.member("mask");
  if (!at || !at->require_object()) return std::nullopt;
  Override::Mask out;
  out.keeps_zeros = at->choice<bool>("keep", false, {{"nonzero", false}, {"zero", true}});
  out.elsewhere_exact = at->choice<bool>("elsewhere", false, kElsewhere);
  out.argument = read_argument(*at);
  if (!out.argument.position && out.argument.name.empty()) at->problem("names no argument: neither 'position' nor 'name' is there");
  return out;
}

Override read_override(JsonCursor& at, const Standard::Body& standard) {
  Override out;
  if (!at.require_object()) return out;
  out.apis = at.texts("match");
  if (out.apis.empty()) at.problem("'match' names no API");
  out.direction = at.choice<std::string>("direction", "", {{"forward", "forward"}, {"backward", "backward"}});
  out.class_name = at.text("class");
  const bool known =
      std::any_of(standard.classes.begin(), standard.classes.end(), [&](const auto& c) { return c.name == out.class_name; });
  if (!out.class_name.empty() && !known) at.problem("unknown class '" + escape_control(out.class_name) + "'");
  out.rtol = at.number("rtol");
  const std::optional<double> atol = at.number("atol");
  out.atol = atol.value_or(0);
  if (atol && !out.rtol) out.rtol = 0;
  if (out.rtol.value_or(0) < 0 || out.atol < 0) at.problem("'rtol' and 'atol' must not be negative");
  if (at.has("outputs")) {
    out.outputs.emplace();
    at.for_each("outputs", [&](JsonCursor& item) {
      if (item.value().IsUint()) {
        out.outputs->push_back(item.value().GetUint());
      } else {
        item.problem("expected the position of an output, got " + JsonCursor::describe(item.value()));
      }
    });
  }
  out.region = read_region(at);
  out.mask = read_mask(at);
  if (out.region && out.mask) at.problem("either 'region' or 'mask' says what counts, not both");
  out.precision =
      at.choice<std::string>("precision", "", {{"as-recorded", "as-recorded"}, {"float32", "float32"}, {"float64", "float64"}});
  return out;
}

void read_policies(JsonCursor& root, Standard::Body& out) {
  out.round_expected = root.flag("round_expected", out.round_expected);
  out.scalars = root.choice("scalars", out.scalars, kScalarPolicies);
  out.dtype_mismatch = root.choice("dtype_mismatch", out.dtype_mismatch, kMismatchPolicies);
  out.empty = root.choice("empty", out.empty, kEmptyVerdicts);
  out.one_sided_gradient = root.choice("one_sided_gradient", out.one_sided_gradient, kEmptyVerdicts);
  out.nudge_factor = root.number("nudge_factor").value_or(out.nudge_factor);
  out.accumulates_in = root.text("accumulates_in", out.accumulates_in);
  if (const auto dtype = dtype_from_name(out.accumulates_in); !dtype || dtype_epsilon(*dtype) == 0) {
    root.problem("'accumulates_in' is no floating-point type");
  }
}

}  // namespace

DTypeSet read_dtypes(JsonCursor& at, const char* key) {
  DTypeSet out;
  out.names = at.texts(key);
  for (const std::string& name : out.names) check_dtype_name(at, name);
  return out;
}

void read_standard(JsonCursor& root, Standard::Body& out) {
  if (!root.require_object()) return;
  root.text("$schema");
  out.name = root.required_text("name");
  out.description = root.text("description");
  if (auto comparisons = root.member("comparisons"); comparisons && comparisons->require_object()) {
    for (const auto& entry : comparisons->value().GetObject()) {
      const JsonCursor config = *comparisons->member(entry.name.GetString());
      if (config.require_object()) out.comparisons.emplace_back(entry.name.GetString(), json_text(config.value()));
    }
  }
  read_policies(root, out);
  root.for_each("dtype_families", [&](JsonCursor& item) {
    DTypeSet family;
    if (!item.value().IsArray()) return item.problem("expected a list, got " + JsonCursor::describe(item.value()));
    for (const auto& name : item.value().GetArray()) {
      if (!name.IsString()) return item.problem("expected dtype names");
      check_dtype_name(item, name.GetString());
      family.names.emplace_back(name.GetString());
    }
    out.dtype_families.push_back(std::move(family));
  });
  root.for_each("classes", [&](JsonCursor& item) { out.classes.push_back(read_class(item)); });
  for (std::size_t i = 0; i < out.classes.size(); ++i) {
    const OperatorClass& c = out.classes[i];
    const auto named = [&](const auto& other) { return other.name == c.gradient; };
    if (!c.gradient.empty() && std::none_of(out.classes.begin(), out.classes.end(), named)) {
      root.problem("class '" + escape_control(c.name) + "' names the unknown class '" + escape_control(c.gradient) +
                   "' as gradient");
    }
  }
  root.for_each("kinds", [&](JsonCursor& item) { out.kinds.push_back(read_kind(item)); });
  root.for_each("rules", [&](JsonCursor& item) { out.rules.push_back(read_rule(item, out)); });
  if (out.rules.empty()) root.problem("'rules' is missing or empty");
  root.refuse_unknown_keys();
}

void read_overrides(JsonCursor& root, Standard::Body& out) {
  if (!root.require_object()) return;
  read_policies(root, out);
  std::vector<Rule> rules;
  root.for_each("rules", [&](JsonCursor& item) { rules.push_back(read_rule(item, out)); });
  out.rules.insert(out.rules.begin(), rules.begin(), rules.end());
  std::vector<Kind> kinds;
  root.for_each("kinds", [&](JsonCursor& item) { kinds.push_back(read_kind(item)); });
  out.kinds.insert(out.kinds.begin(), kinds.begin(), kinds.end());
  root.for_each("apis", [&](JsonCursor& item) {
    out.overrides.push_back(read_override(item, out));
    item.refuse_unknown_keys();
  });
  root.refuse_unknown_keys();
}

}  // namespace assay
