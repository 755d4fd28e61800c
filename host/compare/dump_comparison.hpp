// Two dumps against each other: recorded outputs against recorded outputs of the same API calls, without a framework.
//
//   Result<DumpComparison> comparison = DumpComparison::prepare(registry, request);
//   Result<RunSummary> summary = comparison->run(sinks, stop);
//   for (const std::string& name : comparison->origins()) print(name);
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "config/pipeline_config.hpp"
#include "dump/dump.hpp"
#include "pipeline/judge_setup.hpp"
#include "report/sink.hpp"

namespace assay {

struct DumpComparisonRequest {
  std::filesystem::path tested;
  std::filesystem::path baseline;
  DumpOptions dump_options;  ///< of both
  PipelineConfig config;     ///< standard, overrides, comparisons, threads, selection
  bool summaries = false;    ///< fill the statistics of both sides
  std::string command;       ///< how to repeat the run
};

class DumpComparison {
 public:
  /// errors  those of Dump::open and JudgeSetup::load; kInput: a dump without tensor data
  static Result<DumpComparison> prepare(Registry& registry, const DumpComparisonRequest& request);

  [[nodiscard]] const RunInfo& info() const { return info_; }
  /// Selected calls that both dumps have.
  [[nodiscard]] std::size_t common() const { return common_; }

  /// Every selected call in the order of the tested dump, then those that only the baseline has; a call or direction that one side
  /// lacks is SKIP with a reason. Each direction's notes say whether its inputs agree. `stop` ends the run after the current call.
  Result<RunSummary> run(const std::vector<std::unique_ptr<ResultSink>>& sinks, const std::atomic<bool>& stop);

  /// Directions whose outputs differ though their inputs agree, "Functional.linear.3.forward": where a difference begins.
  [[nodiscard]] const std::vector<std::string>& origins() const { return origins_; }

 private:
  DumpComparison(Dump tested, Dump baseline, JudgeSetup setup);
  [[nodiscard]] ApiResult compare(const std::string& stem) const;

  Dump tested_;
  Dump baseline_;
  JudgeSetup setup_;
  RunInfo info_;
  std::vector<std::string> stems_;
  std::size_t common_ = 0;
  std::uint32_t threads_ = 1;
  bool summaries_ = false;
  std::vector<std::string> origins_;
};

}  // namespace assay
