#include "watch/row_judge.hpp"

#include <algorithm>
#include <cmath>

#include "perturb/change.hpp"
#include "perturb/codes.hpp"
#include "perturb/outputs.hpp"
#include "watch/codes.hpp"

namespace assay {

void judge_row(const std::vector<OutputMeasure>& outputs, double input_change, const StabilityLimit& limit, WatchRow& row) {
  double largest = -1;
  const OutputMeasure* left = nullptr;
  for (const OutputMeasure& output : outputs) {
    if (!output.change.measured) continue;
    if (left == nullptr && output.change.classes != 0) left = &output;
    // An output type that is coarser than the input's change rounds by itself.
    const double amplification = output.change.relative / std::max(input_change, unit_roundoff(output.dtype));
    if (amplification <= largest) continue;
    largest = amplification;
    row.amplification = amplification;
    row.output_change = output.change.relative;
    row.output = output.output;
  }
  row.limit = limit.amplification;
  if (left != nullptr) {
    row.finding = Finding::kLeftDomain;
    row.verdict = Verdict::kWarning;
    row.reason = code::kLeftDomain;
    row.output = left->output;
    row.message = std::to_string(left->change.classes) + " results changed between finite, infinite and nan on the perturbed input";
    return;
  }
  if (!row.amplification) {
    row.finding = Finding::kDiscrete;
    return;
  }
  if (!(*row.amplification > limit.amplification)) return;
  row.finding = Finding::kUnstable;
  row.verdict = Verdict::kError;
  row.reason = code::kUnstable;
  row.message = "amplification " + format_short(*row.amplification) + " is above " + format_short(limit.amplification) +
                " expected of a " + limit.expected + " operator in " + row.dtype + "; the output changes by " +
                format_short(row.output_change) + " for " + format_short(input_change) + " of input " + row.input;
}

void judge_not_finite(const OutputMeasure& output, WatchRow& row) {
  const bool nan = output.change.nan != 0;
  row.finding = Finding::kLeftDomain;
  row.verdict = nan ? Verdict::kError : Verdict::kWarning;
  row.reason = nan ? code::kNanBorn : code::kInfinityBorn;
  row.output = output.output;
  row.message = "all inputs are finite, and " + std::to_string(nan ? output.change.nan : output.change.infinite) + " results are " +
                (nan ? "nan" : "infinite");
}

void judge_repetition(std::size_t output, std::int64_t differing, WatchRow& row) {
  row.output = output;
  if (differing == 0) {
    row.finding = Finding::kControl;
    return;
  }
  row.finding = Finding::kNonDeterministic;
  row.verdict = Verdict::kWarning;
  row.reason = code::kNonDeterministic;
  row.message = "the operator is not deterministic: " + std::to_string(differing) + " results differ on the same inputs";
}

}  // namespace assay
