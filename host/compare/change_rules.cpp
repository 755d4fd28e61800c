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
      Rule rule;
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

std::optional<double> ChangeRules::ratio(const std::string& metric, const std::string& dtype, double tested,
                                         double baseline) const {
  const auto found = rules_.find(metric);
  if (found == rules_.end()) return std::nullopt;
  const Rule& rule = found->second;
  const double floor = rule.floor.at(dtype.substr(dtype.rfind('.') + 1));
  const auto error = [&](double value) { return std::max(rule.best ? *rule.best - value : std::fabs(value), floor); };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (std::isnan(tested) || std::isnan(baseline)) {
    if (std::isnan(tested) && std::isnan(baseline)) return 1;
    return std::isnan(tested) ? kInfinity : 0;
  }
  const double now = error(tested);
  const double before = error(baseline);
  if (now == before) return 1;
  return before == 0 ? kInfinity : now / before;
}

}  // namespace assay
