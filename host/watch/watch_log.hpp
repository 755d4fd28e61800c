// What the watch writes for one rank: <out>/rank0/rows.csv (and rows.jsonl, free_benchmark.csv), steps.csv, summary.json. A step's
// rows are handed to the kernel when the step ends, so that a job that is killed leaves every step before.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "perturb/perturb_results.hpp"
#include "perturb/preheat.hpp"
#include "report/output_file.hpp"
#include "watch/watch_config.hpp"

namespace assay {

/// One check of one call. Names live as long as the session.
struct WatchRow {
  bool backward = false;
  bool recompute = false;            ///< a forward call that checkpointing makes again during backward
  const std::string* api = nullptr;  ///< "Functional.linear"; empty for a backward operator of an unknown forward call
  std::uint64_t call = 0;            ///< number of the API's call in the step
  const std::string* op = nullptr;   ///< "aten::linear"
  const std::string* perturbation = nullptr;
  std::string input;  ///< position of the perturbed argument: "0", "1.2", "all"
  std::string dtype;
  std::vector<std::int64_t> shape;
  Finding finding = Finding::kStable;
  Verdict verdict = Verdict::kPass;
  const char* reason = "";
  std::string message;
  std::optional<double> amplification;
  double limit = 0;
  double input_change = 0;
  double output_change = 0;
  std::size_t output = 0;
  std::string node;       ///< of autograd: "AddmmBackward0"
  std::string call_site;  ///< "train.py:42 (forward)"
  double cost_us = 0;
  std::vector<PeerDifference> peer;  ///< rows of the peer's table

  /// "Functional.linear.3.forward".
  [[nodiscard]] std::string name() const;
};

struct StepNumbers {
  std::int64_t step = 0;
  std::uint64_t operators = 0;
  std::uint64_t checked = 0;
  std::uint64_t findings = 0;
  double step_ms = 0;
  double check_ms = 0;
};

/// For summary.json.
struct WatchSummary {
  std::string framework;  ///< "LibTorch 1.13.0"
  std::int64_t rank = 0;
  std::uint64_t steps = 0;
  std::uint64_t operators = 0;
  std::uint64_t checked = 0;
  std::uint64_t findings = 0;
  std::uint64_t kinds = 0;
  std::uint64_t kinds_checked = 0;
  std::optional<std::uint64_t> covered_after;
  double cost_share = 0;
  std::map<std::string, std::uint64_t> skipped;  ///< "aten::view: a view" -> calls
  std::vector<std::string> notes;
  std::vector<Preheat::Learned> learned;
  bool complete = false;
};

class WatchLog {
 public:
  /// Creates <out>/rank<rank> and its files. errors  kInput: not possible
  static Result<std::unique_ptr<WatchLog>> create(const std::filesystem::path& out, std::int64_t rank, const WatchConfig& config);

  void add(std::int64_t step, const WatchRow& row);
  /// Writes the rows since the last step and the step's line, and hands them to the kernel.
  Status end_step(const StepNumbers& numbers);
  Status write_summary(const WatchSummary& summary);

  /// The worst finding so far: "Functional.linear.3.forward (step 2)".
  [[nodiscard]] const std::string& worst() const { return worst_; }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  WatchLog(std::filesystem::path folder, std::int64_t rank, const WatchConfig& config)
      : folder_(std::move(folder)), rank_(rank), config_(config) {}
  Status open(const std::filesystem::path& out);
  Status write_peer_file(std::int64_t step);

  std::filesystem::path folder_;
  std::filesystem::path peer_root_;
  std::int64_t rank_;
  const WatchConfig& config_;
  OutputFile rows_;
  OutputFile steps_;
  std::optional<OutputFile> lines_;
  std::string pending_rows_;
  std::string pending_lines_;
  std::string pending_peer_;
  double worst_excess_ = -1;
  std::string worst_;
};

}  // namespace assay
