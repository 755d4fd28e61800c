#include "watch/stored_watch.hpp"

#include <charconv>
#include <cstdlib>

#include "base/csv_reader.hpp"
#include "config/json.hpp"
#include "watch/merge_ranks.hpp"

namespace assay {

namespace {

std::optional<double> number_of(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return text.empty() || *end != '\0' ? std::nullopt : std::optional(value);
}

template <class Integer>
Integer integer_of(const std::string& text) {
  Integer value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// Hands each record of a table to `use`, as texts by column; what isn't whole was being written.
Status read_table(const std::filesystem::path& path, const std::function<Status(std::map<std::string, std::string>)>& use) {
  Result<CsvReader> reader = CsvReader::open(path);
  if (!reader) return reader.failure();
  CsvRecord record;
  std::vector<std::string> columns;
  while (true) {
    const Result<bool> more = reader->next(record);
    if (!more) return more.failure();
    if (!*more) return Done{};
    if (columns.empty()) {
      columns = record.cells;
      if (columns.size() < 2 || columns[0] != "rank" || columns[1] != "step") {
        return input_failure("read '" + path.string() + "': expected a table of the watch, which begins with rank and step");
      }
      continue;
    }
    if (record.cells.size() != columns.size() || !record.fault.empty()) continue;
    std::map<std::string, std::string> texts;
    for (std::size_t i = 0; i < columns.size(); ++i) texts[columns[i]] = std::move(record.cells[i]);
    if (Status s = use(std::move(texts)); !s) return s;
  }
}

Verdict verdict_of(const std::string& name) {
  for (const Verdict verdict : {Verdict::kSkip, Verdict::kWarning, Verdict::kError}) {
    if (verdict_name(verdict) == name) return verdict;
  }
  return Verdict::kPass;
}

std::optional<StoredWatchSummary> read_summary(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::nullopt;
  const Result<rapidjson::Document> json = load_json(path);
  if (!json || !json->IsObject()) return std::nullopt;
  const auto member = [&](const char* key) -> const rapidjson::Value* {
    const auto found = json->FindMember(key);
    return found == json->MemberEnd() ? nullptr : &found->value;
  };
  const auto count = [&](const char* key) -> std::uint64_t {
    const rapidjson::Value* value = member(key);
    return value != nullptr && value->IsUint64() ? value->GetUint64() : 0;
  };
  StoredWatchSummary out;
  if (const auto* value = member("framework"); value != nullptr && value->IsString()) out.framework = value->GetString();
  if (const auto* value = member("cost_share"); value != nullptr && value->IsNumber()) out.cost_share = value->GetDouble();
  out.kinds = count("kinds");
  out.kinds_checked = count("kinds_checked");
  if (const auto* value = member("skipped"); value != nullptr && value->IsObject()) {
    for (const auto& [what, calls] : value->GetObject()) {
      if (calls.IsUint64()) out.skipped[what.GetString()] = calls.GetUint64();
    }
  }
  if (const auto* value = member("notes"); value != nullptr && value->IsArray()) {
    for (const auto& note : value->GetArray()) {
      if (note.IsString()) out.notes.emplace_back(note.GetString());
    }
  }
  const auto* complete = member("complete");
  out.complete = complete != nullptr && complete->IsTrue();
  return out;
}

bool is_merged(const std::filesystem::path& folder) {
  std::error_code error;
  return std::filesystem::is_regular_file(folder / "steps.csv", error) &&
         std::filesystem::is_regular_file(folder / "rows.csv", error);
}

}  // namespace

const std::string& StoredWatchRow::text(const std::string& column) const {
  static const std::string nothing;
  const auto found = texts.find(column);
  return found == texts.end() ? nothing : found->second;
}

bool holds_watch(const std::filesystem::path& folder) { return holds_ranks(folder) || is_merged(folder); }

Result<StoredWatch> StoredWatch::open(const std::filesystem::path& folder) {
  StoredWatch watch;
  for (const auto& [rank, path] : rank_folders(folder)) watch.folders_.push_back(path);
  if (watch.folders_.empty() && is_merged(folder)) watch.folders_.push_back(folder);
  if (watch.folders_.empty()) return input_failure("read '" + folder.string() + "': no folder rank<N> of a watch is in it");
  for (const std::filesystem::path& path : watch.folders_) {
    watch.summaries_.push_back(read_summary(path / "summary.json"));
    StoredSteps& steps = watch.steps_;
    Status read = read_table(path / "steps.csv", [&](const std::map<std::string, std::string>& texts) -> Status {
      const auto text = [&](const char* column) {
        const auto found = texts.find(column);
        return found == texts.end() ? std::string() : found->second;
      };
      steps.operators += integer_of<std::uint64_t>(text("operators"));
      steps.checked += integer_of<std::uint64_t>(text("checked"));
      steps.findings += integer_of<std::uint64_t>(text("findings"));
      steps.milliseconds += number_of(text("step_ms")).value_or(0);
      steps.check_milliseconds += number_of(text("check_ms")).value_or(0);
      steps.last = std::max(steps.last, integer_of<std::int64_t>(text("step")));
      return Done{};
    });
    if (!read) return read.failure();
  }
  return watch;
}

Status StoredWatch::for_each(const std::function<Status(const StoredWatchRow&)>& use) const {
  for (const std::filesystem::path& folder : folders_) {
    Status read = read_table(folder / "rows.csv", [&](std::map<std::string, std::string> texts) -> Status {
      StoredWatchRow row;
      row.texts = std::move(texts);
      row.rank = integer_of<std::uint64_t>(row.text("rank"));
      row.step = integer_of<std::int64_t>(row.text("step"));
      row.verdict = verdict_of(row.text("verdict"));
      row.amplification = number_of(row.text("amplification"));
      row.limit = number_of(row.text("limit"));
      row.input_change = number_of(row.text("input_change"));
      row.output_change = number_of(row.text("output_change"));
      row.cost_us = number_of(row.text("cost_us"));
      return use(row);
    });
    if (!read) return read;
  }
  return Done{};
}

}  // namespace assay
