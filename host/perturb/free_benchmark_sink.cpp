// The peer's free_benchmark.csv: one row for each inconsistent output; no byte order mark, CRLF.
#include "base/text.hpp"
#include "perturb/perturb_sink.hpp"
#include "report/csv.hpp"
#include "report/output_file.hpp"

namespace assay {

namespace {

class FreeBenchmarkSink final : public PerturbSink {
 public:
  explicit FreeBenchmarkSink(std::filesystem::path folder) : folder_(std::move(folder)) {}

  Status begin(const PerturbInfo& info) override {
    rank_ = info.rank;
    step_ = info.step;
    Result<OutputFile> created = OutputFile::create(folder_ / "free_benchmark.csv");
    if (!created) return created.failure();
    file_ = std::move(*created);
    const char* mode = info.header.framework == Framework::kPyTorch ? "pert_mode" : "pert_type";
    return file_.write(csv_line({"rank", mode, "stage", "step", "api_name", "max_rel", "dtype", "shape", "output_index"}, "\r\n"));
  }

  Status add(const PerturbReport& report) override {
    for (const PeerRow& row : report.peer_rows) {
      const PeerDifference& difference = row.difference;
      const std::string line =
          csv_line({rank_, csv_cell(row.perturbation), row.stage, step_, csv_cell(row.api_name), difference.cell, difference.dtype,
                    csv_cell(difference.shape), difference.index ? std::to_string(*difference.index) : ""},
                   "\r\n");
      if (Status s = file_.write(line); !s) return s;
    }
    return file_.flush();
  }

  Status finish(const PerturbSummary&, const std::vector<Preheat::Learned>&) override { return file_.close(); }

 private:
  std::filesystem::path folder_;
  std::string rank_;
  std::string step_;
  OutputFile file_;
};

}  // namespace

std::unique_ptr<PerturbSink> make_free_benchmark_sink(const std::filesystem::path& folder) {
  return std::make_unique<FreeBenchmarkSink>(folder);
}

}  // namespace assay
