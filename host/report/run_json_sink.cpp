// run.json: written when the run begins and again when it ends.
#include "report/output_file.hpp"
#include "report/run_json.hpp"

namespace assay {

namespace {

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
  Status write(const RunSummary* summary) const { return write_output(folder_ / "run.json", run_to_json(info_, summary) + "\n"); }

  std::filesystem::path folder_;
  RunInfo info_;
};

}  // namespace

std::unique_ptr<ResultSink> make_run_json_sink(const std::filesystem::path& folder) {
  return std::make_unique<RunJsonSink>(folder);
}

}  // namespace assay
