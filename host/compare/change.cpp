#include "compare/change.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <unordered_map>

#include "base/text.hpp"

namespace assay {

namespace {

constexpr std::size_t kMetricsInMessage = 3;

std::string ratio_text(double ratio) {
  if (std::isinf(ratio)) return "new";
  if (ratio == 0) return "gone";
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "x%.3g", ratio);
  return buffer;
}

std::string describe(const MetricChange& change) {
  return change.output + ": " + change.metric + " " + format_number(change.baseline) + " -> " + format_number(change.tested) +
         " (" + ratio_text(change.ratio) + ")";
}

std::optional<double> metric_at(const OutputEntry& entry, std::size_t i) {
  return i < entry.metrics.size() ? entry.metrics[i] : std::nullopt;
}

std::string message_of(const Change& change, const std::vector<std::string>& differences, const std::string& said) {
  std::vector<std::string> parts;
  if (!said.empty()) parts.push_back(said);
  for (std::size_t i = 0; i < change.metrics.size() && i < kMetricsInMessage; ++i) parts.push_back(describe(change.metrics[i]));
  if (change.metrics.size() > kMetricsInMessage) {
    parts.push_back(std::to_string(change.metrics.size() - kMetricsInMessage) + " more metrics moved");
  }
  for (std::size_t i = 0; i < differences.size() && i < kMetricsInMessage; ++i) parts.push_back(differences[i]);
  return join(parts, "; ");
}

}  // namespace

const char* change_name(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::kWorse: return "worse";
    case ChangeKind::kAppeared: return "appeared";
    case ChangeKind::kVanished: return "vanished";
    case ChangeKind::kBetter: return "better";
    case ChangeKind::kNotJudged: return "not judged";
    case ChangeKind::kSame: return "same";
  }
  return "";
}

/// How the outputs of a direction differ between the sides.
struct DirectionComparison::Outputs {
  std::vector<MetricChange> metrics;     ///< those that moved by the factor
  std::vector<std::string> differences;  ///< other than of metrics
  bool lost = false;                     ///< the tested side lacks an output
};

DirectionComparison::DirectionComparison(const ResultSet& tested, const ResultSet& baseline, const ChangeRules& rules)
    : factor_(rules.factor) {
  std::unordered_map<std::string, std::size_t> by_name;
  for (std::size_t i = 0; i < baseline.metric_names().size(); ++i) by_name.emplace(baseline.metric_names()[i], i);
  for (std::size_t i = 0; i < tested.metric_names().size(); ++i) {
    const std::string& name = tested.metric_names()[i];
    const auto found = by_name.find(name);
    const ChangeRule* rule = rules.find(name);
    if (found != by_name.end() && rule != nullptr) shared_.push_back({name, i, found->second, *rule});
  }
}

DirectionComparison::Outputs DirectionComparison::compare_outputs(const DirectionEntry& tested,
                                                                  const DirectionEntry& baseline) const {
  Outputs out;
  std::unordered_map<std::string_view, const OutputEntry*> by_output;
  for (const OutputEntry& entry : baseline.outputs) by_output.emplace(entry.output, &entry);
  for (const OutputEntry& now : tested.outputs) {
    const auto found = by_output.find(now.output);
    if (found == by_output.end()) {
      out.differences.push_back(now.output + " is not in the baseline");
      continue;
    }
    const OutputEntry& before = *found->second;
    by_output.erase(found);
    if (now.dtype != before.dtype) out.differences.push_back(now.output + " is " + now.dtype + ", was " + before.dtype);
    for (const Shared& metric : shared_) {
      const std::optional<double> value = metric_at(now, metric.tested);
      const std::optional<double> reference = metric_at(before, metric.baseline);
      if (!value || !reference) continue;
      const double ratio = metric.rule.ratio(now.dtype, *value, *reference);
      if (ratio < factor_ && ratio > 1 / factor_) continue;
      out.metrics.push_back({now.output, metric.name, *value, *reference, ratio});
    }
  }
  for (const OutputEntry& entry : baseline.outputs) {
    if (by_output.count(entry.output) == 0) continue;
    out.differences.push_back(entry.output + " is not on the tested side");
    out.lost = true;
  }
  std::stable_sort(out.metrics.begin(), out.metrics.end(), [](const auto& l, const auto& r) { return l.ratio > r.ratio; });
  return out;
}

Change DirectionComparison::compare(const DirectionEntry& tested, const DirectionEntry& baseline, const Judged* judged) const {
  Change change;
  change.stem = tested.stem;
  change.backward = tested.backward;
  change.tested = tested.verdict;
  change.baseline = baseline.verdict;
  Outputs outputs = compare_outputs(tested, baseline);
  change.metrics = std::move(outputs.metrics);
  const bool grew = !change.metrics.empty() && change.metrics.front().ratio > 1;
  const bool shrank = !change.metrics.empty() && change.metrics.back().ratio < 1;
  // A skipped direction says nothing about the operator: losing or gaining its verdict is neither worse nor better.
  const bool both_judged = tested.verdict > Verdict::kSkip && baseline.verdict > Verdict::kSkip;
  const bool verdict_better = both_judged && tested.verdict < baseline.verdict;
  if (judged != nullptr) {
    if (judged->verdict == Verdict::kError || outputs.lost) {
      change.kind = ChangeKind::kWorse;
    } else if (judged->verdict <= Verdict::kSkip) {
      change.kind = ChangeKind::kNotJudged;
    } else if (verdict_better || (shrank && !grew)) {
      change.kind = ChangeKind::kBetter;
    }
  } else if (tested.verdict <= Verdict::kSkip && baseline.verdict <= Verdict::kSkip) {
    change.kind = ChangeKind::kNotJudged;
  } else if (both_judged && tested.verdict > baseline.verdict) {
    change.kind = ChangeKind::kWorse;
  } else if (tested.verdict <= Verdict::kSkip && baseline.verdict > Verdict::kSkip) {
    change.kind = ChangeKind::kVanished;
  } else if (tested.verdict > Verdict::kSkip && baseline.verdict <= Verdict::kSkip) {
    change.kind = ChangeKind::kAppeared;
  } else if (verdict_better) {
    change.kind = ChangeKind::kBetter;
  } else if (grew || outputs.lost) {
    change.kind = ChangeKind::kWorse;
  } else if (shrank) {
    change.kind = ChangeKind::kBetter;
  }
  const bool judged_says = judged != nullptr && !judged->message.empty();
  if (judged_says) {
    change.message = judged->message;
  } else {
    change.message =
        message_of(change, outputs.differences, judged != nullptr || change.kind == ChangeKind::kSame ? "" : tested.message);
  }
  return change;
}

Change one_sided(const DirectionEntry& entry, ChangeKind kind) {
  Change change;
  change.stem = entry.stem;
  change.backward = entry.backward;
  change.kind = kind;
  (kind == ChangeKind::kAppeared ? change.tested : change.baseline) = entry.verdict;
  change.message = entry.message;
  return change;
}

std::vector<Change> compare_sets(const ResultSet& tested, const ResultSet& baseline, const ChangeRules& rules) {
  const DirectionComparison comparison(tested, baseline, rules);
  std::vector<Change> changes;
  for (const DirectionEntry& entry : tested.directions()) {
    const DirectionEntry* before = baseline.find(entry.stem, entry.backward);
    changes.push_back(before == nullptr ? one_sided(entry, ChangeKind::kAppeared) : comparison.compare(entry, *before));
  }
  for (const DirectionEntry& entry : baseline.directions()) {
    if (tested.find(entry.stem, entry.backward) == nullptr) changes.push_back(one_sided(entry, ChangeKind::kVanished));
  }
  return changes;
}

}  // namespace assay
