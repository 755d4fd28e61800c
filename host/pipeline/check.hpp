// `assay check` made ready: opens the dump, selects the calls, brings up target, reference and standard.
#pragma once

#include <optional>
#include <vector>

#include "config/pipeline_config.hpp"
#include "loader/registry.hpp"
#include "pipeline/call_plan.hpp"
#include "pipeline/evaluator.hpp"
#include "report/sink.hpp"

namespace assay {

struct CheckRequest {
  std::filesystem::path dump;
  DumpOptions dump_options;
  PipelineConfig config;
  bool summaries = false;  ///< fill the statistics of both sides
  std::optional<Shard> shard;
  std::optional<FailureSaver> saver;  ///< of calls with errors
  std::string command;                ///< how to repeat the run
  std::uint64_t memory_limit = 0;     ///< of an adapter that runs in a process of its own, in bytes; 0: none
};

/// A run that is ready to go: everything that can be wrong before the first operator has been checked.
class Check {
 public:
  /// errors  those of Dump::open, Registry::create, Standard::load, Judge::create
  static Result<Check> prepare(Registry& registry, const CheckRequest& request);

  [[nodiscard]] const RunInfo& info() const { return info_; }
  /// The selected calls, as positions in the dump.
  [[nodiscard]] const std::vector<std::size_t>& positions() const { return positions_; }
  [[nodiscard]] const Evaluator& evaluator() const { return evaluator_; }
  /// What of them this run does, and what each costs; reads every entry of the dump.
  [[nodiscard]] CallPlan plan(bool costs) const { return plan_calls(evaluator_.dump(), positions_, dedup_, shard_, costs); }

 private:
  Check(RunInfo info, std::vector<std::size_t> positions, const CheckRequest& request, std::vector<Instance> comparisons,
        Evaluator evaluator);

  RunInfo info_;
  std::vector<std::size_t> positions_;
  bool dedup_;
  std::optional<Shard> shard_;
  std::vector<Instance> comparisons_;  // the judge inside the evaluator borrows them
  Evaluator evaluator_;
};

}  // namespace assay
