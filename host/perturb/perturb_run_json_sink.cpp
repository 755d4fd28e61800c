// run.json of `assay perturb`: what was run, on what, with which versions, at which cost, and how it ended.
#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

#include "perturb/perturb_sink.hpp"
#include "report/output_file.hpp"

namespace assay {

namespace {

using Writer = rapidjson::PrettyWriter<rapidjson::StringBuffer>;

void text(Writer& writer, const char* key, const std::string& value) {
  writer.Key(key);
  writer.String(value);
}

void number(Writer& writer, const char* key, double value) {
  writer.Key(key);
  writer.Double(value);
}

class PerturbRunJsonSink final : public PerturbSink {
 public:
  explicit PerturbRunJsonSink(std::filesystem::path folder) : folder_(std::move(folder)) {}

  Status begin(const PerturbInfo& info) override {
    info_ = info;
    return write(nullptr);
  }
  Status add(const PerturbReport&) override { return Done{}; }
  Status finish(const PerturbSummary& summary, const std::vector<Preheat::Learned>&) override { return write(&summary); }

 private:
  Status write(const PerturbSummary* summary) const {
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
    writer.Key("calls");
    writer.Uint64(info_.call_count);
    writer.EndObject();
    writer.Key("engine");
    writer.StartObject();
    text(writer, "source", info_.engine.source);
    text(writer, "framework", info_.engine.framework);
    text(writer, "version", info_.engine.version);
    text(writer, "precision", info_.engine.precision);
    text(writer, "details", info_.engine.details);
    writer.EndObject();
    writer.Key("config");
    writer.RawValue(info_.config_json.c_str(), info_.config_json.size(), rapidjson::kObjectType);
    writer.Key("complete");
    writer.Bool(summary != nullptr && summary->complete);
    if (summary != nullptr) add_summary(writer, *summary);
    writer.EndObject();
    return write_output(folder_ / "run.json", std::string(buffer.GetString()) + "\n");
  }

  static void add_summary(Writer& writer, const PerturbSummary& summary) {
    number(writer, "seconds", summary.seconds);
    number(writer, "plain_seconds", summary.plain_seconds);
    writer.Key("cost_ratio");
    writer.StartObject();
    for (const StageCost& cost : summary.costs) number(writer, cost.perturbation.c_str(), cost.ratio);
    writer.EndObject();
    writer.Key("counts");
    writer.StartObject();
    const PerturbCounts& counts = summary.counts;
    for (const auto& [key, count] :
         {std::pair("calls", counts.calls), std::pair("rows", counts.rows), std::pair("stable", counts.stable),
          std::pair("unstable", counts.unstable), std::pair("left_domain", counts.left_domain),
          std::pair("non_deterministic", counts.non_deterministic), std::pair("unperturbed", counts.unperturbed),
          std::pair("not_run", counts.not_run), std::pair("damaged", counts.damaged)}) {
      writer.Key(key);
      writer.Uint64(count);
    }
    writer.EndObject();
  }

  std::filesystem::path folder_;
  PerturbInfo info_;
};

}  // namespace

std::unique_ptr<PerturbSink> make_perturb_run_json_sink(const std::filesystem::path& folder) {
  return std::make_unique<PerturbRunJsonSink>(folder);
}

}  // namespace assay
