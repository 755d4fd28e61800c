#include "report/html/report_page.hpp"

#include <algorithm>
#include <cmath>

#include "base/files.hpp"
#include "base/locations.hpp"
#include "base/text.hpp"
#include "report/html/charts.hpp"
#include "report/html/page_json.hpp"

namespace assay::html {

namespace {

constexpr std::size_t kStaticRows = 500;
constexpr std::size_t kWorstRows = 12;

std::string detail_json(const RowDetail& detail) {
  rapidjson::StringBuffer buffer;
  Writer writer(buffer);
  writer.StartObject();
  writer.Key("reason");
  writer.String(detail.reason);
  writer.Key("facts");
  writer.StartArray();
  for (const Fact& fact : detail.facts) write_texts(writer, {fact.term, fact.text});
  writer.EndArray();
  writer.Key("metrics");
  writer.StartArray();
  for (const std::optional<double>& metric : detail.metrics) write_number(writer, metric);
  writer.EndArray();
  writer.Key("elements");
  writer.StartArray();
  for (const std::vector<std::string>& element : detail.elements) write_texts(writer, element);
  writer.EndArray();
  writer.Key("histogram");
  writer.StartArray();
  for (const auto& [bin, count] : detail.histogram) {
    writer.StartArray();
    writer.Uint(bin);
    writer.Double(count);
    writer.EndArray();
  }
  writer.EndArray();
  writer.EndObject();
  return buffer.GetString();
}

std::string elements_table(const std::vector<std::string>& columns, const std::vector<std::vector<std::string>>& elements) {
  std::vector<Head> heads;
  for (const std::string& column : columns) heads.push_back({column});
  Table table(heads);
  for (const std::vector<std::string>& element : elements) {
    std::vector<std::string> cells;
    for (const std::string& text : element) cells.push_back(cell(text));
    table.row(cells);
  }
  return table.str();
}

}  // namespace

std::string show_again(const std::string& command, const std::string& call) { return command + " --api " + shell_word(call); }

Status ReportPage::add(Row row) {
  // Not a number is as bad as it gets, and has a place in an order this way.
  if (std::isnan(row.severity)) row.severity = INFINITY;
  const std::string& reason = row.detail.reason;
  if (!reason.empty() && std::find(reasons_.begin(), reasons_.end(), reason) == reasons_.end()) reasons_.push_back(reason);
  if (row.verdict == Verdict::kError || row.verdict == Verdict::kWarning) keep_worst(row);
  if (++row_count_ > kMaxRows) return Done{};
  if (Status s = details_.add(detail_json(row.detail)); !s) return s;
  if (columns_.row_count() < kStaticRows) keep_static(row);
  columns_.add(row);
  return Done{};
}

void ReportPage::keep_worst(const Row& row) {
  const auto worse_than = [](const Worst& l, const Worst& r) {
    if (l.row.verdict != r.row.verdict) return l.row.verdict > r.row.verdict;
    if (l.row.severity != r.row.severity) return l.row.severity > r.row.severity;
    return l.number < r.number;
  };
  const Worst entry{row_count_, row};
  if (worst_.size() == kWorstRows && !worse_than(entry, worst_.back())) return;
  worst_.insert(std::upper_bound(worst_.begin(), worst_.end(), entry, worse_than), entry);
  if (worst_.size() > kWorstRows) worst_.pop_back();
}

std::string ReportPage::worst_list() const {
  if (worst_.empty()) return "<p>Nothing is wrong: there is no error and no warning.</p>\n";
  std::string list;
  for (const Worst& entry : worst_) {
    const Row& row = entry.row;
    std::string numbers;
    for (std::size_t i = 0; i < setup_.columns.size() && i < row.numbers.size(); ++i) {
      if (!row.numbers[i]) continue;
      numbers += (numbers.empty() ? "" : " · ") + escape(setup_.columns[i]) + " " + short_number(row.numbers[i]);
    }
    const std::string verdict(verdict_name(row.verdict));
    list += "<details class=\"finding\"><summary><span class=\"tag " + verdict + "\">" + verdict + "</span> <span " +
            (entry.number < kMaxRows ? "data-row=\"" + std::to_string(entry.number) + "\" " : "") + "class=\"what\">" +
            escape(row.name) + "</span> <span class=\"faint\">" + numbers + "</span></summary>\n<p>" + escape(row.message) +
            "</p>\n";
    if (!row.detail.elements.empty()) list += elements_table(setup_.element_columns, row.detail.elements);
    if (!row.detail.histogram.empty()) list += small_histogram(row.detail.histogram, setup_.histogram_of);
    if (!setup_.command.empty())
      list += "<p class=\"hint\">Show it again:</p>\n" + preformatted(show_again(setup_.command, row.call));
    list += "</details>\n";
  }
  return list;
}

void ReportPage::keep_static(const Row& row) {
  static_rows_ += "<tr>" + cell(std::to_string(row.position)) + cell(row.name) + verdict_cell(row.verdict);
  for (const std::optional<double>& number : row.numbers) static_rows_ += number_cell(number);
  static_rows_ += cell(row.message) + "</tr>\n";
}

Status ReportPage::write_data(const Output& out) const {
  rapidjson::StringBuffer buffer;
  Writer writer(buffer);
  writer.StartObject();
  writer.Key("command");
  write_text(writer, setup_.command);
  for (const auto& [key, texts] : {std::pair("columns", &setup_.columns), std::pair("metrics", &setup_.metrics),
                                   std::pair("element_columns", &setup_.element_columns)}) {
    writer.Key(key);
    write_texts(writer, *texts);
  }
  writer.Key("histogram_of");
  write_text(writer, setup_.histogram_of);
  writer.Key("part_rows");
  writer.Uint64(DetailStore::kPartRows);
  writer.Key("reasons");
  writer.StartObject();
  const Result<Reasons> known = Reasons::load(share_folder() / "standards" / "reasons.json");
  for (const std::string& code : reasons_) {
    const Reason* reason = known ? known->find(code) : nullptr;
    writer.Key(code.c_str());
    writer.StartArray();
    if (reason != nullptr) {
      for (const std::string* text : {&reason->title, &reason->meaning, &reason->action}) write_text(writer, *text);
    }
    writer.EndArray();
  }
  writer.EndObject();
  writer.EndObject();
  // The members of the rows follow in the same object.
  const std::string_view whole(buffer.GetString(), buffer.GetSize());
  if (Status s = out(script_safe(whole.substr(0, whole.size() - 1)) + ","); !s) return s;
  if (Status s = columns_.write(out); !s) return s;
  return out("}");
}

Status ReportPage::render(const PageFrame& frame, const Output& out) const {
  Result<std::string> page = read_text(share_folder() / "report" / "template.html");
  Result<std::string> style = read_text(share_folder() / "report" / "report.css");
  Result<std::string> script = read_text(share_folder() / "report" / "report.js");
  for (const Result<std::string>* part : {&page, &style, &script}) {
    if (!*part) return part->failure();
  }
  std::string tiles;
  for (const Tile& tile : frame.tiles) {
    tiles += "<li class=\"tag " + tile.style + "\"><b>" + std::to_string(tile.count) + "</b> " + escape(tile.label) + "</li>\n";
  }
  std::vector<Fact> facts = frame.facts;
  if (row_count_ > columns_.row_count()) {
    facts.push_back({"rows", "the first " + std::to_string(columns_.row_count()) + " of " + std::to_string(row_count_) +
                                 "; the others are in the CSV file beside this page"});
  }
  std::string heads;
  for (std::size_t i = 0; i < setup_.columns.size(); ++i) {
    heads += "<th scope=\"col\" data-column=\"" + std::to_string(i) + "\" class=\"number\">" + escape(setup_.columns[i]) + "</th>";
  }
  const std::size_t rows = columns_.row_count();
  return fill(
      *page,
      {{"TITLE", escape(frame.title)},
       {"STYLE", *style},
       {"CONNECT", frame.live ? " connect-src 'self';" : ""},
       {"LIVE", frame.live ? " data-live" : ""},
       {"VERDICT", frame.style},
       {"HEADLINE", escape(frame.headline)},
       {"TILES", tiles},
       {"FACTS", fact_list(facts)},
       {"WORST", worst_list()},
       {"SECTIONS", frame.sections},
       {"HEADS", heads},
       {"ROWS", static_rows_},
       {"MORE", rows > kStaticRows ? std::to_string(rows - kStaticRows) + " more rows are in the CSV file beside this page." : ""},
       {"RUN", frame.run},
       {"SCRIPT", *script},
       {"DATA", Part([this](const Output& to) { return write_data(to); })},
       {"DETAILS", Part([this](const Output& to) { return details_.write(to); })}},
      out);
}

}  // namespace assay::html
