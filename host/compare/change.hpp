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

/// Compares directions that both sides have.
class DirectionComparison {
 public:
  /// Everything is borrowed.
  DirectionComparison(const ResultSet& tested, const ResultSet& baseline, const ChangeRules& rules);

  /// `judged`: decides about worse or not in place of the sides' own verdicts.
  [[nodiscard]] Change compare(const DirectionEntry& tested, const DirectionEntry& baseline, const Judged* judged = nullptr) const;

 private:
  /// A metric that counts and that both sides have.
  struct Shared {
    const std::string& name;
    std::size_t tested, baseline;  // positions on the sides
    const ChangeRule& rule;
  };
  struct Outputs;
  [[nodiscard]] Outputs compare_outputs(const DirectionEntry& tested, const DirectionEntry& baseline) const;

  std::vector<Shared> shared_;
  double factor_;
};

/// Every direction of both sides: those of `tested` in its order, then those that only `baseline` has.
std::vector<Change> compare_sets(const ResultSet& tested, const ResultSet& baseline, const ChangeRules& rules);

/// A direction that only one side has.
Change one_sided(const DirectionEntry& entry, ChangeKind kind);

}  // namespace assay
