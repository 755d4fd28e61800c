// `assay perturb` in worker processes: both sides of its job.
#pragma once

#include <atomic>
#include <map>
#include <memory>

#include "perturb/perturb.hpp"
#include "perturb/ranking.hpp"
#include "worker/supervisor.hpp"
#include "worker/worker.hpp"

namespace assay {

/// A prepared run, for serve().
Result<WorkerRun> perturb_worker(Registry& registry, const PerturbRequest& request);

class PerturbJob final : public Job {
 public:
  /// errors  those of Supervisor::start
  static Result<std::shared_ptr<PerturbJob>> start(SupervisorOptions options, const PerturbConfig& config);

  [[nodiscard]] const PerturbInfo& info() const { return info_; }

  /// As PerturbRun::run, with a call that a worker dies of or doesn't finish as a row.
  Result<PerturbSummary> run(const std::vector<std::unique_ptr<PerturbSink>>& sinks, const std::atomic<bool>& stop);

 private:
  PerturbJob(SupervisorOptions options, const PerturbConfig& config);

  /// The thresholds that the workers' answers teach.
  Result<Preheat> preheat(const std::atomic<bool>& stop);

  Status describe(const rapidjson::Value& run) override;
  [[nodiscard]] std::string order(std::size_t position) const override;
  Status keep(const CallOutcome& outcome) override;
  Status pass_on(std::size_t position) override;

  Supervisor supervisor_;
  bool preheats_;
  PreheatOptions preheat_options_;
  PerturbInfo info_;
  const std::vector<std::unique_ptr<PerturbSink>>* sinks_ = nullptr;
  std::map<std::size_t, std::string> orders_;  ///< thresholds by position, after preheating
  std::map<std::size_t, PerturbReport> reports_;
  Ranking ranking_;
};

}  // namespace assay
