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
  std::chrono::milliseconds timeout{300000};  ///< for one direction of one call
  std::vector<std::string> arguments;         ///< that make this executable a worker of the run
};

class Supervisor {
 public:
  explicit Supervisor(SupervisorOptions options);
  ~Supervisor();

  /// Starts the first worker and waits until it has loaded everything; the job then knows the run.
  /// errors  what the worker refused the run for; kPlugin: it died or timed out while loading
  Status start(Job& job);
  /// The selected calls, as positions in the dump.
  [[nodiscard]] const std::vector<std::size_t>& positions() const;

  /// Has every one of `positions` done and hands the outcomes to the job in this order, whatever the number of workers. Workers
  /// stay for another run. `stop` ends the run early. Returns whether it was finished.
  Result<bool> run(Job& job, const std::vector<std::size_t>& positions, const std::atomic<bool>& stop);

 private:
  class Body;
  std::unique_ptr<Body> body_;
};

}  // namespace assay
