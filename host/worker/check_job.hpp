// `assay check` in worker processes: both sides of its job.
#pragma once

#include <atomic>
#include <map>
#include <memory>

#include "pipeline/check.hpp"
#include "worker/supervisor.hpp"
#include "worker/worker.hpp"

namespace assay {

/// A prepared check, for serve().
Result<WorkerRun> check_worker(Registry& registry, const CheckRequest& request);

class CheckJob final : public Job {
 public:
  /// errors  those of Supervisor::start
  static Result<std::shared_ptr<CheckJob>> start(SupervisorOptions options);

  [[nodiscard]] const RunInfo& info() const { return info_; }

  /// Judges every selected call and hands the results to the sinks in dump order. `stop` ends the run early.
  Result<RunSummary> run(const std::vector<std::unique_ptr<ResultSink>>& sinks, const std::atomic<bool>& stop);

 private:
  explicit CheckJob(SupervisorOptions options) : supervisor_(std::move(options)) {}

  Status describe(const rapidjson::Value& run) override;
  Status keep(const CallOutcome& outcome) override;
  Status pass_on(std::size_t position) override;

  Supervisor supervisor_;
  RunInfo info_;
  const std::vector<std::unique_ptr<ResultSink>>* sinks_ = nullptr;
  RunSummary summary_;
  std::map<std::size_t, ApiResult> results_;
};

}  // namespace assay
