#include "pipeline/output_row.hpp"

#include "base/text.hpp"
#include "pipeline/summary.hpp"

namespace assay {

namespace {

/// Numbers of bins with something in them, and how much.
std::vector<std::pair<std::uint32_t, double>> filled_bins(const std::vector<double>& counts) {
  std::vector<std::pair<std::uint32_t, double>> bins;
  for (std::uint32_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) bins.emplace_back(i, counts[i]);
  }
  return bins;
}

/// "output.0" of "Functional.linear.3.forward.output.0".
std::string place_of(const std::string& row_name) {
  const std::size_t output = row_name.rfind(kOutputPlace);
  return row_name.substr((output == std::string::npos ? row_name.rfind(kInputPlace) : output) + 1);
}

}  // namespace

OutputRow output_row(std::string name, const JudgedOutput& judged, bool statistics) {
  OutputRow row;
  row.name = std::move(name);
  row.verdict = judged.verdict.verdict;
  row.reason = judged.verdict.reason;
  row.message = escape_control(judged.verdict.message);
  row.judged_as = judged.verdict.judged_as;
  row.decision = judged.verdict.decision;
  row.actual = summarise(judged.actual, statistics);
  row.expected = summarise(judged.expected, statistics);
  for (const MetricValue& metric : judged.verdict.metrics) {
    if (metric.available && metric.info->name == std::string_view("ulp_histogram")) row.ulp_histogram = filled_bins(metric.numbers);
    if (metric.info->length != 1) continue;
    row.metrics.push_back(metric.available ? std::optional<double>(metric.numbers.front()) : std::nullopt);
  }
  row.worst = judged.verdict.worst;
  row.next_worst = judged.verdict.next_worst;
  return row;
}

void conclude_from_outputs(DirectionResult& direction) {
  std::vector<std::string> messages;
  direction.verdict = Verdict::kPass;
  for (const OutputRow& row : direction.outputs) {
    direction.verdict = worse(direction.verdict, row.verdict);
    if (row.verdict > Verdict::kPass) messages.push_back(place_of(row.name) + ": " + row.message);
  }
  direction.message = join(messages, "; ");
}

}  // namespace assay
