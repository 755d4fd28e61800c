// A child process in a group of its own with a pipe each way.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace assay {

/// The descriptors that a worker finds its pipes at.
inline constexpr int kWorkerInput = 3;
inline constexpr int kWorkerOutput = 4;

class ChildProcess {
 public:
  /// Starts `program` with the pipes at kWorkerInput and kWorkerOutput and its stdout sent to stderr, since stdout is for results.
  /// environment  added to (or over) our own, as "NAME=value"
  static Result<ChildProcess> start(const std::string& program, const std::vector<std::string>& arguments,
                                    const std::vector<std::string>& environment);

  ChildProcess(ChildProcess&& other) noexcept { *this = std::move(other); }
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  /// Kills what is left of the group and reaps it: no orphan, no zombie.
  ~ChildProcess();

  [[nodiscard]] int to_child() const { return to_child_; }
  [[nodiscard]] int from_child() const { return from_child_; }
  [[nodiscard]] bool running() const { return pid_ > 0; }

  /// Closes the pipe to the child, which tells a worker to leave.
  void close_input();
  /// Waits at most `ms` for a child that was told to leave; false if it is still there.
  bool leave(int ms);
  /// SIGTERM to the group, `grace_ms`, SIGKILL; reaps.
  void stop(int grace_ms);
  /// Reaps a child that has ended (or ends soon) and says how: "signal 11 (Segmentation fault)", "exit code 3".
  std::string wait();

 private:
  ChildProcess() = default;
  void close_pipes();

  pid_t pid_ = -1;
  int to_child_ = -1;
  int from_child_ = -1;
};

}  // namespace assay
