// run.json of `assay perturb`: what was run, on what, with which versions, at which cost, and how it ended.
#include "perturb/perturb_sink.hpp"
#include "report/output_file.hpp"
#include "report/run_record.hpp"

namespace assay {

namespace {

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
    RunRecord record(info_.command);
    record.dump(info_.dump_path, info_.dump_fingerprint, info_.header, "calls", info_.call_count);
    record.side("engine", info_.engine);
    record.config(info_.config_json);
    record.flag("complete", summary != nullptr && summary->complete);
    if (summary != nullptr) add_summary(record, *summary);
    return write_output(folder_ / "run.json", record.finish() + "\n");
  }

  static void add_summary(RunRecord& record, const PerturbSummary& summary) {
    record.number("seconds", summary.seconds);
    record.number("plain_seconds", summary.plain_seconds);
    record.open("cost_ratio");
    for (const StageCost& cost : summary.costs) record.number(cost.perturbation.c_str(), cost.ratio);
    record.close();
    const PerturbCounts& counts = summary.counts;
    record.counts({{"calls", counts.calls},
                   {"rows", counts.rows},
                   {"stable", counts.stable},
                   {"unstable", counts.unstable},
                   {"left_domain", counts.left_domain},
                   {"non_deterministic", counts.non_deterministic},
                   {"unperturbed", counts.unperturbed},
                   {"not_run", counts.not_run},
                   {"damaged", counts.damaged}});
  }

  std::filesystem::path folder_;
  PerturbInfo info_;
};

}  // namespace

std::unique_ptr<PerturbSink> make_perturb_run_json_sink(const std::filesystem::path& folder) {
  return std::make_unique<PerturbRunJsonSink>(folder);
}

}  // namespace assay
