// Runs a job in this process, one call after the other: for debuggers.
#pragma once

#include "worker/job.hpp"
#include "worker/worker.hpp"

namespace assay {

class InProcess final : public JobRunner {
 public:
  explicit InProcess(WorkerRun run) : run_(std::move(run)) {}

  Status start(Job& job) override;
  [[nodiscard]] const std::vector<std::size_t>& positions() const override { return plan_.positions; }
  Result<bool> run(Job& job, const std::vector<std::size_t>& positions, const std::atomic<bool>& stop) override;

 private:
  WorkerRun run_;
  CallPlan plan_;
};

}  // namespace assay
