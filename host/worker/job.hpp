// The supervisor's view of a run: it knows processes and calls, a job knows what their results mean.
#pragma once

#include <rapidjson/document.h>

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace assay {

/// A direction of a call that no worker finished.
struct LostDirection {
  unsigned direction = 0;  ///< kForwardDirection or kBackwardDirection
  const char* reason = "";
  std::string message;
  std::string backtrace;  ///< of the crash, on one line; empty: there is none
};

/// What became of a call.
struct CallOutcome {
  std::size_t position = 0;
  std::string stem;  ///< as the worker named it; empty if none got that far
  std::vector<LostDirection> lost;
  std::vector<LostDirection> survived;  ///< a worker was lost or broke down over the direction, and another one finished it
  std::vector<std::string> results;     ///< of the other directions, as workers wrote them, the forward call's first
};

class Job {
 public:
  virtual ~Job() = default;

  /// Takes the description of the run that the first worker gives.
  virtual Status describe(const rapidjson::Value& run) = 0;

  /// What a worker is told about a call besides its position and directions.
  [[nodiscard]] virtual std::string order(std::size_t /*position*/) const { return {}; }

  /// Takes an outcome as soon as it is known, in any order. errors  the result isn't understood; the worker is then given up
  virtual Status keep(const CallOutcome& outcome) = 0;

  /// Whether an earlier run has kept an outcome of the call, which then isn't asked for again.
  [[nodiscard]] virtual bool known(std::size_t /*position*/) const { return false; }

  /// Makes durable what was kept; nothing is passed on before.
  virtual Status commit() { return Done{}; }

  /// Hands the kept outcome of a call on; called in dump order.
  virtual Status pass_on(std::size_t position) = 0;
};

/// Has the calls of a job done, in one way or another.
class JobRunner {
 public:
  virtual ~JobRunner() = default;

  /// Loads everything; the job then knows the run. errors  what keeps the run from starting
  virtual Status start(Job& job) = 0;
  /// The selected calls, as positions in the dump.
  [[nodiscard]] virtual const std::vector<std::size_t>& positions() const = 0;
  /// Has every one of `positions` done and hands the outcomes to the job in this order. `stop` ends the run early: what is done by
  /// then is handed on. Returns whether it was finished.
  virtual Result<bool> run(Job& job, const std::vector<std::size_t>& positions, const std::atomic<bool>& stop) = 0;
};

}  // namespace assay
