// One watch, from start to stop: sees every outermost operator, runs it, and checks it where it is due.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "assay/watch.h"
#include "check.hpp"
#include "operators.hpp"
#include "threads.hpp"
#include "watch/check_plan.hpp"
#include "watch/watch_log.hpp"

namespace assay::watch {

class Fingerprints;

class Session {
 public:
  /// errors  kInput: configuration, folder; kPlugin, kUnsupported: a plugin that it names
  static Result<std::shared_ptr<Session>> start(const std::string& config_json, const std::string& out);

  /// Runs the operator, with all that it throws, and checks it. [any-thread]
  void run_operator(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack);

  Status end_step();
  Status stop();
  void set_paused(bool paused);
  void note(std::string text);
  [[nodiscard]] assay_watch_numbers numbers();
  [[nodiscard]] bool watches_rank() const { return watches_rank_; }
  /// Held while the process forks.
  std::mutex& mutex() { return mutex_; }

 private:
  using Clock = std::chrono::steady_clock;
  explicit Session(WatchConfig config, Checker checker, ApiNames names, StabilityStandard standard)
      : config_(std::move(config)),
        checker_(std::move(checker)),
        standard_(std::move(standard)),
        operators_(std::move(names), config_.namespaces) {}

  /// How a call is named, and whether the configuration asks for it.
  struct Naming {
    CallName name;
    bool selected = false;
  };
  /// Whether the thread is in a module that is asked for.
  [[nodiscard]] bool in_module() const;
  Naming name_call(const OperatorInfo& info, c10::ArrayRef<c10::IValue> arguments);
  [[nodiscard]] const char* reason_to_skip(const OperatorInfo& info, c10::ArrayRef<c10::IValue> arguments) const;
  [[nodiscard]] std::uint64_t kind_of(const OperatorInfo& info, bool backward, c10::ArrayRef<c10::IValue> arguments) const;
  void run_checked(const c10::OperatorHandle& op, const OperatorInfo& info, c10::DispatchKeySet keys, torch::jit::Stack* stack,
                   const CallName& name, std::uint64_t kind);
  void run_named(const c10::OperatorHandle& op, const OperatorInfo& info, c10::DispatchKeySet keys, torch::jit::Stack* stack,
                 const Naming& naming);
  void report_modified(const OperatorInfo& info, const CallName& name, const Fingerprints& before);
  void remember_nodes(const CallName& name, std::uint64_t first);
  void skip(const OperatorInfo& info, const char* reason);
  /// Whether the configuration names the call; the answer is kept where it doesn't depend on the call's number.
  [[nodiscard]] bool is_named(const OperatorInfo& info, const CallName& name) const;
  void show_line();

  WatchConfig config_;
  Checker checker_;
  StabilityStandard standard_;
  Operators operators_;
  ForwardCalls forward_calls_;
  std::atomic<bool> paused_{false};
  std::atomic<bool> step_selected_{true};
  bool watches_rank_ = true;
  bool selects_all_ = true;
  bool selects_by_number_ = false;  ///< some name that is asked for may hold the number of a call

  std::mutex mutex_;  ///< for what follows
  std::unique_ptr<WatchLog> log_;
  std::optional<CheckPlan> plan_;
  std::int64_t step_ = 0;
  std::int64_t rank_ = 0;
  Clock::time_point step_began_;
  Clock::time_point pause_began_;
  StepNumbers now_;
  WatchSummary total_;
  std::map<std::pair<const OperatorInfo*, const char*>, std::uint64_t> skipped_;
  std::string first_finding_;
};

/// The session that is running; null: none.
Session* running();
void set_running(std::shared_ptr<Session> session);

}  // namespace assay::watch
