#include "watch/watch_flags.hpp"

#include "config/json.hpp"
#include "watch/watch_config.hpp"

namespace assay {

Result<std::string> watch_document(const std::filesystem::path& file, const WatchFlags& flags) {
  rapidjson::Document document(rapidjson::kObjectType);
  if (!file.empty()) {
    Result<rapidjson::Document> user = load_json(file);
    if (!user) return user.failure();
    if (is_msprobe_config(*user)) user = watch_layer_of(*user, file.string());
    if (!user) return user.failure();
    document = std::move(*user);
    if (!document.IsObject()) return input_failure("read " + file.string() + ": expected an object, got " + json_excerpt(document));
  }
  auto& allocator = document.GetAllocator();
  const auto set = [&](const char* key, rapidjson::Value value) {
    document.RemoveMember(key);
    document.AddMember(rapidjson::Value(key, allocator), std::move(value), allocator);
  };
  const auto set_text = [&](const char* key, const std::optional<std::string>& value) {
    if (value) set(key, rapidjson::Value(*value, allocator));
  };
  const auto set_texts = [&](const char* key, const std::vector<std::string>& values) {
    if (values.empty()) return;
    rapidjson::Value list(rapidjson::kArrayType);
    for (const std::string& value : values) list.PushBack(rapidjson::Value(value, allocator), allocator);
    set(key, std::move(list));
  };
  set_text("budget", flags.budget);
  set_text("stage", flags.stage);
  set_text("handler", flags.handler);
  set_text("inputs", flags.inputs);
  set_text("rows", flags.rows);
  if (!flags.perturbations.empty()) {
    rapidjson::Value list(rapidjson::kArrayType);
    for (const std::string& name : flags.perturbations) {
      rapidjson::Value stage(rapidjson::kObjectType);
      stage.AddMember("component", rapidjson::Value(name, allocator), allocator);
      list.PushBack(stage, allocator);
    }
    set("perturbations", std::move(list));
  }
  set_texts("only", flags.only);
  set_texts("skip", flags.skip);
  set_texts("modules", flags.modules);
  set_texts("formats", flags.formats);
  return json_text(document);
}

}  // namespace assay
