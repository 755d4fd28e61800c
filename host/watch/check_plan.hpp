// Which calls are checked, so that a step costs no more than its budget: first each kind of call that was never checked, then all
// of them in turn.
//
//   CheckPlan plan(0.05);
//   for (each step) {
//     for (each call) if (plan.wants(kind)) plan.checked(kind, nanoseconds of the check); else plan.ran(kind, nanoseconds);
//     plan.end_step(nanoseconds of the step, checks included);
//   }
//
// A kind is an operator with the shapes and types of its arguments. The first step is only looked at. What a check costs beyond
// what is left of the budget is owed by the steps that follow. Not for several threads at once.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

namespace assay {

class CheckPlan {
 public:
  /// share  of a step's time; nothing: every call is checked
  explicit CheckPlan(std::optional<double> share) : share_(share) {}

  /// Whether this call is to be checked; called once for each.
  bool wants(std::uint64_t kind);
  void checked(std::uint64_t kind, double cost_ns);
  /// The time of a call that was not checked.
  void ran(std::uint64_t kind, double plain_ns);
  void end_step(double step_ns);

  [[nodiscard]] std::uint64_t kinds() const { return kinds_.size(); }
  [[nodiscard]] std::uint64_t kinds_checked() const { return kinds_checked_; }
  /// The number of steps after which every kind seen so far had been checked for the first time.
  [[nodiscard]] std::optional<std::uint64_t> covered_after() const { return covered_after_; }
  /// Time of checks so far over time of the steps without them.
  [[nodiscard]] double cost_share() const { return plain_total_ > 0 ? spent_total_ / plain_total_ : 0; }
  [[nodiscard]] double spent_in_step() const { return spent_; }

 private:
  struct Kind {
    std::uint64_t checks = 0;
    std::uint64_t calls_now = 0;   ///< in the current step
    std::uint64_t calls_then = 0;  ///< in the last step that had any
    std::uint64_t last_step = 0;
    double cost = 0;   ///< of a check; 0: not known
    double plain = 0;  ///< of the operator; 0: not known
  };

  [[nodiscard]] static double expected_cost(const Kind& kind);

  std::optional<double> share_;
  std::unordered_map<std::uint64_t, Kind> kinds_;
  std::uint64_t step_ = 0;
  std::uint64_t round_ = 0;  ///< kinds with no more checks than this are due
  std::uint64_t least_now_ = ~std::uint64_t{0};
  std::uint64_t kinds_checked_ = 0;
  std::optional<std::uint64_t> covered_after_;
  double available_ = 0;  ///< for the current step, debt of the steps before taken off
  double usual_ = 0;      ///< what a step adds
  double spent_ = 0;
  double plain_step_ = 0;
  double spent_total_ = 0;
  double plain_total_ = 0;
};

}  // namespace assay
