#include <gtest/gtest.h>

#include <set>

#include "watch/check_plan.hpp"

namespace assay {
namespace {

/// A job whose operators take `plain` and whose checks take `cost`; returns the checks of each step.
struct Job {
  Job(CheckPlan& of, int count, double plain_ns, double cost_ns) : plan(of), kinds(count), plain(plain_ns), cost(cost_ns) {}

  std::multiset<std::uint64_t> step(int calls_of_each = 1) {
    std::multiset<std::uint64_t> checked;
    double time = 0;
    for (int call = 0; call < calls_of_each; ++call) {
      for (std::uint64_t kind = 0; kind < static_cast<std::uint64_t>(kinds); ++kind) {
        time += plain;
        if (plan.wants(kind)) {
          plan.checked(kind, cost);
          time += cost;
          checked.insert(kind);
          calls_checked.insert(call);
        } else {
          plan.ran(kind, plain);
        }
      }
    }
    plan.end_step(time);
    return checked;
  }

  CheckPlan& plan;
  int kinds;
  double plain;
  double cost;
  std::set<int> calls_checked;
};

TEST(WatchPlan, ChecksEveryCallWithoutABudget) {
  CheckPlan plan(std::nullopt);
  Job job(plan, 5, 1e6, 2e6);
  EXPECT_EQ(job.step(3).size(), 15u);
  EXPECT_EQ(plan.covered_after(), 1u);
}

TEST(WatchPlan, ChecksEachKindOnceBeforeAnyTwice) {
  CheckPlan plan(0.05);
  Job job(plan, 20, 1e6, 1.2e6);
  std::multiset<std::uint64_t> seen;
  int steps = 0;
  while (plan.kinds_checked() < 20 && steps < 200) {
    for (const std::uint64_t kind : job.step()) seen.insert(kind);
    ++steps;
  }
  EXPECT_LE(steps, 40);
  for (std::uint64_t kind = 0; kind < 20; ++kind) EXPECT_EQ(seen.count(kind), 1u) << kind;
  EXPECT_EQ(plan.covered_after(), static_cast<std::uint64_t>(steps));
}

TEST(WatchPlan, StaysWithinItsBudget) {
  for (const double cost : {5e4, 1.2e6, 3e7}) {
    CheckPlan plan(0.05);
    Job job(plan, 20, 1e6, cost);
    for (int i = 0; i < 200; ++i) job.step();
    EXPECT_LE(plan.cost_share(), 0.058) << cost;
    EXPECT_GE(plan.cost_share(), 0.02) << cost;
  }
}

TEST(WatchPlan, ChecksAnotherCallOfAKindEachTime) {
  CheckPlan plan(0.05);
  Job job(plan, 2, 1e6, 1e6);
  for (int i = 0; i < 100; ++i) job.step(8);
  EXPECT_EQ(job.calls_checked.size(), 8u);
}

TEST(WatchPlan, KindsThatDontComeBackDontHoldTheOthersUp) {
  CheckPlan plan(0.1);
  Job job(plan, 10, 1e6, 1e6);
  job.step();
  job.step();
  job.kinds = 5;
  std::multiset<std::uint64_t> seen;
  for (int i = 0; i < 60; ++i) {
    for (const std::uint64_t kind : job.step()) seen.insert(kind);
  }
  for (std::uint64_t kind = 0; kind < 5; ++kind) EXPECT_GE(seen.count(kind), 2u) << kind;
}

}  // namespace
}  // namespace assay
