// `assay check` as a job: both sides of it, and what it has finished in a journal.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <vector>

#include "base/journal.hpp"
#include "pipeline/check.hpp"
#include "report/sink.hpp"
#include "worker/job.hpp"
#include "worker/worker.hpp"

namespace assay {

/// A prepared check, for serve() or InProcess.
Result<WorkerRun> check_worker(Registry& registry, const CheckRequest& request);

class CheckJob final : public Job {
 public:
  /// errors  those of JobRunner::start
  static Result<std::unique_ptr<CheckJob>> start(std::unique_ptr<JobRunner> runner);

  [[nodiscard]] const RunInfo& info() const { return info_; }

  /// Judges every selected call that the journal doesn't have, and hands all results to the sinks in dump order. `stop` ends the
  /// run early.
  Result<RunSummary> run(Journal& journal, const std::vector<std::unique_ptr<ResultSink>>& sinks, const std::atomic<bool>& stop);

 private:
  explicit CheckJob(std::unique_ptr<JobRunner> runner) : runner_(std::move(runner)) {}

  Status describe(const rapidjson::Value& run) override;
  [[nodiscard]] bool known(std::size_t position) const override { return journal_->has(position); }
  Status keep(const CallOutcome& outcome) override;
  Status commit() override { return journal_->sync(); }
  Status pass_on(std::size_t position) override;

  std::unique_ptr<JobRunner> runner_;
  RunInfo info_;
  Journal* journal_ = nullptr;
  const std::vector<std::unique_ptr<ResultSink>>* sinks_ = nullptr;
  RunSummary summary_;
  std::map<std::size_t, ApiResult> recent_;  ///< of the journal's rows those that need not be read back
};

}  // namespace assay
