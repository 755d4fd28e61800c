// The supervisor's view of a run: it knows processes and calls, a job knows what their results mean.
#pragma once

#include <rapidjson/document.h>

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
};

/// What became of a call.
struct CallOutcome {
  std::size_t position = 0;
  std::string stem;  ///< as the worker named it; empty if none got that far
  std::vector<LostDirection> lost;
  std::string result;  ///< of the other directions, as the worker wrote it; empty: there is none
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

  /// Hands the kept outcome of a call on; called in dump order.
  virtual Status pass_on(std::size_t position) = 0;
};

}  // namespace assay
