#include "dump/structured_inputs.hpp"

#include <algorithm>

#include "config/json.hpp"

namespace assay {

namespace {

std::string_view last_part(std::string_view api) { return api.substr(api.rfind('.') + 1); }

}  // namespace

Result<StructuredInputs> StructuredInputs::load(const std::filesystem::path& path) {
  const Result<rapidjson::Document> json = load_json(path);
  if (!json) return json.failure();
  const auto wrong = [&path](const std::string& pointer, const char* expected) {
    return input_failure(path.string() + ": " + pointer + ": expected " + expected);
  };
  if (!json->IsObject()) return wrong("/", "an object");
  StructuredInputs inputs;
  const auto needs = json->FindMember("needs_real_data");
  if (needs == json->MemberEnd() || !needs->value.IsObject()) return wrong("/needs_real_data", "an object");
  for (const auto& [name, need] : needs->value.GetObject()) {
    if (!need.IsString()) return wrong(pointer_below("/needs_real_data", name.GetString()), "a string");
    inputs.needs_.emplace(name.GetString(), need.GetString());
  }
  const auto ignored = json->FindMember("negative_means_ignore");
  if (ignored == json->MemberEnd() || !ignored->value.IsObject()) return wrong("/negative_means_ignore", "an object");
  for (const auto& [name, paths] : ignored->value.GetObject()) {
    const std::string pointer = pointer_below("/negative_means_ignore", name.GetString());
    if (!paths.IsArray()) return wrong(pointer, "a list");
    std::vector<std::string>& list = inputs.ignored_[name.GetString()];
    for (const auto& argument : paths.GetArray()) {
      if (!argument.IsString()) return wrong(pointer, "a list of strings");
      list.emplace_back(argument.GetString());
    }
  }
  return inputs;
}

std::string_view StructuredInputs::need(std::string_view api) const {
  const auto found = needs_.find(last_part(api));
  return found == needs_.end() ? std::string_view() : std::string_view(found->second);
}

bool StructuredInputs::is_index_with_ignored(std::string_view api, const std::string& path) const {
  const auto found = ignored_.find(last_part(api));
  return found != ignored_.end() && std::find(found->second.begin(), found->second.end(), path) != found->second.end();
}

}  // namespace assay
