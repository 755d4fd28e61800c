// `assay check` as a function: opens the dump, brings up target, reference and standard, judges every selected API.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "config/pipeline_config.hpp"
#include "loader/registry.hpp"
#include "pipeline/evaluator.hpp"
#include "report/sink.hpp"

namespace assay {

struct CheckRequest {
  std::filesystem::path dump;
  DumpOptions dump_options;
  PipelineConfig config;
  bool summaries = false;  ///< fill the statistics of both sides
  std::string command;     ///< how to repeat the run
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

  /// Judges the selected APIs in dump order and hands each to every sink. `stop` ends the run after the current API.
  Result<RunSummary> run(const std::vector<std::unique_ptr<ResultSink>>& sinks, const std::atomic<bool>& stop) const;

 private:
  Check(RunInfo info, std::vector<std::size_t> positions, std::vector<Instance> comparisons, Evaluator evaluator);

  RunInfo info_;
  std::vector<std::size_t> positions_;
  std::vector<Instance> comparisons_;  // the judge inside the evaluator borrows them
  Evaluator evaluator_;
};

}  // namespace assay
