#include "watch/check_plan.hpp"

#include <algorithm>

namespace assay {

namespace {

// What a check that was never made is taken for: the operator again, perturbing and comparing, and some fixed work.
constexpr double kCheckOverPlain = 1.6;
constexpr double kFixedNs = 3000;
// Unused budget is kept for this many steps at most.
constexpr double kSavedSteps = 4;

}  // namespace

double CheckPlan::expected_cost(const Kind& kind) { return kind.cost > 0 ? kind.cost : kind.plain * kCheckOverPlain + kFixedNs; }

bool CheckPlan::wants(std::uint64_t id) {
  Kind& kind = kinds_[id];
  if (kind.calls_now != 0 && kind.last_step != step_) kind.calls_now = 0;
  if (kind.calls_now == 0) {
    // The first call of a step: what was counted then belongs to an earlier one.
    kind.last_step = step_;
    least_now_ = std::min(least_now_, kind.checks);
  }
  const std::uint64_t number = kind.calls_now++;
  const std::uint64_t of = std::max<std::uint64_t>(kind.calls_then, 1);
  kind.calls_then = std::max(kind.calls_then, kind.calls_now);
  if (!share_) return true;
  if (step_ == 0 || kind.checks > round_) return false;
  // Calls of one kind take turns, so that it isn't always the first layer that is looked at.
  if (number != kind.checks % of) return false;
  const double cost = expected_cost(kind);
  if (spent_ + cost <= available_) return true;
  // A check that is larger than what a whole step may spend is made as the only one, and the next steps pay.
  return spent_ == 0 && available_ > 0 && cost > usual_;
}

void CheckPlan::checked(std::uint64_t id, double cost_ns) {
  Kind& kind = kinds_[id];
  if (kind.checks++ == 0) ++kinds_checked_;
  kind.cost = kind.cost > 0 ? 0.7 * kind.cost + 0.3 * cost_ns : cost_ns;
  spent_ += cost_ns;
}

void CheckPlan::ran(std::uint64_t id, double plain_ns) {
  Kind& kind = kinds_[id];
  kind.plain = kind.plain > 0 ? std::min(kind.plain, plain_ns) : plain_ns;
}

void CheckPlan::end_step(double step_ns) {
  const double plain = std::max(step_ns - spent_, 0.0);
  spent_total_ += spent_;
  plain_total_ += plain;
  // The first steps of a job are slow; the fastest recent one is what a step takes.
  plain_step_ = plain_step_ > 0 ? std::min(plain, 0.9 * plain_step_ + 0.1 * plain) : plain;
  ++step_;
  if (!covered_after_ && !kinds_.empty() && kinds_checked_ == kinds_.size()) covered_after_ = step_;
  if (share_) {
    available_ = std::min(available_ - spent_, kSavedSteps * usual_);
    usual_ = *share_ * plain_step_;
    available_ += usual_;
  }
  if (least_now_ != ~std::uint64_t{0}) {
    std::uint64_t least = ~std::uint64_t{0};
    for (const auto& [id, kind] : kinds_) {
      if (kind.last_step + 1 == step_ && kind.calls_now != 0) least = std::min(least, kind.checks);
    }
    if (least != ~std::uint64_t{0}) round_ = least;
  }
  least_now_ = ~std::uint64_t{0};
  for (auto& [id, kind] : kinds_) {
    if (kind.calls_now != 0) kind.calls_then = kind.calls_now;
    kind.calls_now = 0;
  }
  spent_ = 0;
}

}  // namespace assay
