// run.json: what was run, on what, with which versions, and how it ended.
#include <rapidjson/document.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

#include "report/output_file.hpp"
#include "report/sink.hpp"

namespace assay {

namespace {

using Writer = rapidjson::PrettyWriter<rapidjson::StringBuffer>;

void text(Writer& writer, const char* key, const std::string& value) {
  writer.Key(key);
  writer.String(value);
}

void side(Writer& writer, const char* key, const SideInfo& info) {
  writer.Key(key);
  writer.StartObject();
  text(writer, "source", info.source);
  if (info.source != "recorded") {
    text(writer, "framework", info.framework);
    text(writer, "version", info.version);
    text(writer, "precision", info.precision);
    text(writer, "details", info.details);
  }
  writer.EndObject();
}

class RunJsonSink final : public ResultSink {
 public:
  explicit RunJsonSink(std::filesystem::path folder) : folder_(std::move(folder)) {}

  Status begin(const RunInfo& info) override {
    info_ = info;
    return write(nullptr);
  }
  Status add(const ApiResult&) override { return Done{}; }
  Status finish(const RunSummary& summary) override { return write(&summary); }

 private:
  Status write(const RunSummary* summary) const {
    rapidjson::StringBuffer buffer;
    Writer writer(buffer);
    writer.SetIndent(' ', 2);
    writer.StartObject();
    text(writer, "assay", ASSAY_VERSION);
    text(writer, "command", info_.command);
    writer.Key("dump");
    writer.StartObject();
    text(writer, "path", info_.dump_path);
    text(writer, "crc32", info_.dump_fingerprint);
    text(writer, "task", info_.header.task);
    text(writer, "level", info_.header.level);
    text(writer, "framework", info_.header.framework == Framework::kPyTorch ? "pytorch" : "mindspore");
    writer.Key("apis");
    writer.Uint64(info_.api_count);
    writer.EndObject();
    side(writer, "target", info_.target);
    side(writer, "reference", info_.reference);
    text(writer, "standard", info_.standard);
    writer.Key("metrics");
    writer.StartArray();
    for (const std::string& name : info_.metric_names) writer.String(name);
    writer.EndArray();
    writer.Key("config");
    writer.RawValue(info_.config_json.c_str(), info_.config_json.size(), rapidjson::kObjectType);
    writer.Key("skipped_keys");
    writer.StartArray();
    for (const SkippedKey& key : info_.skipped_keys) {
      writer.StartObject();
      text(writer, "key", key.key);
      text(writer, "reason", key.reason);
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
    Result<OutputFile> file = OutputFile::create(folder_ / "run.json");
    if (!file) return file.failure();
    if (Status s = file->write(buffer.GetString()); !s) return s;
    if (Status s = file->write("\n"); !s) return s;
    return file->close();
  }

  std::filesystem::path folder_;
  RunInfo info_;
};

}  // namespace

std::unique_ptr<ResultSink> make_run_json_sink(const std::filesystem::path& folder) {
  return std::make_unique<RunJsonSink>(folder);
}

}  // namespace assay
