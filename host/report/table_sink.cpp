// details.csv (a row per output), result.csv (a row per API), times.csv (milliseconds and memory; apart, so that the other two are
// the same for every run).
#include "base/text.hpp"
#include "report/csv.hpp"
#include "report/output_file.hpp"
#include "report/sink.hpp"

namespace assay {

namespace {

std::string direction_message(const ApiResult& result) {
  std::vector<std::string> parts;
  if (!result.forward.message.empty()) parts.push_back("forward: " + result.forward.message);
  if (!result.backward.message.empty()) parts.push_back("backward: " + result.backward.message);
  return join(parts, "; ");
}

std::string index_text(const std::vector<std::int64_t>& index) {
  std::vector<std::string> parts;
  for (const std::int64_t i : index) parts.push_back(std::to_string(i));
  return "[" + join(parts, ", ") + "]";
}

class TableSink final : public ResultSink {
 public:
  explicit TableSink(std::filesystem::path folder) : folder_(std::move(folder)) {}

  Status begin(const RunInfo& info) override {
    for (std::size_t i = 0; i < info.metric_names.size(); ++i) {
      // The column of that name holds the same as an index of each dimension.
      if (info.metric_names[i] != "worst_index") metrics_.push_back(i);
    }
    std::vector<std::string> columns = {"api_name", "verdict", "reason", "message", "actual_dtype", "expected_dtype", "shape"};
    for (const std::size_t i : metrics_) columns.push_back(info.metric_names[i]);
    for (const char* name : {"worst_index", "worst_actual", "worst_expected", "worst_ulp", "notes"}) columns.emplace_back(name);
    for (auto& [file, name, header] :
         {std::tuple(&details_, "details.csv", columns),
          std::tuple(&result_, "result.csv", std::vector<std::string>{"api_name", "forward", "backward", "message"}),
          std::tuple(
              &times_, "times.csv",
              std::vector<std::string>{"api_name", "direction", "target_ms", "reference_ms", "target_bytes", "reference_bytes"})}) {
      Result<OutputFile> created = OutputFile::create(folder_ / name);
      if (!created) return created.failure();
      *file = std::move(*created);
      if (Status s = file->write(csv_line(header, "\n")); !s) return s;
    }
    return Done{};
  }

  Status add(const ApiResult& result) override {
    for (const auto& [name, direction] : {std::pair("forward", &result.forward), std::pair("backward", &result.backward)}) {
      if (direction->verdict == Verdict::kNone) continue;
      if (direction->outputs.empty()) {
        if (Status s = details_.write(skipped_line(result.stem + "." + name, *direction)); !s) return s;
      }
      for (const OutputRow& row : direction->outputs) {
        if (Status s = details_.write(output_line(row, *direction)); !s) return s;
      }
      const std::vector<std::string> times = {csv_cell(result.stem),
                                              name,
                                              format_number(direction->target_ms),
                                              format_number(direction->reference_ms),
                                              std::to_string(direction->target_bytes),
                                              std::to_string(direction->reference_bytes)};
      if (Status s = times_.write(csv_line(times, "\n")); !s) return s;
    }
    const std::vector<std::string> cells = {csv_cell(result.stem), std::string(verdict_name(result.forward.verdict)),
                                            std::string(verdict_name(result.backward.verdict)),
                                            csv_cell(direction_message(result))};
    return result_.write(csv_line(cells, "\n"));
  }

  Status finish(const RunSummary&) override {
    for (OutputFile* file : {&details_, &result_, &times_}) {
      if (Status s = file->close(); !s) return s;
    }
    return Done{};
  }

 private:
  [[nodiscard]] std::string skipped_line(const std::string& name, const DirectionResult& direction) const {
    std::vector<std::string> cells = {csv_cell(name), std::string(verdict_name(direction.verdict)), direction.reason,
                                      csv_cell(direction.message)};
    cells.resize(7 + metrics_.size() + 4);
    cells.push_back(csv_cell(join(direction.notes, "; ")));
    return csv_line(cells, "\n");
  }

  [[nodiscard]] std::string output_line(const OutputRow& row, const DirectionResult& direction) const {
    const ValueSummary& shaped = row.actual.is_tensor ? row.actual : row.expected;
    std::vector<std::string> cells = {csv_cell(row.name),
                                      std::string(verdict_name(row.verdict)),
                                      row.reason,
                                      csv_cell(row.message),
                                      row.actual.dtype,
                                      row.expected.dtype,
                                      shaped.is_tensor ? csv_cell(format_shape(shaped.shape)) : ""};
    for (const std::size_t i : metrics_) {
      cells.push_back(i < row.metrics.size() && row.metrics[i] ? format_number(*row.metrics[i]) : "");
    }
    cells.push_back(row.worst ? csv_cell(index_text(row.worst->index)) : "");
    cells.push_back(row.worst ? csv_cell(row.worst->actual) : "");
    cells.push_back(row.worst ? csv_cell(row.worst->expected) : "");
    cells.push_back(row.worst && row.worst->ulp ? format_number(*row.worst->ulp) : "");
    cells.push_back(csv_cell(join(direction.notes, "; ")));
    return csv_line(cells, "\n");
  }

  std::filesystem::path folder_;
  std::vector<std::size_t> metrics_;  // those with a column
  OutputFile details_;
  OutputFile result_;
  OutputFile times_;
};

}  // namespace

std::unique_ptr<ResultSink> make_table_sink(const std::filesystem::path& folder) { return std::make_unique<TableSink>(folder); }

}  // namespace assay
