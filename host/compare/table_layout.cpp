#include "compare/table_layout.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "base/text.hpp"

namespace assay {

namespace {

/// In the order of TorchMetric; what a comparison of two runs can't do without.
constexpr std::array<const char*, kTorchMetricCount> kTorchMetrics = {
    "小值域错误占比", "均方根误差",     "相对误差最大值", "相对误差平均值", "误差均衡性",          "二进制一致错误率",
    "inf/nan错误率",  "相对误差错误率", "绝对误差错误率", "ULP误差平均值",  "ULP误差大于阈值占比", "双千指标"};
constexpr std::array<const char*, 5> kTorchMoreMetrics = {"余弦相似度", "最大绝对误差", "双百指标", "双万指标", "ULP误差最大值"};
constexpr std::array<const char*, 3> kMintMetrics = {"Cosine", "MaxAbsErr", "MaxRelativeErr"};
/// Columns of our details.csv that are no metrics.
constexpr std::array<const char*, 12> kAssayTexts = {"api_name",     "verdict",        "reason",    "message",
                                                     "actual_dtype", "expected_dtype", "shape",     "worst_index",
                                                     "worst_actual", "worst_expected", "worst_ulp", "notes"};

class Header {
 public:
  explicit Header(const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      std::string name = plain(cells[i]);
      if (name.empty()) continue;
      if (!columns_.emplace(name, i).second) repeated_.push_back(cells[i]);
    }
  }

  [[nodiscard]] std::optional<std::size_t> find(const std::string& name) const {
    const auto found = columns_.find(plain(name));
    return found == columns_.end() ? std::nullopt : std::optional<std::size_t>(found->second);
  }
  [[nodiscard]] bool has(const std::string& name) const { return find(name).has_value(); }
  [[nodiscard]] const std::vector<std::string>& repeated() const { return repeated_; }

 private:
  /// Lower case without blanks around it: "API name" and "API Name" are both in use.
  static std::string plain(const std::string& text) {
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == std::string::npos) return {};
    std::string out = text.substr(first, text.find_last_not_of(" \t") - first + 1);
    for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return out;
  }

  std::map<std::string, std::size_t> columns_;
  std::vector<std::string> repeated_;
};

template <class Names>
std::vector<std::string> missing(const Header& header, const Names& names) {
  std::vector<std::string> out;
  for (const char* name : names) {
    if (!header.has(name)) out.emplace_back(name);
  }
  return out;
}

template <class Names>
void add_metrics(const Header& header, const Names& names, TableLayout& layout) {
  for (const char* name : names) {
    if (const auto at = header.find(name)) layout.metrics.emplace_back(name, *at);
  }
}

Failure unknown_table(const std::vector<std::string>& header, const std::string& path) {
  std::string seen;
  for (std::size_t i = 0; i < header.size() && i < 6; ++i) seen += (i == 0 ? "" : ", ") + escape_control(header[i].substr(0, 40));
  std::string remedy =
      "expected an accuracy_checking_details or accuracy_checking_result CSV of MindStudio Probe, or a details.csv or "
      "result.csv of assay";
  if (header.size() == 1 && header[0].find(';') != std::string::npos) remedy = "cells are separated by ';', expected ','";
  if (header.size() == 1 && header[0].find('\t') != std::string::npos) remedy = "cells are separated by tabs, expected ','";
  return input_failure("read '" + path + "': the first line is no header that assay knows (" + seen +
                       (header.size() > 6 ? ", ..." : "") + "); " + remedy);
}

TableLayout common(TableKind kind, const Header& header, std::size_t columns, const char* name) {
  TableLayout layout;
  layout.kind = kind;
  layout.columns = columns;
  layout.name = *header.find(name);
  layout.message = header.find("Message");
  layout.shape = header.find("Shape");
  return layout;
}

}  // namespace

Result<TableLayout> find_layout(const std::vector<std::string>& cells, const std::string& path) {
  const Header header(cells);
  if (!header.repeated().empty()) {
    return input_failure("read '" + path + "': column '" + escape_control(header.repeated().front()) +
                         "' is there twice; keep one of them");
  }
  const bool peer = header.has("API Name");
  if (peer && header.has("DEVICE Dtype")) {
    TableLayout layout = common(TableKind::kTorchDetails, header, cells.size(), "API Name");
    const std::vector<std::string> lacking = missing(header, kTorchMetrics);
    if (!lacking.empty()) return input_failure("read '" + path + "': columns are missing: " + join(lacking, ", "));
    layout.dtype = header.find("DEVICE Dtype");
    layout.verdict = header.find("Status");
    add_metrics(header, kTorchMetrics, layout);
    add_metrics(header, kTorchMoreMetrics, layout);
    return layout;
  }
  if (peer && header.has("Cosine") && header.has("Status")) {
    TableLayout layout = common(TableKind::kMintDetails, header, cells.size(), "API Name");
    layout.dtype = header.find("Tested Dtype");
    layout.verdict = header.find("Status");
    add_metrics(header, kMintMetrics, layout);
    return layout;
  }
  if (peer && header.has("Forward Test Success") && header.has("Backward Test Success")) {
    TableLayout layout = common(TableKind::kPeerResult, header, cells.size(), "API Name");
    layout.forward = header.find("Forward Test Success");
    layout.backward = header.find("Backward Test Success");
    return layout;
  }
  if (header.has("api_name") && header.has("verdict")) {
    TableLayout layout = common(TableKind::kAssayDetails, header, cells.size(), "api_name");
    layout.dtype = header.find("actual_dtype");
    layout.verdict = header.find("verdict");
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const bool text = std::find(kAssayTexts.begin(), kAssayTexts.end(), cells[i]) != kAssayTexts.end();
      if (!text && !cells[i].empty()) layout.metrics.emplace_back(cells[i], i);
    }
    return layout;
  }
  if (header.has("api_name") && header.has("forward") && header.has("backward")) {
    TableLayout layout = common(TableKind::kAssayResult, header, cells.size(), "api_name");
    layout.forward = header.find("forward");
    layout.backward = header.find("backward");
    return layout;
  }
  return unknown_table(cells, path);
}

}  // namespace assay
