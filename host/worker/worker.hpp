// The worker's side: does the calls that the supervisor names, until its pipe ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "pipeline/breakdown.hpp"
#include "pipeline/call_plan.hpp"

namespace assay {

/// A run that a worker is ready to take part in.
struct WorkerRun {
  std::string description;             ///< JSON, for Job::describe
  std::vector<std::size_t> positions;  ///< the selected calls, unless `plan` says more
  /// Does these directions of a call. `order` comes from Job::order, what is returned goes to Job::keep.
  std::function<std::string(std::size_t position, unsigned directions, const std::string& order, const Started& started)> evaluate;
  /// Asked once in a run, of one worker; `costs`: they will be used. Empty: `positions`.
  std::function<CallPlan(bool costs)> plan;
  /// What was evaluated last may have left this process unsound: a device is lost, a framework broke down, memory ran out.
  std::function<Breakdown()> breakdown;
};

/// Reports the run, or why it can't start, and serves. Returns the process's exit code.
/// memory_limit  of what the calls may take, beside what is loaded now
int serve(const Result<WorkerRun>& run, std::optional<std::uint64_t> memory_limit = std::nullopt);

}  // namespace assay
