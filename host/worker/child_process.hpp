// A child process in a group of its own with a pipe each way, and what it prints in a third.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace assay {

/// The descriptors that a worker finds its pipes at.
inline constexpr int kWorkerInput = 3;
inline constexpr int kWorkerOutput = 4;

/// How a process ended.
struct Ending {
  int signal = 0;  ///< 0: it left by itself
  int exit_code = 0;
  std::uint64_t peak_bytes = 0;  ///< the most memory that it had

  /// "signal 11 (Segmentation fault)", "exit code 3"
  [[nodiscard]] std::string text() const;
};

class ChildProcess {
 public:
  /// Starts `program` with the pipes at kWorkerInput and kWorkerOutput; what it prints comes out of `printed`.
  /// environment  added to (or over) our own, as "NAME=value"
  static Result<ChildProcess> start(const std::string& program, const std::vector<std::string>& arguments,
                                    const std::vector<std::string>& environment);

  ChildProcess(ChildProcess&& other) noexcept { *this = std::move(other); }
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  /// Kills what is left of the group and reaps it: no orphan, no zombie.
  ~ChildProcess();

  [[nodiscard]] int to_child() const { return to_child_; }
  [[nodiscard]] int from_child() const { return from_child_; }
  [[nodiscard]] int printed() const { return printed_; }
  [[nodiscard]] bool running() const { return pid_ > 0; }

  /// Closes the pipe to the child, which tells a worker to leave.
  void close_input();
  /// Waits at most `ms` for a child that was told to leave; false if it is still there.
  bool leave(int ms);
  /// SIGTERM to the group, also to a stopped one; doesn't wait.
  void ask_to_stop() const;
  /// SIGKILL to the group; reaps the child, which may have ended by itself, and says how.
  Ending end();
  /// Waits for a child whose pipe has ended, then as `end`.
  Ending wait(int grace_ms);

 private:
  ChildProcess() = default;
  void close_pipes();
  Ending reap(int options);

  pid_t pid_ = -1;
  int to_child_ = -1;
  int from_child_ = -1;
  int printed_ = -1;
  Ending ending_;
};

}  // namespace assay
