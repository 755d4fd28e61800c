#include "compare/comparison.hpp"

#include <unordered_set>

#include "base/locations.hpp"
#include "compare/run_folder.hpp"

namespace assay {

namespace {

std::filesystem::path standards_folder() { return share_folder() / "standards" / "compare"; }

std::filesystem::path standard_path(const std::string& name) {
  const bool is_path = name.find('/') != std::string::npos || name.ends_with(".json");
  return is_path ? std::filesystem::path(name) : standards_folder() / (name + ".json");
}

Result<PrecisionStandard> load_standard(const std::string& name) {
  Result<PrecisionStandard> standard = PrecisionStandard::load(standard_path(name));
  if (standard) return standard;
  Failure failure = standard.failure();
  std::error_code ignored;
  if (!std::filesystem::exists(standard_path(name), ignored)) {
    failure.message =
        "use standard '" + name + "': it is none for result tables; there are msprobe-2026-04, msprobe-2026-08 and files";
  }
  return failure;
}

Result<ChangeRules> load_rules(const CompareOptions& options) {
  Result<ChangeRules> rules = ChangeRules::load(standards_folder() / "changes.json");
  if (rules && options.factor) rules->factor = *options.factor;
  return rules;
}

ComparedSide side_of(const ResultSet& set) { return {set.source(), set.api_count(), set.notes.kept(), set.notes.count()}; }

bool selected(const CompareOptions& options, const std::string& stem) {
  return !options.selects || options.selects(stem, std::string(api_of_stem(stem)));
}

void keep_selected(const CompareOptions& options, std::vector<Change>& changes) {
  std::erase_if(changes, [&](const Change& change) { return !selected(options, change.stem); });
}

void keep_selected(const CompareOptions& options, Table& table) {
  std::erase_if(table.rows, [&](const TableRow& row) {
    const std::optional<OutputName> name = parse_output_name(row.name);
    return !selected(options, name ? std::string(name->stem) : row.name);
  });
}

/// The precision rows of one direction as one verdict.
struct DirectionJudgement {
  Judged judged;
  std::size_t said = 0;
};

void add_judgement(DirectionJudgement& direction, const PrecisionRow& row, std::string_view output) {
  Judged& judged = direction.judged;
  if (row.verdict > judged.verdict) {
    // A worse row's message replaces those of the better ones.
    judged.message.clear();
    direction.said = 0;
  }
  if (row.verdict >= judged.verdict && !row.message.empty() && direction.said++ < 3) {
    judged.message += (judged.message.empty() ? "" : "; ") + std::string(output) + ": " + row.message;
  }
  judged.verdict = std::max(judged.verdict, row.verdict);
}

void judge_tables(const Table& tested, const Table& baseline, const PrecisionStandard& standard, const ChangeRules& rules,
                  Comparison& out) {
  const PrecisionJudge judge(standard);
  out.standard = standard.name;
  out.warning_word = standard.warning_word;
  out.precision_rows = judge.rows(tested, baseline);
  out.precision_results = judge.results(out.precision_rows);
  std::unordered_map<const DirectionEntry*, DirectionJudgement> judgements;
  for (const PrecisionRow& row : out.precision_rows) {
    const std::optional<OutputName> name = parse_output_name(row.name);
    const DirectionEntry* entry =
        name ? tested.results.find(std::string(name->stem), name->backward) : tested.results.find(row.name, false);
    if (entry != nullptr) add_judgement(judgements[entry], row, name ? name->output : std::string_view("row"));
  }
  const DirectionComparison comparison(tested.results, baseline.results, rules);
  for (const DirectionEntry& entry : tested.results.directions()) {
    const auto found = judgements.find(&entry);
    const DirectionEntry* before = baseline.results.find(entry.stem, entry.backward);
    if (found == judgements.end() || before == nullptr) {
      // A row with a faulty name has a judgement, SKIP, whatever the baseline has.
      const bool faulty = found != judgements.end();
      out.changes.push_back(one_sided(entry, faulty ? ChangeKind::kNotJudged : ChangeKind::kAppeared));
      if (faulty) out.changes.back().message = found->second.judged.message;
      continue;
    }
    out.changes.push_back(comparison.compare(entry, *before, &found->second.judged));
  }
  for (const DirectionEntry& entry : baseline.results.directions()) {
    if (tested.results.find(entry.stem, entry.backward) == nullptr) {
      out.changes.push_back(one_sided(entry, ChangeKind::kVanished));
    }
  }
}

}  // namespace

std::array<std::size_t, kChangeKindCount> Comparison::counts() const {
  std::array<std::size_t, kChangeKindCount> out{};
  for (const Change& change : changes) ++out[static_cast<std::size_t>(change.kind)];
  return out;
}

std::size_t Comparison::common() const {
  std::unordered_set<std::string_view> stems;
  for (const Change& change : changes) {
    if (change.kind != ChangeKind::kAppeared && change.kind != ChangeKind::kVanished) stems.insert(change.stem);
  }
  return stems.size();
}

Result<Comparison> compare_tables(const std::filesystem::path& tested_path, const std::filesystem::path& baseline_path,
                                  const CompareOptions& options) {
  Result<ChangeRules> rules = load_rules(options);
  if (!rules) return rules.failure();
  Result<Table> tested = Table::read(tested_path);
  if (!tested) return tested.failure();
  Result<Table> baseline = Table::read(baseline_path);
  if (!baseline) return baseline.failure();
  if (tested->kind != baseline->kind) {
    return input_failure("compare '" + tested->path + "' with '" + baseline->path + "': the first is a table of " +
                         table_kind_name(tested->kind) + ", the second of " + table_kind_name(baseline->kind) +
                         "; give two tables of one kind");
  }
  Comparison out;
  out.what = table_kind_name(tested->kind);
  out.tested = side_of(tested->results);
  out.baseline = side_of(baseline->results);
  if (tested->kind == TableKind::kTorchDetails) {
    Result<PrecisionStandard> standard = load_standard(options.standard);
    if (!standard) return standard.failure();
    keep_selected(options, *tested);
    judge_tables(*tested, *baseline, *standard, *rules, out);
  } else {
    out.changes = compare_sets(tested->results, baseline->results, *rules);
  }
  keep_selected(options, out.changes);
  return out;
}

Result<Comparison> compare_runs(const std::filesystem::path& tested_path, const std::filesystem::path& baseline_path,
                                const CompareOptions& options) {
  Result<ChangeRules> rules = load_rules(options);
  if (!rules) return rules.failure();
  Result<RunFolder> tested = RunFolder::read(tested_path);
  if (!tested) return tested.failure();
  Result<RunFolder> baseline = RunFolder::read(baseline_path);
  if (!baseline) return baseline.failure();
  Comparison out;
  out.what = "runs of assay";
  out.tested = side_of(tested->results);
  out.baseline = side_of(baseline->results);
  out.settings = setting_differences(*tested, *baseline);
  out.changes = compare_sets(tested->results, baseline->results, *rules);
  keep_selected(options, out.changes);
  return out;
}

}  // namespace assay
