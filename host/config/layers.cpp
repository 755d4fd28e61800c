#include "config/layers.hpp"

#include "config/json.hpp"

namespace assay {

void merge_layer(rapidjson::Value& base, const rapidjson::Value& layer, rapidjson::Document::AllocatorType& allocator) {
  for (const auto& member : layer.GetObject()) {
    const auto existing = base.FindMember(member.name);
    if (existing == base.MemberEnd()) {
      base.AddMember(rapidjson::Value(member.name, allocator), rapidjson::Value(member.value, allocator), allocator);
    } else if (existing->value.IsObject() && member.value.IsObject() && !member.value.HasMember("adapter") &&
               !member.value.HasMember("source")) {
      merge_layer(existing->value, member.value, allocator);
    } else {
      existing->value.CopyFrom(member.value, allocator);
    }
  }
}

std::vector<std::string> read_texts(const rapidjson::Value& config, const char* key) {
  std::vector<std::string> out;
  if (!config.HasMember(key)) return out;
  for (const rapidjson::Value& item : config[key].GetArray()) out.emplace_back(item.GetString(), item.GetStringLength());
  return out;
}

std::string read_text_or(const rapidjson::Value& object, const char* key, const std::string& fallback) {
  return object.HasMember(key) ? object[key].GetString() : fallback;
}

std::string read_object_or_empty(const rapidjson::Value& object, const char* key) {
  return object.HasMember(key) ? json_text(object[key]) : "{}";
}

}  // namespace assay
