#include "compare/change_rules.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "config/json.hpp"
#include "judge/json_cursor.hpp"

namespace assay {

Result<ChangeRules> ChangeRules::load(const std::filesystem::path& path) {
  const Result<rapidjson::Document> document = load_json(path);
  if (!document) return document.failure();
  Problems problems(path.string());
  JsonCursor root(*document, "", problems);
  ChangeRules out;
  if (root.require_object()) {
    root.text("$schema");
    root.text("name");
    root.text("description");
    out.factor = root.number("factor").value_or(2);
    if (!(out.factor > 1)) root.problem("'factor' must be above 1");
    root.for_each("metrics", [&](JsonCursor& at) {
      if (!at.require_object()) return;
      ChangeRule rule;
      rule.best = at.number("best");
      rule.floor = read_by_dtype(at, "floor");
      for (const std::string& name : at.texts("names")) out.rules_[name] = rule;
      at.refuse_unknown_keys();
    });
    root.refuse_unknown_keys();
  }
  if (!problems.empty()) return input_failure(problems.text());
  return out;
}

const ChangeRule* ChangeRules::find(const std::string& metric) const {
  const auto found = rules_.find(metric);
  return found == rules_.end() ? nullptr : &found->second;
}

double ChangeRule::ratio(const std::string& dtype, double tested, double baseline) const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (std::isnan(tested) || std::isnan(baseline)) {
    if (std::isnan(tested) && std::isnan(baseline)) return 1;
    return std::isnan(tested) ? kInfinity : 0;
  }
  const double smallest = floor.at(dtype.substr(dtype.rfind('.') + 1));
  const auto error = [&](double value) { return std::max(best ? *best - value : std::fabs(value), smallest); };
  const double now = error(tested);
  const double before = error(baseline);
  if (now == before) return 1;
  return before == 0 ? kInfinity : now / before;
}

}  // namespace assay
