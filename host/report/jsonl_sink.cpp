// results.jsonl: everything that is known about each API, a line each, in dump order.
#include "pipeline/result_json.hpp"
#include "report/output_file.hpp"
#include "report/sink.hpp"

namespace assay {

namespace {

class JsonlSink final : public ResultSink {
 public:
  explicit JsonlSink(std::filesystem::path folder) : folder_(std::move(folder)) {}

  Status begin(const RunInfo&) override {
    Result<OutputFile> created = OutputFile::create(folder_ / "results.jsonl");
    if (!created) return created.failure();
    file_ = std::move(*created);
    return Done{};
  }
  Status add(const ApiResult& result) override {
    if (Status s = file_.write(result_to_json(result) + "\n"); !s) return s;
    // `assay report --serve` reads along.
    return file_.flush();
  }
  Status finish(const RunSummary&) override { return file_.close(); }

 private:
  std::filesystem::path folder_;
  OutputFile file_;
};

}  // namespace

std::unique_ptr<ResultSink> make_jsonl_sink(const std::filesystem::path& folder) { return std::make_unique<JsonlSink>(folder); }

}  // namespace assay
