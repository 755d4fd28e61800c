#include "pipeline/second_meanings.hpp"

#include "config/json.hpp"

namespace assay {

Result<SecondMeanings> SecondMeanings::load(const std::filesystem::path& path) {
  const Result<rapidjson::Document> json = load_json(path);
  if (!json) return json.failure();
  if (!json->IsObject()) return input_failure(path.string() + ": /: expected an object");
  SecondMeanings meanings;
  for (const auto& [name, other] : json->GetObject()) {
    if (!other.IsString()) {
      return input_failure(path.string() + ": " + pointer_below("", name.GetString()) + ": expected a string");
    }
    meanings.names_.emplace(name.GetString(), other.GetString());
  }
  return meanings;
}

const std::string& SecondMeanings::of(const std::string& api) const {
  static const std::string kNone;
  const auto found = names_.find(api);
  return found == names_.end() ? kNone : found->second;
}

}  // namespace assay
