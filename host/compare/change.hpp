// What changed between two sides, direction by direction.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compare/change_rules.hpp"
#include "compare/result_set.hpp"

namespace assay {

/// In the order in which reports show them.
enum class ChangeKind {
  kWorse,      ///< the tested side's verdict is worse, or an error grew
  kAppeared,   ///< only the tested side has it
  kVanished,   ///< only the baseline has it
  kBetter,     ///< the verdict is better, or an error shrank and none grew
  kNotJudged,  ///< both sides have it, and nothing in it could be compared
  kSame
};
inline constexpr std::size_t kChangeKindCount = 6;

/// "worse", "appeared", "vanished", "better", "not judged", "same".
const char* change_name(ChangeKind kind);

/// One number of one output on both sides.
struct MetricChange {
  std::string output;  ///< "output.0"
  std::string metric;
  double tested = 0;
  double baseline = 0;
  double ratio = 1;
};

struct Change {
  std::string stem;
  bool backward = false;
  ChangeKind kind = ChangeKind::kSame;
  Verdict tested = Verdict::kNone;
  Verdict baseline = Verdict::kNone;
  std::vector<MetricChange> metrics;  ///< those that moved by the factor or more, the largest growth first
  std::string message;
};

/// A verdict that another judgement gave to a direction, such as a precision standard's.
struct Judged {
  Verdict verdict = Verdict::kNone;
  std::string message;
};

/// Compares one direction that both sides have. `judged`: decides about worse or not in place of the sides' own verdicts.
Change compare_direction(const DirectionEntry& tested, const ResultSet& tested_set, const DirectionEntry& baseline,
                         const ResultSet& baseline_set, const ChangeRules& rules, const Judged* judged = nullptr);

/// Every direction of both sides: those of `tested` in its order, then those that only `baseline` has.
std::vector<Change> compare_sets(const ResultSet& tested, const ResultSet& baseline, const ChangeRules& rules);

/// A direction that only one side has.
Change one_sided(const DirectionEntry& entry, ChangeKind kind);

}  // namespace assay
