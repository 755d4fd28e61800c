// What a watch has written, read back: the rows, steps and summaries of every rank of its folder, or of a folder that `assay merge`
// made.
//
//   Result<StoredWatch> watch = StoredWatch::open("watch-out");
//   Status s = watch->for_each([&](const StoredWatchRow& row) { ... return Status(Done{}); });
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "judge/judge.hpp"

namespace assay {

/// A row of rows.csv; docs/watch.md names the columns.
struct StoredWatchRow {
  std::uint64_t rank = 0;
  std::int64_t step = 0;
  std::map<std::string, std::string> texts;  ///< by column
  Verdict verdict = Verdict::kPass;
  std::optional<double> amplification, limit, input_change, output_change, cost_us;

  /// Empty where there is no such column.
  [[nodiscard]] const std::string& text(const std::string& column) const;
};

/// Totals of steps.csv over all ranks.
struct StoredSteps {
  std::uint64_t operators = 0;
  std::uint64_t checked = 0;
  std::uint64_t findings = 0;
  double milliseconds = 0;
  double check_milliseconds = 0;
  std::int64_t last = -1;  ///< number of the last step
};

/// summary.json of one rank.
struct StoredWatchSummary {
  std::string framework;
  double cost_share = 0;
  std::uint64_t kinds = 0;
  std::uint64_t kinds_checked = 0;
  std::map<std::string, std::uint64_t> skipped;
  std::vector<std::string> notes;
  bool complete = false;
};

/// Whether the folder holds what a watch wrote.
bool holds_watch(const std::filesystem::path& folder);

class StoredWatch {
 public:
  /// errors  kInput: not the folder of a watch; a table that isn't the watch's, with the line
  static Result<StoredWatch> open(const std::filesystem::path& folder);

  [[nodiscard]] std::size_t rank_count() const { return summaries_.size(); }
  [[nodiscard]] const StoredSteps& steps() const { return steps_; }
  /// One for each rank that has ended; of a merged folder there are none.
  [[nodiscard]] const std::vector<std::optional<StoredWatchSummary>>& summaries() const { return summaries_; }

  /// Hands every row to `use`, rank by rank. A line that was cut off when the job was killed is left out.
  /// errors  as open; what `use` returns
  Status for_each(const std::function<Status(const StoredWatchRow&)>& use) const;

 private:
  std::vector<std::filesystem::path> folders_;
  std::vector<std::optional<StoredWatchSummary>> summaries_;
  StoredSteps steps_;
};

}  // namespace assay
