// The job of `assay perturb`: what a worker does for a call, and what becomes of the answers.
#pragma once

#include <atomic>
#include <map>
#include <memory>

#include "perturb/perturb.hpp"
#include "perturb/ranking.hpp"
#include "worker/job.hpp"
#include "worker/worker.hpp"

namespace assay {

/// A prepared run, for serve() and InProcess.
Result<WorkerRun> perturb_worker(Registry& registry, const PerturbRequest& request);

class PerturbJob final : public Job {
 public:
  /// errors  those of JobRunner::start
  static Result<std::unique_ptr<PerturbJob>> start(std::unique_ptr<JobRunner> runner, const PerturbConfig& config);

  [[nodiscard]] const PerturbInfo& info() const { return info_; }

  /// Measures the selected calls, after preheating if that is the handler, and hands each to every sink in dump order. `stop` ends
  /// the run early.
  Result<PerturbSummary> run(const std::vector<std::unique_ptr<PerturbSink>>& sinks, const std::atomic<bool>& stop);

 private:
  PerturbJob(std::unique_ptr<JobRunner> runner, const PerturbConfig& config);

  /// The thresholds that the calls' answers teach.
  Result<Preheat> preheat(const std::atomic<bool>& stop);

  Status describe(const rapidjson::Value& run) override;
  [[nodiscard]] std::string order(std::size_t position) const override;
  Status keep(const CallOutcome& outcome) override;
  Status pass_on(std::size_t position) override;

  std::unique_ptr<JobRunner> runner_;
  bool preheats_;
  PreheatOptions preheat_options_;
  PerturbInfo info_;
  const std::vector<std::unique_ptr<PerturbSink>>* sinks_ = nullptr;
  std::map<std::size_t, std::string> orders_;  ///< thresholds by position, after preheating
  std::map<std::size_t, PerturbReport> reports_;
  Ranking ranking_;
};

}  // namespace assay
