#include "perturb/stability.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "config/json.hpp"
#include "judge/json_cursor.hpp"

namespace assay {

std::string operator_name(const std::string& api) {
  std::string name = api.substr(api.rfind('.') + 1);
  while (name.size() > 1 && name.back() == '_') name.pop_back();
  while (name.size() > 1 && name.front() == '_') name.erase(0, 1);
  return name;
}

Result<StabilityStandard> StabilityStandard::load(const std::filesystem::path& path) {
  const Result<rapidjson::Document> document = load_json(path);
  if (!document) return document.failure();
  Problems problems(path.string());
  JsonCursor root(*document, "", problems);
  StabilityStandard out;
  if (root.require_object()) {
    static_cast<void>(root.text("description"));
    root.for_each("classes", [&](JsonCursor& at) {
      if (!at.require_object()) return;
      Class entry;
      entry.name = at.required_text("name");
      at.for_each("apis", [&](JsonCursor& item) {
        if (item.value().IsString()) {
          entry.apis.emplace_back(item.value().GetString(), item.value().GetStringLength());
        } else {
          item.problem("expected a name");
        }
      });
      const auto limits = at.member("amplification");
      if (!limits || !limits->value().IsObject()) {
        at.problem("'amplification' is missing or no object");
        return;
      }
      for (const auto& member : limits->value().GetObject()) {
        const std::string key = member.name.GetString();
        if (key != "default" && !dtype_from_name(key)) limits->problem("'" + escape_control(key) + "' is no dtype");
        if (!member.value.IsNumber() || !(member.value.GetDouble() > 0)) {
          limits->problem("'" + escape_control(key) + "' must be a number above 0");
        } else {
          entry.amplification[key] = member.value.GetDouble();
        }
      }
      if (entry.amplification.count("default") == 0) limits->problem("'default' is missing");
      at.refuse_unknown_keys();
      out.classes_.push_back(std::move(entry));
    });
    root.refuse_unknown_keys();
    const bool has_rest = !out.classes_.empty() && out.classes_.back().apis == std::vector<std::string>{"*"};
    if (problems.empty() && !has_rest) root.problem("the last class must be for all other operators: \"apis\": [\"*\"]");
  }
  if (!problems.empty()) return input_failure(problems.text());
  return out;
}

StabilityLimit StabilityStandard::limit_for(const std::string& api, assay_dtype dtype) const {
  const std::string name = operator_name(api);
  const auto found = std::find_if(classes_.begin(), classes_.end(), [&](const Class& entry) {
    return std::any_of(entry.apis.begin(), entry.apis.end(), [&](const std::string& glob) { return glob_match(glob, name); });
  });
  const auto own = found->amplification.find(std::string(dtype_name(dtype)));
  return {found->name, own != found->amplification.end() ? own->second : found->amplification.at("default")};
}

}  // namespace assay
