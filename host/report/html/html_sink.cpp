// report.html: one self-contained page, complete without scripts, easier to search with them.
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/files.hpp"
#include "base/locations.hpp"
#include "base/text.hpp"
#include "judge/judge.hpp"
#include "report/html/charts.hpp"
#include "report/html/page.hpp"
#include "report/output_file.hpp"
#include "report/sink.hpp"

namespace assay {

namespace {

using html::escape;

constexpr std::size_t kStaticRows = 200;
constexpr std::size_t kWorstRows = 12;

/// What the tables need of one output; the whole of it goes into the page's data.
struct Row {
  std::size_t position = 0;
  std::string name;
  Verdict verdict = Verdict::kNone;
  std::optional<double> max_ulp, bits, cosine;
  double milliseconds = 0;
  double excess = 0;  ///< the deciding number over its limit
  std::string message;
  std::string actual, expected, worst;
};

struct OperatorTotals {
  std::size_t calls = 0;
  std::size_t errors = 0;
  std::size_t warnings = 0;
  std::size_t skips = 0;
  double max_ulp = 0;
  double milliseconds = 0;
};

std::string cell(const std::string& text, const char* css = "") {
  return "<td" + (css[0] == '\0' ? std::string() : " class=\"" + std::string(css) + "\"") + ">" + escape(text) + "</td>";
}

std::string short_number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

std::string number_cell(const std::optional<double>& value) { return cell(value ? short_number(*value) : "", "number"); }

std::string tag(Verdict verdict) {
  const std::string name(verdict_name(verdict));
  return "<td><span class=\"tag " + name + "\">" + name + "</span></td>";
}

std::string fact(const std::string& term, const std::string& text) {
  return "<dt>" + escape(term) + "</dt><dd>" + escape(text) + "</dd>\n";
}

std::string side_text(const SideInfo& side) {
  if (side.source == "recorded") return "outputs recorded in " + (side.details.empty() ? "the dump" : side.details);
  return side.source + ", " + side.framework + " " + side.version + ", " + side.precision;
}

std::string summary_text(const ValueSummary& value) {
  if (value.dtype.empty()) return "missing";
  return value.is_tensor ? value.dtype + " " + format_shape(value.shape) : value.dtype + " " + value.text;
}

class HtmlSink final : public ResultSink {
 public:
  explicit HtmlSink(std::filesystem::path folder) : folder_(std::move(folder)), writer_(data_) {}

  Status begin(const RunInfo& info) override {
    info_ = info;
    for (std::size_t i = 0; i < info.metric_names.size(); ++i) {
      metric_index_[info.metric_names[i]] = i;
      // The peer's metrics repeat ours; they are in details.csv.
      if (!info.metric_names[i].starts_with("msprobe_")) shown_metrics_.push_back(i);
    }
    writer_.StartArray();
    return Done{};
  }

  Status add(const ApiResult& result) override {
    OperatorTotals& totals = operators_[result.api];
    ++totals.calls;
    for (const DirectionResult* direction : {&result.forward, &result.backward}) {
      if (direction->verdict == Verdict::kNone) continue;
      const bool backward = direction == &result.backward;
      totals.errors += direction->verdict == Verdict::kError ? 1 : 0;
      totals.warnings += direction->verdict == Verdict::kWarning ? 1 : 0;
      totals.skips += direction->verdict == Verdict::kSkip ? 1 : 0;
      totals.milliseconds += direction->target_ms + direction->reference_ms;
      std::optional<double> direction_ulp;
      if (direction->outputs.empty()) add_row(result, *direction, unjudged(result, *direction, backward), nullptr);
      for (const OutputRow& output : direction->outputs) {
        const Row row = judged(result, *direction, output);
        if (row.max_ulp) direction_ulp = std::max(direction_ulp.value_or(0), *row.max_ulp);
        for (const auto& [bin, count] : output.ulp_histogram) {
          if (bin >= histogram_.size()) histogram_.resize(bin + 1);
          histogram_[bin] += count;
        }
        add_row(result, *direction, row, &output);
      }
      if (direction_ulp) {
        totals.max_ulp = std::max(totals.max_ulp, *direction_ulp);
        drift_.push_back({result.position, *direction_ulp, backward, direction->verdict == Verdict::kError,
                          result.stem + (backward ? ".backward" : ".forward")});
      }
    }
    return Done{};
  }

  Status finish(const RunSummary& summary) override {
    writer_.EndArray();
    Result<std::string> page = read_text(share_folder() / "report" / "template.html");
    Result<std::string> style = read_text(share_folder() / "report" / "report.css");
    Result<std::string> script = read_text(share_folder() / "report" / "report.js");
    for (const Result<std::string>* part : {&page, &style, &script}) {
      if (!*part) return part->failure();
    }
    const std::string title = "assay: " + std::filesystem::path(info_.dump_path).parent_path().filename().string();
    const std::string filled = html::fill(
        *page,
        {{"TITLE", escape(title)},
         {"STYLE", *style},
         {"VERDICT_CLASS", verdict_class(summary)},
         {"HEADLINE", escape(headline(summary))},
         {"FACTS", facts(summary)},
         {"WORST", worst_table()},
         {"DRIFT", html::drift_chart(drift_, last_position_ + 1)},
         {"OPERATORS", operator_table()},
         {"HISTOGRAM", html::ulp_histogram_chart(histogram_)},
         {"ROWS", static_rows_},
         {"MORE", row_count_ > kStaticRows ? std::to_string(row_count_ - kStaticRows) + " more rows are in details.csv." : ""},
         {"RUN", run_section()},
         {"SCRIPT", *script},
         {"DATA", data_json()}});
    Result<OutputFile> file = OutputFile::create(folder_ / "report.html");
    if (!file) return file.failure();
    if (Status s = file->write(filled); !s) return s;
    return file->close();
  }

 private:
  [[nodiscard]] std::optional<double> metric(const OutputRow& output, const char* name) const {
    const auto found = metric_index_.find(name);
    return found != metric_index_.end() && found->second < output.metrics.size() ? output.metrics[found->second] : std::nullopt;
  }

  Row judged(const ApiResult& result, const DirectionResult& direction, const OutputRow& output) const {
    Row row;
    row.position = result.position;
    row.name = output.name;
    row.verdict = output.verdict;
    row.max_ulp = metric(output, "max_ulp");
    row.bits = metric(output, "significant_bits_worst");
    row.cosine = metric(output, "cosine");
    row.milliseconds = direction.target_ms + direction.reference_ms;
    row.message = output.message;
    row.actual = summary_text(output.actual);
    row.expected = summary_text(output.expected);
    if (output.worst) {
      row.worst = "actual " + output.worst->actual + ", expected " + output.worst->expected;
    }
    if (output.decision)
      row.excess = output.decision->limit > 0 ? output.decision->value / output.decision->limit : output.decision->value;
    return row;
  }

  static Row unjudged(const ApiResult& result, const DirectionResult& direction, bool backward) {
    Row row;
    row.position = result.position;
    row.name = result.stem + (backward ? ".backward" : ".forward");
    row.verdict = direction.verdict;
    row.message = direction.message;
    return row;
  }

  void add_row(const ApiResult& result, const DirectionResult& direction, const Row& row, const OutputRow* output) {
    last_position_ = std::max(last_position_, row.position);
    if (row_count_ < kStaticRows) {
      static_rows_ += "<tr>" + cell(std::to_string(row.position)) + "<td data-row=\"" + std::to_string(row_count_) + "\">" +
                      escape(row.name) + "</td>" + tag(row.verdict) + number_cell(row.max_ulp) + number_cell(row.bits) +
                      number_cell(row.cosine) + number_cell(row.milliseconds) + cell(row.message) + "</tr>\n";
    }
    if (row.verdict == Verdict::kError || row.verdict == Verdict::kWarning) keep_worst(row);
    write_data(result, direction, row, output);
    ++row_count_;
  }

  void keep_worst(const Row& row) {
    const auto worse_than = [](const std::pair<std::size_t, Row>& l, const std::pair<std::size_t, Row>& r) {
      if (l.second.verdict != r.second.verdict) return l.second.verdict > r.second.verdict;
      if (l.second.excess != r.second.excess) return l.second.excess > r.second.excess;
      return l.first < r.first;
    };
    const std::pair<std::size_t, Row> entry{row_count_, row};
    worst_.insert(std::upper_bound(worst_.begin(), worst_.end(), entry, worse_than), entry);
    if (worst_.size() > kWorstRows) worst_.pop_back();
  }

  void write_number(const std::optional<double>& value) {
    if (!value) {
      writer_.Null();
    } else if (std::isfinite(*value)) {
      const std::string text = short_number(*value);
      writer_.RawValue(text.c_str(), text.size(), rapidjson::kNumberType);
    } else {
      writer_.String(format_number(*value));
    }
  }

  void write_text(const char* key, const std::string& value) {
    if (value.empty()) return;
    writer_.Key(key);
    writer_.String(escape_control(value));
  }

  void write_data(const ApiResult& result, const DirectionResult& direction, const Row& row, const OutputRow* output) {
    writer_.StartArray();
    writer_.Uint64(row.position);
    writer_.String(escape_control(row.name));
    writer_.String(std::string(verdict_name(row.verdict)));
    write_number(row.max_ulp);
    write_number(row.bits);
    write_number(row.cosine);
    write_number(row.milliseconds);
    writer_.String(escape_control(row.message));
    writer_.StartObject();
    write_text("stem", result.stem);
    write_text("reason", output != nullptr ? output->reason : direction.reason);
    if (!direction.notes.empty()) {
      writer_.Key("notes");
      writer_.StartArray();
      for (const std::string& note : direction.notes) writer_.String(escape_control(note));
      writer_.EndArray();
    }
    if (output != nullptr) write_output(row, *output);
    writer_.EndObject();
    writer_.EndArray();
  }

  void write_output(const Row& row, const OutputRow& output) {
    reasons_[output.reason];
    write_text("judged_as", output.judged_as);
    write_text("actual", row.actual);
    write_text("expected", row.expected);
    if (!output.metrics.empty()) {
      writer_.Key("metrics");
      writer_.StartArray();
      for (const std::size_t i : shown_metrics_) write_number(i < output.metrics.size() ? output.metrics[i] : std::nullopt);
      writer_.EndArray();
    }
    if (!output.worst) return;
    writer_.Key("worst");
    writer_.StartObject();
    writer_.Key("index");
    writer_.StartArray();
    for (const std::int64_t i : output.worst->index) writer_.Int64(i);
    writer_.EndArray();
    write_text("actual", output.worst->actual);
    write_text("expected", output.worst->expected);
    if (output.worst->ulp) {
      writer_.Key("ulp");
      write_number(output.worst->ulp);
    }
    writer_.EndObject();
  }

  static const char* verdict_class(const RunSummary& summary) {
    if (summary.counts.error != 0) return "error";
    return summary.counts.warning != 0 ? "warning" : summary.counts.pass != 0 ? "pass" : "skip";
  }

  [[nodiscard]] std::string headline(const RunSummary& summary) const {
    const VerdictCounts& counts = summary.counts;
    std::string text = std::to_string(counts.error) + (counts.error == 1 ? " error, " : " errors, ") +
                       std::to_string(counts.warning) + (counts.warning == 1 ? " warning, " : " warnings, ") +
                       std::to_string(counts.pass) + " passed, " + std::to_string(counts.skip) + " skipped, in " +
                       std::to_string(counts.apis) + " API calls";
    if (!worst_.empty() && counts.error != 0) text += ". Worst: " + worst_.front().second.name;
    return summary.complete ? text : "Incomplete run. " + text;
  }

  [[nodiscard]] std::string facts(const RunSummary& summary) const {
    return fact("dump", info_.dump_path) + fact("target", side_text(info_.target)) + fact("reference", side_text(info_.reference)) +
           fact("standard", info_.standard) + fact("time", short_number(summary.seconds) + " s");
  }

  [[nodiscard]] std::string worst_table() const {
    if (worst_.empty()) return "<p>Nothing is wrong: no output has an error or a warning.</p>";
    std::string table =
        "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">output</th><th scope=\"col\">verdict</th><th scope=\"col\" "
        "class=\"number\">max ulp</th><th scope=\"col\" class=\"number\">bits kept</th><th "
        "scope=\"col\">why</th></tr></thead><tbody>\n";
    for (const auto& [index, row] : worst_) {
      table += "<tr><td data-row=\"" + std::to_string(index) + "\">" + escape(row.name) + "</td>" + tag(row.verdict) +
               number_cell(row.max_ulp) + number_cell(row.bits) + cell(row.message) + "</tr>\n";
    }
    return table + "</tbody></table></div>";
  }

  [[nodiscard]] std::string operator_table() const {
    std::vector<std::pair<std::string, OperatorTotals>> sorted(operators_.begin(), operators_.end());
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& l, const auto& r) {
      return std::tuple(l.second.errors, l.second.warnings, l.second.max_ulp) >
             std::tuple(r.second.errors, r.second.warnings, r.second.max_ulp);
    });
    std::string table =
        "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">operator</th><th scope=\"col\" class=\"number\">calls</th><th "
        "scope=\"col\" "
        "class=\"number\">errors</th><th scope=\"col\" class=\"number\">warnings</th><th scope=\"col\" "
        "class=\"number\">skipped</th><th "
        "scope=\"col\" class=\"number\">max ulp</th><th scope=\"col\" class=\"number\">ms</th></tr></thead><tbody>\n";
    for (const auto& [name, totals] : sorted) {
      table += "<tr>" + cell(name) + cell(std::to_string(totals.calls), "number") + cell(std::to_string(totals.errors), "number") +
               cell(std::to_string(totals.warnings), "number") + cell(std::to_string(totals.skips), "number") +
               number_cell(totals.max_ulp) + number_cell(totals.milliseconds) + "</tr>\n";
    }
    return table + "</tbody></table></div>";
  }

  [[nodiscard]] std::string run_section() const {
    std::string text =
        "<pre>" + escape(info_.command) + "</pre>\n<dl class=\"facts\">\n" + fact("dump CRC-32", info_.dump_fingerprint);
    for (const auto& [name, side] : {std::pair("target", &info_.target), std::pair("reference", &info_.reference)}) {
      if (!side->details.empty()) text += fact(name, side->details);
    }
    text += "</dl>\n";
    if (!info_.skipped_keys.empty()) {
      text += "<details><summary>" + std::to_string(info_.skipped_keys.size()) + " keys of the dump are not calls</summary><ul>\n";
      for (const SkippedKey& key : info_.skipped_keys) text += "<li>" + escape(key.key + ": " + key.reason) + "</li>\n";
      text += "</ul></details>\n";
    }
    // Line by line: escape() shows control characters, and these line ends are wanted.
    std::string config;
    for (const std::string_view line : split(info_.config_json, '\n')) config += escape(line) + "\n";
    return text + "<details><summary>configuration</summary><pre>" + config + "</pre></details>";
  }

  /// The whole data element; `<` is written as an escape, so that no text in it can end the element.
  [[nodiscard]] std::string data_json() const {
    rapidjson::StringBuffer buffer;
    rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
    writer.StartObject();
    writer.Key("command");
    writer.String(info_.command);
    writer.Key("metrics");
    writer.StartArray();
    for (const std::size_t i : shown_metrics_) writer.String(info_.metric_names[i]);
    writer.EndArray();
    writer.Key("reasons");
    writer.StartObject();
    if (const Result<Reasons> known = Reasons::load(share_folder() / "standards" / "reasons.json")) {
      for (const auto& [code, unused] : reasons_) {
        if (const Reason* reason = known->find(code)) {
          writer.Key(code.c_str());
          writer.String(reason->title);
        }
      }
    }
    writer.EndObject();
    writer.Key("rows");
    writer.RawValue(data_.GetString(), data_.GetSize(), rapidjson::kArrayType);
    writer.EndObject();
    std::string json;
    json.reserve(buffer.GetSize());
    for (const char* c = buffer.GetString(); *c != '\0'; ++c) {
      if (*c == '<') {
        json += "\\u003c";
      } else {
        json += *c;
      }
    }
    return json;
  }

  std::filesystem::path folder_;
  RunInfo info_;
  std::map<std::string, std::size_t> metric_index_;
  std::vector<std::size_t> shown_metrics_;
  std::size_t row_count_ = 0;
  std::size_t last_position_ = 0;
  std::string static_rows_;
  std::vector<std::pair<std::size_t, Row>> worst_;
  std::vector<html::DriftPoint> drift_;
  std::vector<double> histogram_;
  std::map<std::string, OperatorTotals> operators_;
  std::map<std::string, int> reasons_;
  rapidjson::StringBuffer data_;
  rapidjson::Writer<rapidjson::StringBuffer> writer_;
};

}  // namespace

std::unique_ptr<ResultSink> make_html_sink(const std::filesystem::path& folder) { return std::make_unique<HtmlSink>(folder); }

}  // namespace assay
