// Runs a check in worker processes, so that a framework that crashes, hangs or exits costs a row and not the run.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "report/sink.hpp"

namespace assay {

struct SupervisorOptions {
  unsigned workers = 1;
  std::chrono::milliseconds timeout{300000};  ///< for one direction of one call
  std::vector<std::string> arguments;         ///< that make this executable a worker of the run
};

class Supervisor {
 public:
  explicit Supervisor(SupervisorOptions options);
  ~Supervisor();

  /// Starts the first worker and waits until it has loaded everything; `info` is then known.
  /// errors  what the worker refused the run for; kPlugin: it died or timed out while loading
  Status start();
  [[nodiscard]] const RunInfo& info() const;

  /// Judges every selected call and hands the results to the sinks in dump order, whatever the number of workers. `stop` ends the
  /// run early.
  Result<RunSummary> run(const std::vector<std::unique_ptr<ResultSink>>& sinks, const std::atomic<bool>& stop);

 private:
  class Body;
  std::unique_ptr<Body> body_;
};

}  // namespace assay
