#include "compare/table.hpp"

#include <charconv>
#include <cstdlib>
#include <unordered_map>

#include "base/csv_reader.hpp"
#include "base/text.hpp"
#include "compare/table_layout.hpp"

namespace assay {

namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos ? std::string_view() : text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return std::nullopt;
  // A number beyond the range of double: from_chars gives none, strtod infinity or 0.
  if (error == std::errc::result_out_of_range) return std::strtod(std::string(text).c_str(), nullptr);
  return error == std::errc() ? std::optional<double>(value) : std::nullopt;
}

bool same_metrics(const TableRow& left, const TableRow& right) {
  for (std::size_t i = 0; i < left.metrics.size(); ++i) {
    const auto& l = left.metrics[i];
    const auto& r = right.metrics[i];
    if (l.has_value() != r.has_value()) return false;
    const bool both_nan = l && *l != *l && *r != *r;
    if (l && *l != *r && !both_nan) return false;
  }
  return true;
}

bool same_row(const TableRow& left, const TableRow& right) {
  return left.dtype == right.dtype && left.shape == right.shape && left.verdict == right.verdict && same_metrics(left, right);
}

class TableBuilder {
 public:
  TableBuilder(Table& table, TableLayout layout) : table_(table), layout_(std::move(layout)) {
    table_.kind = layout_.kind;
    for (const auto& [name, at] : layout_.metrics) table_.metric_names.push_back(name);
    table_.results = ResultSet(table_.path, table_.metric_names);
  }

  void add(const CsvRecord& record) {
    record_ = &record;
    if (!record.fault.empty()) note(record.fault + "; the row is read as far as it goes");
    // A result row ends after its verdicts where there is no message.
    const std::size_t needed = layout_.is_result() ? std::max(*layout_.forward, *layout_.backward) + 1 : layout_.columns;
    if (record.cells.size() < needed || record.cells.size() > layout_.columns) {
      note(std::to_string(record.cells.size()) + " cells, expected " + std::to_string(layout_.columns) + "; the row is left out");
      return;
    }
    if (trimmed(record.cells[layout_.name]).empty()) {
      note("no API name; the row is left out");
      return;
    }
    if (layout_.is_result()) {
      add_result();
    } else {
      add_details();
    }
  }

  void finish() {
    for (const TableRow& row : table_.rows) group(row);
  }

 private:
  void note(const std::string& what) {
    table_.results.notes.add("line " + std::to_string(record_->line) + ": " + escape_control(what));
  }

  /// A cell without blanks around it; valid until the next record.
  [[nodiscard]] std::string_view text(const std::optional<std::size_t>& column) const {
    if (!column || *column >= record_->cells.size()) return {};
    return trimmed(record_->cells[*column]);
  }

  Verdict verdict(const std::optional<std::size_t>& column) {
    const std::string word = lower(text(column));
    if (word.empty() || word == "none") return Verdict::kNone;
    for (const Verdict known : {Verdict::kSkip, Verdict::kPass, Verdict::kWarning, Verdict::kError}) {
      if (word == verdict_name(known)) return known;
    }
    note("'" + word.substr(0, 40) + "' is no verdict; read as none");
    return Verdict::kNone;
  }

  std::optional<double> metric(const std::string& name, std::size_t column) {
    const std::string_view cell = text(column);
    if (cell.empty()) return std::nullopt;
    const std::optional<double> value = number_of(cell);
    if (!value) note("'" + std::string(cell.substr(0, 40)) + "' in column " + name + " is no number; read as not available");
    return value;
  }

  void add_details() {
    TableRow row;
    row.line = record_->line;
    row.name = text(layout_.name);
    row.dtype = text(layout_.dtype);
    row.shape = text(layout_.shape);
    row.verdict = verdict(layout_.verdict);
    row.message = text(layout_.message);
    for (const auto& [name, column] : layout_.metrics) row.metrics.push_back(metric(name, column));
    const auto [found, is_new] = first_.try_emplace(row.name, table_.rows.size());
    if (!is_new) {
      TableRow& first = table_.rows[found->second];
      const std::string where = "'" + row.name + "' is also in line " + std::to_string(first.line);
      if (same_row(first, row)) {
        note(where + " with the same values; the row is left out");
        return;
      }
      note(where + " with other values");
      first.contradicted = row.contradicted = true;
    }
    table_.rows.push_back(std::move(row));
  }

  void add_result() {
    const std::string stem(text(layout_.name));
    const std::string message(text(layout_.message));
    const auto [found, is_new] = first_.try_emplace(stem, record_->line);
    if (!is_new) note("'" + stem + "' is also in line " + std::to_string(found->second) + "; the worse verdicts count");
    for (const bool backward : {false, true}) {
      const Verdict word = verdict(backward ? layout_.backward : layout_.forward);
      if (word == Verdict::kNone) continue;
      DirectionEntry& entry = table_.results.add(stem, backward);
      if (word <= entry.verdict) continue;
      entry.verdict = word;
      if (word != Verdict::kPass) entry.message = message;
    }
  }

  /// A row of a details table as an output of its direction; a name without a direction stands for itself.
  void group(const TableRow& row) {
    const std::optional<OutputName> name = parse_output_name(row.name);
    DirectionEntry& entry = name ? table_.results.add(name->stem, name->backward) : table_.results.add(row.name, false);
    entry.verdict = std::max(entry.verdict, row.verdict);
    if (row.verdict != Verdict::kPass && entry.message.empty()) entry.message = row.message;
    if (!name || name->output.empty()) return;
    entry.outputs.push_back({std::string(name->output), row.verdict, row.dtype, row.message, row.metrics});
  }

  Table& table_;
  TableLayout layout_;
  const CsvRecord* record_ = nullptr;
  std::unordered_map<std::string, std::size_t> first_;  // position or line of the first row of a name
};

}  // namespace

const char* table_kind_name(TableKind kind) {
  switch (kind) {
    case TableKind::kTorchDetails: return "details of MindStudio Probe's PyTorch checker";
    case TableKind::kMintDetails: return "details of MindStudio Probe's mint checker";
    case TableKind::kPeerResult: return "results of a checker of MindStudio Probe";
    case TableKind::kAssayDetails: return "details of assay";
    case TableKind::kAssayResult: return "results of assay";
  }
  return "";
}

Result<Table> Table::read(const std::filesystem::path& path) {
  Result<CsvReader> reader = CsvReader::open(path);
  if (!reader) return reader.failure();
  CsvRecord record;
  Result<bool> more = reader->next(record);
  if (!more) return more.failure();
  if (!*more) return input_failure("read '" + path.string() + "': empty, expected a CSV table with a header");
  Result<TableLayout> layout = find_layout(record.cells, path.string());
  if (!layout) return layout.failure();
  Table table;
  table.path = path.string();
  TableBuilder builder(table, std::move(*layout));
  while (true) {
    more = reader->next(record);
    if (!more) return more.failure();
    if (!*more) break;
    builder.add(record);
  }
  builder.finish();
  return table;
}

}  // namespace assay
