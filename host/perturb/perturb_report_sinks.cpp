// perturb.jsonl: what a report of `assay perturb` is rebuilt from; a line about the run, then a line for each call. report.html:
// for people.
#include <optional>

#include "perturb/perturb_json.hpp"
#include "perturb/perturb_page.hpp"
#include "report/output_file.hpp"

namespace assay {

namespace {

class PerturbJsonlSink final : public PerturbSink {
 public:
  explicit PerturbJsonlSink(std::filesystem::path folder) : folder_(std::move(folder)) {}

  Status begin(const PerturbInfo& info) override {
    Result<OutputFile> created = OutputFile::create(folder_ / "perturb.jsonl");
    if (!created) return created.failure();
    file_ = std::move(*created);
    return line(info_to_json(info));
  }
  Status add(const PerturbReport& report) override { return line(report_to_json(report)); }
  Status finish(const PerturbSummary&, const std::vector<Preheat::Learned>&) override { return file_.close(); }

 private:
  Status line(const std::string& json) {
    if (Status s = file_.write(json + "\n"); !s) return s;
    // `assay report --serve` reads along.
    return file_.flush();
  }

  std::filesystem::path folder_;
  OutputFile file_;
};

class PerturbHtmlSink final : public PerturbSink {
 public:
  explicit PerturbHtmlSink(std::filesystem::path folder) : folder_(std::move(folder)) {}

  Status begin(const PerturbInfo& info) override {
    page_.emplace(info);
    return Done{};
  }
  Status add(const PerturbReport& report) override { return page_->add(report); }
  Status finish(const PerturbSummary& summary, const std::vector<Preheat::Learned>&) override {
    return write_output(folder_ / "report.html",
                        [&](const Output& out) { return page_->render(summary.seconds, summary.complete, false, out); });
  }

 private:
  std::filesystem::path folder_;
  std::optional<PerturbPage> page_;
};

}  // namespace

std::unique_ptr<PerturbSink> make_perturb_jsonl_sink(const std::filesystem::path& folder) {
  return std::make_unique<PerturbJsonlSink>(folder);
}

std::unique_ptr<PerturbSink> make_perturb_html_sink(const std::filesystem::path& folder) {
  return std::make_unique<PerturbHtmlSink>(folder);
}

}  // namespace assay
