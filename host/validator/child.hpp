// Runs one check in a process of its own.
#pragma once

#include <chrono>
#include <string>

#include "validator/check.hpp"

namespace assay::validator {

/// Runs the check here; whatever it throws becomes a verdict.
Verdict run_here(const Check& check, const Subject& subject);

/// A check that runs in a forked child.
class Child {
 public:
  Child(const Check& check, const Subject& subject);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  /// The descriptor to poll: readable or closed when there is something to do.
  [[nodiscard]] int descriptor() const { return pipe_; }
  /// Reads what the child wrote; true when the child is through.
  bool read_more();
  /// Ends a child that ran out of time.
  void stop();
  /// After read_more() returned true, or stop().
  [[nodiscard]] Verdict finish();
  [[nodiscard]] std::chrono::steady_clock::time_point started() const { return started_; }

 private:
  int pid_ = -1;
  int pipe_ = -1;
  bool stopped_ = false;
  std::string written_;
  std::chrono::steady_clock::time_point started_;
};

}  // namespace assay::validator
