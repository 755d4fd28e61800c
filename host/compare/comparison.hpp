// The outcome of `assay compare` for two tables or two runs, and its reports.
//
//   Result<Comparison> comparison = compare_tables("npu.csv", "gpu.csv", options);
//   write_comparison(out, *comparison);
//   print_comparison(*comparison, {});
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "compare/change.hpp"
#include "compare/precision_judge.hpp"

namespace assay {

struct ComparedSide {
  std::string path;
  std::size_t apis = 0;
  std::vector<std::string> notes;  ///< what was odd while reading, the first ones
  std::size_t note_count = 0;
};

/// A setting or version that the two sides don't share.
struct SettingDifference {
  std::string setting;  ///< "reference version"
  std::string tested;
  std::string baseline;
};

struct Comparison {
  std::string what;      ///< "details of MindStudio Probe's PyTorch checker", "runs of assay"
  std::string standard;  ///< of precision; empty: verdicts and metrics are compared as they are
  ComparedSide tested;
  ComparedSide baseline;
  std::vector<SettingDifference> settings;
  std::vector<Change> changes;

  /// Of a precision standard's judgement; what the peer's files are written from.
  std::vector<PrecisionRow> precision_rows;
  std::vector<PrecisionResult> precision_results;
  std::string warning_word;

  [[nodiscard]] std::array<std::size_t, kChangeKindCount> counts() const;
  /// APIs with a direction on both sides.
  [[nodiscard]] std::size_t common() const;
};

struct CompareOptions {
  std::string standard = "msprobe-2026-08";  ///< a name in configs/standards/compare or a path; for details of the PyTorch checker
  std::optional<double> factor;              ///< from which on an error counts as grown or shrunk
  /// Whether to look at an API, by stem ("Functional.linear.3") and name ("Functional.linear"); empty: all
  std::function<bool(const std::string&, const std::string&)> selects;
};

/// errors  kInput: those of Table::read, tables of different kinds, a faulty standard
Result<Comparison> compare_tables(const std::filesystem::path& tested, const std::filesystem::path& baseline,
                                  const CompareOptions& options);

/// Two folders that `assay check --out` wrote.
/// errors  kInput: results.jsonl or run.json missing or faulty
Result<Comparison> compare_runs(const std::filesystem::path& tested, const std::filesystem::path& baseline,
                                const CompareOptions& options);

/// compare.csv (a row for each direction) and compare.json in `folder`.
Status write_comparison(const std::filesystem::path& folder, const Comparison& comparison);

/// report.html in `folder`: one self-contained page. `command` repeats the comparison.
Status write_comparison_page(const std::filesystem::path& folder, const Comparison& comparison, const std::string& command);

struct PrintOptions {
  bool quiet = false;  ///< only if something is worse
  bool color = false;
  std::string out_folder;
};
/// The table of changes on stdout.
void print_comparison(const Comparison& comparison, const PrintOptions& options);

}  // namespace assay
