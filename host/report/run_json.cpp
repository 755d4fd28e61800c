#include "report/run_json.hpp"

#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

#include "config/json.hpp"

namespace assay {

namespace {

using Writer = rapidjson::PrettyWriter<rapidjson::StringBuffer>;

void write_text(Writer& writer, const char* key, const std::string& value) {
  writer.Key(key);
  writer.String(value);
}

void write_side(Writer& writer, const char* key, const SideInfo& info) {
  writer.Key(key);
  writer.StartObject();
  write_text(writer, "source", info.source);
  if (info.source != "recorded") {
    write_text(writer, "framework", info.framework);
    write_text(writer, "version", info.version);
    write_text(writer, "precision", info.precision);
  }
  if (!info.details.empty()) write_text(writer, "details", info.details);
  writer.EndObject();
}

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
  rapidjson::StringBuffer buffer;
  Writer writer(buffer);
  writer.SetIndent(' ', 2);
  writer.StartObject();
  write_text(writer, "assay", ASSAY_VERSION);
  write_text(writer, "command", info.command);
  writer.Key("dump");
  writer.StartObject();
  write_text(writer, "path", info.dump_path);
  write_text(writer, "crc32", info.dump_fingerprint);
  write_text(writer, "task", info.header.task);
  write_text(writer, "level", info.header.level);
  write_text(writer, "framework", info.header.framework == Framework::kPyTorch ? "pytorch" : "mindspore");
  writer.Key("apis");
  writer.Uint64(info.api_count);
  writer.EndObject();
  if (!info.shard.empty()) write_text(writer, "shard", info.shard);
  write_side(writer, "target", info.target);
  write_side(writer, "reference", info.reference);
  write_text(writer, "standard", info.standard);
  writer.Key("metrics");
  writer.StartArray();
  for (const std::string& name : info.metric_names) writer.String(name);
  writer.EndArray();
  writer.Key("config");
  writer.RawValue(info.config_json.c_str(), info.config_json.size(), rapidjson::kObjectType);
  writer.Key("skipped_keys");
  writer.StartArray();
  for (const SkippedKey& key : info.skipped_keys) {
    writer.StartObject();
    write_text(writer, "key", key.key);
    write_text(writer, "reason", key.reason);
    writer.EndObject();
  }
  writer.EndArray();
  writer.Key("complete");
  writer.Bool(summary != nullptr && summary->complete);
  if (summary != nullptr) {
    writer.Key("seconds");
    writer.Double(summary->seconds);
    writer.Key("counts");
    writer.StartObject();
    const VerdictCounts& counts = summary->counts;
    for (const auto& [key, count] :
         {std::pair("apis", counts.apis), std::pair("pass", counts.pass), std::pair("warning", counts.warning),
          std::pair("error", counts.error), std::pair("skip", counts.skip), std::pair("damaged", counts.damaged)}) {
      writer.Key(key);
      writer.Uint64(count);
    }
    writer.EndObject();
  }
  writer.EndObject();
  return buffer.GetString();
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
