// The supervisor's view of one worker: its process, what it is at, and what came from it.
#pragma once

#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "worker/child_process.hpp"
#include "worker/frames.hpp"
#include "worker/supervisor.hpp"

namespace assay {

/// A call that is being judged or waits to be.
struct Task {
  std::size_t position = 0;
  unsigned directions = 0;                ///< that are left to do
  std::vector<LostDirection> lost;        ///< given up
  std::vector<LostDirection> deaths;      ///< workers that were lost over a direction which is tried again
  std::vector<LostDirection> breakdowns;  ///< adapters that broke down after other calls, in a direction which is tried again
  std::vector<std::string> results;       ///< of the directions that are done
  unsigned killed_from_outside = 0;
};

/// What the worker in a slot finds in its environment: its share of the cores, its device.
std::vector<std::string> worker_environment(const SupervisorOptions& options, unsigned slot);

class WorkerProcess {
 public:
  using Clock = std::chrono::steady_clock;
  enum class State { kLoading, kReady, kStopping };

  WorkerProcess(ChildProcess process, unsigned slot, Clock::time_point load_deadline)
      : process_(std::move(process)), slot_(slot), deadline_(load_deadline) {}

  /// Takes in what the worker has written, and passes on what it printed; false at the end of its pipe.
  bool drain();
  Result<std::optional<Frame>> next_frame() { return buffer_.next(); }
  bool send(FrameType type, const std::string& payload) { return write_frame(process_.to_child(), type, payload); }

  /// Gives the worker a call, which it has `timeout` for in each direction, or more if its tensors are large.
  void hand_out(Task task, const std::string& order, std::chrono::milliseconds timeout);
  /// The worker says what it does now, and how large the tensors are. errors  kPlugin: it says nothing sensible
  Status note_start(const std::string& payload);
  /// Of the directions that the worker leaves undone, and a result of the others. errors  kPlugin: it says nothing sensible
  Status note_part(const std::string& payload);
  void note_backtrace(std::string text) { backtrace_ = std::move(text); }
  void note_ready() { state_ = State::kReady; }
  Task take_task();
  /// Of the task, with the last of its results.
  [[nodiscard]] CallOutcome outcome(std::string result) const;

  [[nodiscard]] const Task& task() const { return *task_; }
  [[nodiscard]] bool has_task() const { return task_.has_value(); }
  [[nodiscard]] bool idle() const { return state_ == State::kReady && !task_; }
  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] bool late() const { return (task_ || state_ != State::kReady) && Clock::now() > deadline_; }
  [[nodiscard]] Clock::time_point deadline() const { return deadline_; }
  [[nodiscard]] std::chrono::milliseconds limit() const { return limit_; }
  /// kForwardDirection or kBackwardDirection; 0: neither was begun.
  [[nodiscard]] unsigned direction() const { return direction_; }
  [[nodiscard]] const std::string& stem() const { return stem_; }
  [[nodiscard]] const std::string& backtrace() const { return backtrace_; }
  [[nodiscard]] unsigned slot() const { return slot_; }

  ChildProcess& process() { return process_; }
  /// Asks the process to go, and will have waited long enough at `deadline`.
  void stop(Clock::time_point deadline);

 private:
  ChildProcess process_;
  unsigned slot_ = 0;  ///< which of the workers it is
  State state_ = State::kLoading;
  FrameBuffer buffer_;
  std::optional<Task> task_;
  unsigned direction_ = 0;
  std::string stem_;
  std::string backtrace_;
  std::chrono::milliseconds timeout_{0};
  std::chrono::milliseconds limit_{0};  ///< the timeout, scaled by size
  Clock::time_point deadline_;
  std::size_t printed_bytes_ = 0;  ///< since the last call began
};

}  // namespace assay
