#include "compare/precision_files.hpp"

#include "base/text.hpp"
#include "report/csv.hpp"
#include "report/output_file.hpp"

namespace assay {

namespace {

constexpr const char* kBom = "\xef\xbb\xbf";
constexpr const char* kLineEnd = "\r\n";
constexpr const char* kSpace = " ";

/// A column shows a figure's value or its status.
struct Column {
  const char* name;
  PrecisionFigure figure;
  bool shows_status;
};

constexpr Column kColumns[] = {{"小值域错误比值", kSmallValueRatio, false},
                               {"小值域判定结果", kSmallValueRatio, true},
                               {"均方根误差比值", kRmseRatio, false},
                               {"均方根误差判定结果", kRmseRatio, true},
                               {"相对误差最大值比值", kMaxRelRatio, false},
                               {"相对误差最大值判定结果", kMaxRelRatio, true},
                               {"相对误差平均值比值", kMeanRelRatio, false},
                               {"相对误差平均值判定结果", kMeanRelRatio, true},
                               {"误差均衡性比值", kBalanceFigure, false},
                               {"误差均衡性判定结果", kBalanceFigure, true},
                               {"inf/nan错误率", kInfNanFigure, false},
                               {"inf/nan判定结果", kInfNanFigure, true},
                               {"相对误差错误率", kRelativeFigure, false},
                               {"相对误差判定结果", kRelativeFigure, true},
                               {"绝对误差错误率", kAbsoluteFigure, false},
                               {"绝对误差判定结果", kAbsoluteFigure, true},
                               {"二进制一致错误率", kErrorRateFigure, false},
                               {"二进制一致错误率判定结果", kErrorRateFigure, true},
                               {"ULP误差平均值", kUlpMeanFigure, false},
                               {"ULP误差大于阈值占比", kUlpShareFigure, false},
                               {"ULP误差大于阈值占比比值", kUlpShareRatio, false},
                               {"ULP误差判定结果", kUlpMeanFigure, true},
                               {"双千指标", kThousandthFigure, false},
                               {"双千指标判定结果", kThousandthFigure, true}};

const char* algorithm_text(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::kBenchmark: return "标杆比对法";
    case Algorithm::kUlp: return "ULP误差比对法";
    case Algorithm::kBinary: return "二进制一致法";
    case Algorithm::kAbsolute: return "绝对阈值法";
    case Algorithm::kThousandth: return "双千指标法";
    case Algorithm::kAccumulative: return "累积误差比对法";
  }
  return "";
}

std::string status_text(Verdict verdict, const std::string& warning_word) {
  switch (verdict) {
    case Verdict::kNone: return kSpace;
    case Verdict::kSkip: return "SKIP";
    case Verdict::kPass: return "pass";
    case Verdict::kWarning: return warning_word;
    case Verdict::kError: return "error";
  }
  return kSpace;
}

std::string details_line(const PrecisionRow& row, const std::string& warning_word) {
  std::vector<std::string> cells = {csv_cell(row.name)};
  for (const Column& column : kColumns) {
    const Figure& figure = row.figures[column.figure];
    const std::string value = figure.value ? format_number(*figure.value) : kSpace;
    cells.push_back(column.shows_status ? status_text(figure.status, warning_word) : value);
  }
  cells.push_back(status_text(row.verdict, warning_word));
  cells.emplace_back(row.algorithm ? algorithm_text(*row.algorithm) : kSpace);
  cells.push_back(csv_cell(row.message));
  return csv_line(cells, kLineEnd);
}

std::string result_line(const PrecisionResult& result, const std::string& warning_word) {
  return csv_line({csv_cell(result.stem), status_text(result.forward, warning_word), status_text(result.backward, warning_word),
                   csv_cell(result.message)},
                  kLineEnd);
}

}  // namespace

Status write_precision_files(const std::filesystem::path& folder, const std::string& timestamp, const std::string& warning_word,
                             const std::vector<PrecisionRow>& rows, const std::vector<PrecisionResult>& results) {
  std::vector<std::string> header = {"API Name"};
  for (const Column& column : kColumns) header.emplace_back(column.name);
  for (const char* name : {"比对结果", "比对算法", "Message"}) header.emplace_back(name);
  Result<OutputFile> details = OutputFile::create(folder / ("api_precision_compare_details_" + timestamp + ".csv"));
  if (!details) return details.failure();
  if (Status s = details->write(kBom + csv_line(header, kLineEnd)); !s) return s;
  for (const PrecisionRow& row : rows) {
    if (Status s = details->write(details_line(row, warning_word)); !s) return s;
  }
  if (Status s = details->close(); !s) return s;

  Result<OutputFile> result = OutputFile::create(folder / ("api_precision_compare_result_" + timestamp + ".csv"));
  if (!result) return result.failure();
  const std::vector<std::string> result_header = {"API Name", "Forward Test Success", "Backward Test Success", "Message"};
  if (Status s = result->write(kBom + csv_line(result_header, kLineEnd)); !s) return s;
  for (const PrecisionResult& each : results) {
    if (Status s = result->write(result_line(each, warning_word)); !s) return s;
  }
  return result->close();
}

}  // namespace assay
