#include "report/stored_run.hpp"

#include "base/files.hpp"
#include "config/json.hpp"
#include "pipeline/result_json.hpp"

namespace assay {

namespace {

using Json = rapidjson::Value;

std::string text(const Json& object, const char* key) {
  const auto found = object.FindMember(key);
  return found != object.MemberEnd() && found->value.IsString() ? found->value.GetString() : std::string();
}

const Json& object(const Json& parent, const char* key) {
  static const Json empty(rapidjson::kObjectType);
  const auto found = parent.FindMember(key);
  return found != parent.MemberEnd() && found->value.IsObject() ? found->value : empty;
}

std::size_t count(const Json& parent, const char* key) {
  const auto found = parent.FindMember(key);
  return found != parent.MemberEnd() && found->value.IsUint64() ? found->value.GetUint64() : 0;
}

SideInfo side(const Json& json) {
  return {text(json, "source"), text(json, "framework"), text(json, "version"), text(json, "precision"), text(json, "details")};
}

}  // namespace

Result<StoredRun> load_run(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "run.json";
  Result<rapidjson::Document> document = load_json(path);
  if (!document) return document.failure();
  if (!document->IsObject() || !document->HasMember("assay") || !document->HasMember("metrics") ||
      !(*document)["metrics"].IsArray()) {
    return input_failure("read '" + path.string() + "': not the record of a run (run.json of `assay check --out`)");
  }
  const Json& json = *document;
  StoredRun run;
  run.info.command = text(json, "command");
  run.info.dump_path = text(object(json, "dump"), "path");
  run.info.dump_fingerprint = text(object(json, "dump"), "crc32");
  run.info.header.task = text(object(json, "dump"), "task");
  run.info.header.level = text(object(json, "dump"), "level");
  run.info.header.framework = text(object(json, "dump"), "framework") == "pytorch" ? Framework::kPyTorch : Framework::kMindSpore;
  run.info.api_count = count(object(json, "dump"), "apis");
  run.info.target = side(object(json, "target"));
  run.info.reference = side(object(json, "reference"));
  run.info.standard = text(json, "standard");
  for (const Json& name : json["metrics"].GetArray()) {
    if (!name.IsString()) return input_failure("read '" + path.string() + "': /metrics holds something that is not a name");
    run.info.metric_names.emplace_back(name.GetString(), name.GetStringLength());
  }
  run.info.config_json = indented_json(object(json, "config"));
  if (json.HasMember("skipped_keys") && json["skipped_keys"].IsArray()) {
    for (const Json& key : json["skipped_keys"].GetArray()) {
      if (key.IsObject()) run.info.skipped_keys.push_back({text(key, "key"), text(key, "reason")});
    }
  }
  run.summary.complete = json.HasMember("complete") && json["complete"].IsTrue();
  if (json.HasMember("seconds") && json["seconds"].IsNumber()) run.summary.seconds = json["seconds"].GetDouble();
  return run;
}

Status for_each_result(const std::filesystem::path& folder, const std::function<Status(const ApiResult&)>& use) {
  const std::filesystem::path path = folder / "results.jsonl";
  Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.failure();
  const std::string_view all = file->text();
  std::size_t start = 0;
  for (std::size_t number = 1; start < all.size(); ++number) {
    const std::size_t end = all.find('\n', start);
    if (end == std::string_view::npos) break;
    Result<ApiResult> result = result_from_json(all.substr(start, end - start));
    if (!result) return input_failure(path.string() + ":" + std::to_string(number) + ": " + result.failure().message);
    if (Status s = use(*result); !s) return s;
    start = end + 1;
  }
  return Done{};
}

}  // namespace assay
