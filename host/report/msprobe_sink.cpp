// The peer's result and details CSV: its columns, order, number format, BOM and line ends, so that scripts made for them go on
// working.
#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

#include "base/text.hpp"
#include "report/csv.hpp"
#include "report/output_file.hpp"
#include "report/sink.hpp"

namespace assay {

namespace {

constexpr const char* kBom = "\xef\xbb\xbf";
constexpr const char* kSpace = " ";

/// "Float32" for MindSpore dumps, "torch.float32" for PyTorch; plain values by their Python type.
std::string dtype_text(const ValueSummary& value, Framework framework) {
  if (!value.is_tensor) return framework == Framework::kMindSpore ? value.dtype : "<class '" + value.dtype + "'>";
  if (framework != Framework::kMindSpore) return "torch." + value.dtype;
  static const std::map<std::string, std::string> kSpecial = {
      {"bfloat16", "BFloat16"}, {"uint8", "UInt8"}, {"uint16", "UInt16"}, {"uint32", "UInt32"}, {"uint64", "UInt64"}};
  const auto special = kSpecial.find(value.dtype);
  if (special != kSpecial.end()) return special->second;
  std::string text = value.dtype;
  if (!text.empty()) text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

/// The reference computes wider; the peer's reference computes in the recorded dtype, which is what these files show.
ValueSummary bench_of(const OutputRow& row) {
  ValueSummary bench = row.expected;
  const bool wider = bench.is_tensor && row.actual.is_tensor && (bench.dtype == "float64" || bench.dtype == "complex128");
  if (wider) bench.dtype = row.actual.dtype;
  return bench;
}

struct Column {
  const char* name;
  const char* metric;
};

constexpr std::array<Column, 3> kMintColumns = {{{"Cosine", "msprobe_mint_cosine"},
                                                 {"MaxAbsErr", "msprobe_mint_max_abs_error"},
                                                 {"MaxRelativeErr", "msprobe_mint_max_rel_error"}}};
constexpr std::array<Column, 17> kTorchColumns = {{{"余弦相似度", "msprobe_cosine"},
                                                   {"最大绝对误差", "msprobe_max_abs_error"},
                                                   {"双百指标", "msprobe_hundredth_ratio"},
                                                   {"双千指标", "msprobe_thousandth_ratio"},
                                                   {"双万指标", "msprobe_ten_thousandth_ratio"},
                                                   {"二进制一致错误率", "msprobe_error_rate"},
                                                   {"误差均衡性", "msprobe_error_balance"},
                                                   {"均方根误差", "msprobe_rmse"},
                                                   {"小值域错误占比", "msprobe_small_value_error_ratio"},
                                                   {"相对误差最大值", "msprobe_max_rel_error"},
                                                   {"相对误差平均值", "msprobe_mean_rel_error"},
                                                   {"inf/nan错误率", "msprobe_inf_nan_error_ratio"},
                                                   {"相对误差错误率", "msprobe_relative_error_ratio"},
                                                   {"绝对误差错误率", "msprobe_absolute_error_ratio"},
                                                   {"ULP误差最大值", "msprobe_ulp_max"},
                                                   {"ULP误差平均值", "msprobe_ulp_mean"},
                                                   {"ULP误差大于阈值占比", "msprobe_ulp_share"}}};

std::string fixed14(double value) {
  if (!(value - value == 0)) return format_number(value);
  char buffer[400];
  std::snprintf(buffer, sizeof buffer, "%.14f", value);
  return buffer;
}

class MsprobeSink final : public ResultSink {
 public:
  MsprobeSink(std::filesystem::path folder, std::string timestamp) : folder_(std::move(folder)), timestamp_(std::move(timestamp)) {}

  Status begin(const RunInfo& info) override {
    framework_ = info.header.framework;
    mint_ = framework_ != Framework::kPyTorch;
    capital_warning_ = info.standard == "msprobe-torch-2026-04";
    for (std::size_t i = 0; i < info.metric_names.size(); ++i) metric_index_[info.metric_names[i]] = i;
    std::vector<std::string> header = {"API Name", "Bench Dtype", mint_ ? "Tested Dtype" : "DEVICE Dtype", "Shape"};
    if (mint_) {
      for (const Column& column : kMintColumns) header.emplace_back(column.name);
    } else {
      for (const Column& column : kTorchColumns) header.emplace_back(column.name);
    }
    header.emplace_back("Status");
    header.emplace_back("Message");
    if (Status s = create(details_, "details", header); !s) return s;
    return create(result_, "result", {mint_ ? "API Name" : "API name", "Forward Test Success", "Backward Test Success", "Message"});
  }

  Status add(const ApiResult& result) override {
    for (const auto& [name, direction] : {std::pair("forward", &result.forward), std::pair("backward", &result.backward)}) {
      if (direction->verdict == Verdict::kSkip && !mint_) {
        if (Status s = details_.write(skipped_line(result.stem + "." + name + ".output.0", *direction)); !s) return s;
      }
      std::size_t position = 0;
      for (const OutputRow& row : direction->outputs) {
        // The mint checker numbers what is left after dropping outputs that are None or no gradients.
        const std::string prefix = result.stem + "." + name + ".output.";
        const bool renumbered = mint_ && row.name.compare(0, prefix.size(), prefix) == 0;
        if (Status s = details_.write(output_line(renumbered ? prefix + std::to_string(position++) : row.name, row)); !s) return s;
      }
    }
    return result_.write(result_line(result));
  }

  Status finish(const RunSummary&) override {
    if (Status s = details_.close(); !s) return s;
    return result_.close();
  }

 private:
  Status create(OutputFile& file, const char* what, const std::vector<std::string>& header) const {
    Result<OutputFile> created =
        OutputFile::create(folder_ / ("accuracy_checking_" + std::string(what) + "_" + timestamp_ + ".csv"));
    if (!created) return created.failure();
    file = std::move(*created);
    return file.write(kBom + csv_line(header, "\r\n"));
  }

  [[nodiscard]] std::string status(Verdict verdict) const {
    switch (verdict) {
      case Verdict::kNone: return mint_ ? "" : kSpace;
      case Verdict::kSkip: return "SKIP";
      case Verdict::kPass: return "pass";
      case Verdict::kWarning: return capital_warning_ ? "Warning" : "warning";
      case Verdict::kError: return "error";
    }
    return "";
  }

  [[nodiscard]] std::string metric(const OutputRow& row, const char* name) const {
    const auto index = metric_index_.find(name);
    const bool there = index != metric_index_.end() && index->second < row.metrics.size() && row.metrics[index->second];
    if (!there) return mint_ ? "" : kSpace;
    const double value = *row.metrics[index->second];
    return mint_ ? format_number(value) : fixed14(value);
  }

  [[nodiscard]] std::string output_line(const std::string& name, const OutputRow& row) const {
    const ValueSummary bench = bench_of(row);
    std::vector<std::string> cells = {csv_cell(name), dtype_text(bench, framework_), dtype_text(row.actual, framework_),
                                      csv_cell(bench.is_tensor ? format_shape(bench.shape) : "()")};
    if (mint_) {
      for (const Column& column : kMintColumns) cells.push_back(metric(row, column.metric));
    } else {
      for (const Column& column : kTorchColumns) cells.push_back(metric(row, column.metric));
    }
    cells.push_back(status(row.verdict));
    cells.push_back(row.verdict > Verdict::kPass ? csv_cell(row.message) : "");
    return csv_line(cells, "\r\n");
  }

  [[nodiscard]] std::string skipped_line(const std::string& name, const DirectionResult& direction) const {
    std::vector<std::string> cells(4 + kTorchColumns.size(), kSpace);
    cells[0] = csv_cell(name);
    cells.emplace_back("SKIP");
    cells.push_back(csv_cell(direction.message));
    return csv_line(cells, "\r\n");
  }

  [[nodiscard]] std::string result_line(const ApiResult& result) const {
    const bool skipped = result.forward.verdict == Verdict::kSkip || result.backward.verdict == Verdict::kSkip;
    std::vector<std::string> cells = {csv_cell(result.stem), status(result.forward.verdict), status(result.backward.verdict)};
    // The PyTorch checker writes the message cell only for skipped APIs.
    if (mint_ || skipped) {
      const std::string& message = result.forward.message.empty() ? result.backward.message : result.forward.message;
      cells.push_back(csv_cell(message));
    }
    return csv_line(cells, "\r\n");
  }

  std::filesystem::path folder_;
  std::string timestamp_;
  Framework framework_ = Framework::kMindSpore;
  bool mint_ = true;
  bool capital_warning_ = false;
  std::map<std::string, std::size_t> metric_index_;
  OutputFile details_;
  OutputFile result_;
};

}  // namespace

std::unique_ptr<ResultSink> make_msprobe_sink(const std::filesystem::path& folder, const std::string& timestamp) {
  return std::make_unique<MsprobeSink>(folder, timestamp);
}

}  // namespace assay
