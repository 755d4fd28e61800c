#include "report/run_json.hpp"

#include "config/json.hpp"
#include "report/run_record.hpp"

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

std::string run_to_json(const RunInfo& info, const RunSummary* summary) {
  RunRecord record(info.command);
  record.dump(info.dump_path, info.dump_fingerprint, info.header, "apis", info.api_count);
  if (!info.shard.empty()) record.text("shard", info.shard);
  record.side("target", info.target);
  record.side("reference", info.reference);
  record.text("standard", info.standard);
  record.texts("metrics", info.metric_names);
  record.config(info.config_json);
  record.objects("skipped_keys", info.skipped_keys, [&](const SkippedKey& key) {
    record.text("key", key.key);
    record.text("reason", key.reason);
  });
  record.flag("complete", summary != nullptr && summary->complete);
  if (summary != nullptr) {
    const VerdictCounts& counts = summary->counts;
    record.number("seconds", summary->seconds);
    record.counts({{"apis", counts.apis},
                   {"pass", counts.pass},
                   {"warning", counts.warning},
                   {"error", counts.error},
                   {"skip", counts.skip},
                   {"damaged", counts.damaged}});
  }
  return record.finish();
}

Result<StoredRun> run_from_json(const rapidjson::Value& json, const std::string& origin) {
  if (!json.IsObject() || !json.HasMember("assay") || !json.HasMember("metrics") || !json["metrics"].IsArray()) {
    return input_failure("read '" + origin + "': not the record of a run (run.json of `assay check --out`)");
  }
  StoredRun run;
  run.info.assay_version = text(json, "assay");
  run.info.command = text(json, "command");
  run.info.dump_path = text(object(json, "dump"), "path");
  run.info.dump_fingerprint = text(object(json, "dump"), "crc32");
  run.info.header.task = text(object(json, "dump"), "task");
  run.info.header.level = text(object(json, "dump"), "level");
  run.info.header.framework = text(object(json, "dump"), "framework") == "pytorch" ? Framework::kPyTorch : Framework::kMindSpore;
  run.info.api_count = count(object(json, "dump"), "apis");
  run.info.shard = text(json, "shard");
  run.info.target = side(object(json, "target"));
  run.info.reference = side(object(json, "reference"));
  run.info.standard = text(json, "standard");
  for (const Json& name : json["metrics"].GetArray()) {
    if (!name.IsString()) return input_failure("read '" + origin + "': /metrics holds something that is not a name");
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

}  // namespace assay
