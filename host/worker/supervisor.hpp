// Runs a job in worker processes, so that a framework that crashes, hangs or exits costs a row and not the run.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "worker/job.hpp"

namespace assay {

struct SupervisorOptions {
  unsigned workers = 1;
  unsigned threads = 0;                       ///< of a worker's framework; 0: the cores shared out among the workers
  std::chrono::milliseconds timeout{300000};  ///< for one direction of one call; more for large ones
  std::chrono::milliseconds max_time{0};      ///< of the run; 0: no limit
  std::vector<std::string> devices;           ///< each worker sees one of them, in turn; empty: all see all
  std::vector<std::string> arguments;         ///< that make this executable a worker of the run
};

class Supervisor final : public JobRunner {
 public:
  explicit Supervisor(SupervisorOptions options);
  ~Supervisor() override;

  /// Starts the first worker and waits until it has loaded everything.
  /// errors  what the worker refused the run for; kPlugin: it died or timed out while loading
  Status start(Job& job) override;
  [[nodiscard]] const std::vector<std::size_t>& positions() const override;

  /// The same outcomes in the same order for any number of workers. A call that a worker is lost over is tried again, once; what
  /// ends workers from outside is not held against it. Workers stay for another run.
  Result<bool> run(Job& job, const std::vector<std::size_t>& positions, const std::atomic<bool>& stop) override;

 private:
  class Body;
  std::unique_ptr<Body> body_;
};

}  // namespace assay
