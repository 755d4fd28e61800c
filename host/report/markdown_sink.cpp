// summary.md: what a pull request should say about a run, on one screen.
#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "report/markdown.hpp"
#include "report/output_file.hpp"
#include "report/sink.hpp"

namespace assay {

namespace {

constexpr std::size_t kMaxRows = 10;

struct Finding {
  std::size_t number = 0;
  Verdict verdict = Verdict::kNone;
  double severity = 0;
  std::string name;
  std::string message;
  std::string reason;
};

bool worse(const Finding& l, const Finding& r) {
  if (l.verdict != r.verdict) return l.verdict > r.verdict;
  if (l.severity != r.severity) return l.severity > r.severity;
  return l.number < r.number;
}

double severity_of(const OutputRow& row) {
  if (!row.decision) return 0;
  const double severity = row.decision->limit > 0 ? row.decision->value / row.decision->limit : row.decision->value;
  return std::isnan(severity) ? INFINITY : severity;
}

std::string side(const SideInfo& side) {
  if (side.source == "recorded") return "outputs recorded in the dump";
  return side.source + ", " + side.framework + " " + side.version + ", " + side.precision;
}

class MarkdownSink final : public ResultSink {
 public:
  MarkdownSink(std::filesystem::path folder, std::string more) : folder_(std::move(folder)), more_(std::move(more)) {}

  Status begin(const RunInfo& info) override {
    info_ = info;
    return Done{};
  }

  Status add(const ApiResult& result) override {
    for (const auto& [name, direction] : {std::pair("forward", &result.forward), std::pair("backward", &result.backward)}) {
      for (const OutputRow& row : direction->outputs) {
        if (row.verdict < Verdict::kWarning) continue;
        keep({found_, row.verdict, severity_of(row), row.name, row.message, row.reason});
      }
      if (direction->damaged) {
        keep({found_, Verdict::kSkip, 0, result.stem + "." + name, direction->message, direction->reason});
      }
    }
    return Done{};
  }

  Status finish(const RunSummary& summary) override {
    const VerdictCounts& counts = summary.counts;
    std::string text = "## assay: " + std::to_string(counts.error) + (counts.error == 1 ? " error in " : " errors in ") +
                       std::to_string(counts.apis) + " API calls" + (summary.complete ? "" : " (incomplete)") + "\n\n";
    text += "| errors | warnings | passed | skipped |\n| ---: | ---: | ---: | ---: |\n| " + std::to_string(counts.error) + " | " +
            std::to_string(counts.warning) + " | " + std::to_string(counts.pass) + " | " + std::to_string(counts.skip) + " |\n\n";
    text += "Target: " + markdown_text(side(info_.target)) + ". Reference: " + markdown_text(side(info_.reference)) +
            ". Standard: " + markdown_text(info_.standard) + ".\n\n";
    if (!findings_.empty()) {
      text += "| output | verdict | why |\n| --- | --- | --- |\n";
      for (const Finding& finding : findings_) {
        const std::string verdict = finding.verdict == Verdict::kSkip ? "not judged" : std::string(verdict_name(finding.verdict));
        text += "| " + markdown_code(finding.name) + " | " + verdict + " | " +
                markdown_text(finding.message + " [" + finding.reason + "]") + " |\n";
      }
      if (found_ > findings_.size()) text += "\nand " + std::to_string(found_ - findings_.size()) + " more.\n";
      text += "\n";
    }
    text += more_;
    text += "Repeat it:\n\n" + markdown_block(info_.command);
    return write_output(folder_ / "summary.md", text);
  }

 private:
  void keep(Finding finding) {
    ++found_;
    findings_.insert(std::upper_bound(findings_.begin(), findings_.end(), finding, worse), std::move(finding));
    if (findings_.size() > kMaxRows) findings_.pop_back();
  }

  std::filesystem::path folder_;
  std::string more_;
  RunInfo info_;
  std::vector<Finding> findings_;
  std::size_t found_ = 0;
};

}  // namespace

std::unique_ptr<ResultSink> make_markdown_sink(const std::filesystem::path& folder, std::string more) {
  return std::make_unique<MarkdownSink>(folder, std::move(more));
}

}  // namespace assay
