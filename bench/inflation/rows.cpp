#include "rows.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/csv_reader.hpp"
#include "base/text.hpp"
#include "config/json.hpp"

namespace assay::bench {

namespace {

const std::vector<std::string> kColumns = {"model",   "mode",           "direction",        "scope",  "perturbation", "time_s",
                                           "peak_gb", "time_inflation", "memory_inflation", "note_en"};

bool is_one_of(const std::string& text, std::initializer_list<const char*> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

/// A factor above 0; 0: it is none.
double factor(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return *end == 0 && value > 0 ? value : 0;
}

Result<PublishedRow> row_of(const CsvRecord& record, const std::filesystem::path& path) {
  const auto malformed = [&](const std::string& what) {
    return input_failure("read " + path.string() + ":" + std::to_string(record.line) + ": " + what);
  };
  if (record.cells.size() != kColumns.size()) return malformed("expected " + std::to_string(kColumns.size()) + " cells");
  PublishedRow row;
  row.model = record.cells[0];
  row.mode = record.cells[1];
  row.direction = record.cells[2];
  row.scope = record.cells[3];
  row.perturbation = record.cells[4];
  row.time_s = record.cells[5];
  row.peak_gb = record.cells[6];
  row.time_inflation = factor(record.cells[7]);
  row.memory_inflation = factor(record.cells[8]);
  row.note = record.cells[9];
  if (row.time_inflation == 0 || row.memory_inflation == 0) return malformed("expected two factors above 0");
  if (!is_one_of(row.mode, {"baseline", "check", "fix", "preheat"}))
    return malformed("mode '" + row.mode + "': expected baseline, check, fix or preheat");
  if (row.is_baseline()) return row;
  if (!is_one_of(row.direction, {"forward", "backward"}))
    return malformed("direction '" + row.direction + "': expected forward or backward");
  if (!is_one_of(row.perturbation, {"improve_precision", "add_noise", "bit_noise", "change_value", "no_change", "to_cpu"}))
    return malformed("there is no perturbation '" + row.perturbation + "'");
  const Result<rapidjson::Document> scope = parse_json(row.scope, "scope");
  if (!scope || !scope->IsArray()) return malformed("scope '" + row.scope + "': expected a JSON list of names");
  for (const rapidjson::Value& name : scope->GetArray()) {
    if (!name.IsString()) return malformed("scope '" + row.scope + "': expected names");
    row.apis.emplace_back(name.GetString());
  }
  return row;
}

}  // namespace

std::string PublishedRow::what() const { return is_baseline() ? mode : mode + " " + direction + " " + scope + " " + perturbation; }

Result<std::vector<PublishedRow>> read_rows(const std::filesystem::path& path) {
  Result<CsvReader> reader = CsvReader::open(path);
  if (!reader) return reader.failure();
  std::vector<PublishedRow> rows;
  CsvRecord record;
  for (bool first = true;; first = false) {
    Result<bool> more = reader->next(record);
    if (!more) return more.failure();
    if (!*more) break;
    if (first) {
      if (record.cells != kColumns) return input_failure("read " + path.string() + ": expected the columns " + join(kColumns, ","));
      continue;
    }
    Result<PublishedRow> row = row_of(record, path);
    if (!row) return row.failure();
    row->number = rows.size() + 1;
    rows.push_back(std::move(*row));
  }
  return rows;
}

}  // namespace assay::bench
