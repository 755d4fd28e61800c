// perturb.csv (a row for each call, direction, perturbation and input), ranking.csv and, after preheating, preheat.csv.
#include "base/text.hpp"
#include "perturb/perturb_sink.hpp"
#include "report/csv.hpp"
#include "report/output_file.hpp"

namespace assay {

namespace {

std::string optional_number(const std::optional<double>& value) { return value ? format_number(*value) : ""; }

class PerturbTableSink final : public PerturbSink {
 public:
  explicit PerturbTableSink(std::filesystem::path folder) : folder_(std::move(folder)) {}

  Status begin(const PerturbInfo&) override {
    Result<OutputFile> created = OutputFile::create(folder_ / "perturb.csv");
    if (!created) return created.failure();
    rows_ = std::move(*created);
    return rows_.write(csv_line({"api_name",
                                 "perturbation",
                                 "input",
                                 "dtype",
                                 "finding",
                                 "verdict",
                                 "reason",
                                 "message",
                                 "seeds",
                                 "changed",
                                 "elements",
                                 "input_change",
                                 "output",
                                 "output_change",
                                 "amplification",
                                 "amplification_spread",
                                 "amplification_max",
                                 "bits_lost",
                                 "expected_of",
                                 "limit",
                                 "worst_index",
                                 "worst_original",
                                 "worst_perturbed",
                                 "plain_ms",
                                 "perturbed_ms",
                                 "overhead_ms"},
                                "\n"));
  }

  Status add(const PerturbReport& report) override {
    for (const PerturbRow& row : report.rows) {
      if (Status s = rows_.write(line_of(row)); !s) return s;
    }
    return rows_.flush();
  }

  Status finish(const PerturbSummary& summary, const std::vector<Preheat::Learned>& learned) override {
    if (Status s = rows_.close(); !s) return s;
    std::string ranking = csv_line(
        {"rank", "api", "direction", "dtype", "amplification", "bits_lost", "finding", "perturbation", "call", "input"}, "\n");
    std::size_t rank = 0;
    for (const RankedOperator& entry : summary.ranking) {
      ranking +=
          csv_line({std::to_string(++rank), csv_cell(entry.api), entry.direction, entry.dtype, format_number(entry.amplification),
                    format_number(entry.bits_lost), std::string(finding_name(entry.finding)), csv_cell(entry.perturbation),
                    csv_cell(entry.call), csv_cell(entry.input)},
                   "\n");
    }
    if (Status s = write_output(folder_ / "ranking.csv", ranking); !s) return s;
    if (learned.empty()) return Done{};
    std::string thresholds = csv_line({"api", "dtype", "threshold", "settled"}, "\n");
    for (const Preheat::Learned& entry : learned) {
      thresholds +=
          csv_line({csv_cell(entry.api), entry.dtype, format_number(entry.threshold), entry.settled ? "yes" : "no"}, "\n");
    }
    return write_output(folder_ / "preheat.csv", thresholds);
  }

 private:
  static std::string line_of(const PerturbRow& row) {
    const bool ran = row.seeds > 0;
    std::string index;
    if (row.worst) {
      std::vector<std::string> parts;
      for (const std::int64_t i : row.worst->index) parts.push_back(std::to_string(i));
      index = "[" + join(parts, ", ") + "]";
    }
    return csv_line({csv_cell(row.name),
                     csv_cell(row.perturbation),
                     csv_cell(row.input),
                     row.dtype,
                     std::string(finding_name(row.finding)),
                     std::string(verdict_name(row.verdict)),
                     row.reason,
                     csv_cell(row.message),
                     std::to_string(row.seeds),
                     std::to_string(row.changed),
                     std::to_string(row.elements),
                     ran ? format_number(row.input_change) : "",
                     csv_cell(row.output),
                     ran ? format_number(row.output_change) : "",
                     row.amplification ? format_number(row.amplification->mean) : "",
                     row.amplification ? format_number(row.amplification->deviation) : "",
                     row.amplification ? format_number(row.amplification->largest) : "",
                     optional_number(row.bits_lost),
                     csv_cell(row.expected),
                     optional_number(row.limit),
                     csv_cell(index),
                     row.worst ? csv_cell(row.worst->expected) : "",
                     row.worst ? csv_cell(row.worst->actual) : "",
                     format_number(row.plain_ms),
                     ran ? format_number(row.perturbed_ms) : "",
                     ran ? format_number(row.overhead_ms) : ""},
                    "\n");
  }

  std::filesystem::path folder_;
  OutputFile rows_;
};

}  // namespace

std::unique_ptr<PerturbSink> make_perturb_table_sink(const std::filesystem::path& folder) {
  return std::make_unique<PerturbTableSink>(folder);
}

}  // namespace assay
