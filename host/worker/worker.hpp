// The worker's side: does the calls that the supervisor names, until its pipe ends.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace assay {

/// Told before a direction of a call is begun: its stem, "forward" or "backward".
using Started = std::function<void(const std::string& stem, const char* direction)>;

/// A run that a worker is ready to take part in.
struct WorkerRun {
  std::string description;             ///< JSON, for Job::describe
  std::vector<std::size_t> positions;  ///< the selected calls
  /// Does these directions of a call. `order` comes from Job::order, what is returned goes to Job::keep.
  std::function<std::string(std::size_t position, unsigned directions, const std::string& order, const Started& started)> evaluate;
};

/// Reports the run, or why it can't start, and serves. Returns the process's exit code.
int serve(const Result<WorkerRun>& run);

}  // namespace assay
