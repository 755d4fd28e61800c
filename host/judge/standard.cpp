// Decodes a standard and a pipeline's overrides.
#include <rapidjson/document.h>

#include <algorithm>

#include "config/json.hpp"
#include "judge/json_cursor.hpp"
#include "judge/standard_model.hpp"
#include "judge/standard_reader.hpp"

namespace assay {

Result<Standard> Standard::load(const std::filesystem::path& path, std::string_view overrides) {
  const Result<rapidjson::Document> document = load_json(path);
  if (!document) return document.failure();
  auto body = std::make_shared<Body>();
  Problems problems(path.string());
  JsonCursor root(*document, "", problems);
  read_standard(root, *body);

  Problems override_problems("overrides");
  if (!overrides.empty()) {
    const Result<rapidjson::Document> changes = parse_json(overrides, "overrides");
    if (!changes) return changes.failure();
    JsonCursor changes_root(*changes, "", override_problems);
    read_overrides(changes_root, *body);
  }
  if (!problems.empty() || !override_problems.empty()) {
    const std::string separator = problems.empty() || override_problems.empty() ? "" : "\n";
    return input_failure(problems.text() + separator + override_problems.text());
  }
  Standard standard;
  standard.body_ = std::move(body);
  return standard;
}

std::vector<std::string> Standard::metrics() const {
  std::vector<std::string> out;
  const auto add = [&](const std::string& name) {
    if (!name.empty() && std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  };
  for (const Rule& rule : body_->rules) {
    add(rule.metric);
    add(rule.over_input_scale);
  }
  return out;
}

std::string Standard::comparison_config(std::string_view component) const {
  for (const auto& [name, config] : body_->comparisons) {
    // Our own components go by their short name too.
    if (name == component || name == "assay." + std::string(component)) return config;
  }
  return "{}";
}

std::string Standard::precision_of(std::string_view api, std::string_view direction) const {
  const Override* const wanted = find_override(*body_, api, direction);
  return wanted == nullptr ? std::string() : wanted->precision;
}

const std::string& Standard::name() const { return body_->name; }
bool Standard::wants_nudge() const { return body_->nudge_factor > 0; }

}  // namespace assay
