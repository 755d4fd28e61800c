#include "judge/plan.hpp"

#include <algorithm>
#include <mutex>

namespace assay {

namespace {

bool lists(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

const OperatorClass* find_class(const Standard::Body& standard, const std::string& name) {
  const auto found = std::find_if(standard.classes.begin(), standard.classes.end(), [&](const auto& c) { return c.name == name; });
  return found == standard.classes.end() ? nullptr : &*found;
}

}  // namespace

const Plan& PlanBook::plan(const std::string& api, const std::string& direction) {
  const std::string key = direction + ":" + api;
  {
    const std::shared_lock lock(mutex_);
    if (const auto found = plans_.find(key); found != plans_.end()) return *found->second;
  }
  auto made = std::make_unique<const Plan>(make(api, direction));
  const std::unique_lock lock(mutex_);
  return *plans_.emplace(key, std::move(made)).first->second;
}

Plan PlanBook::make(const std::string& api, const std::string& direction) const {
  const Standard::Body& standard = standard_.body();
  Plan plan;
  plan.op_class.name = "default";
  const auto in_direction = [&](const std::string& wanted) { return wanted.empty() || wanted == direction; };
  plan.changed = find_override(standard, api, direction);
  const auto found = std::find_if(standard.classes.begin(), standard.classes.end(),
                                  [&](const OperatorClass& c) { return names_api(c.apis, api); });
  if (found != standard.classes.end()) plan.op_class = *found;
  if (direction == "backward" && !plan.op_class.gradient.empty()) plan.op_class = *find_class(standard, plan.op_class.gradient);
  if (plan.changed != nullptr && !plan.changed->class_name.empty()) {
    plan.op_class = *find_class(standard, plan.changed->class_name);
  }
  for (const Kind& kind : standard.kinds) {
    if (in_direction(kind.direction) && names_api(kind.apis, api)) plan.kinds.push_back(&kind);
  }
  for (const Rule& rule : standard.rules) {
    const bool wanted = rule.classes.empty() || lists(rule.classes, plan.op_class.name);
    if (wanted && !lists(rule.other_than, plan.op_class.name)) plan.rules.push_back(&rule);
  }
  return plan;
}

}  // namespace assay
