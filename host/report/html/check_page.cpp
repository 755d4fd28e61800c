#include "report/html/check_page.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "report/html/run_section.hpp"

namespace assay::html {

namespace {

/// The peer's metrics repeat ours and are in details.csv; the worst element is shown as such.
bool is_shown(const std::string& metric) { return !metric.starts_with("msprobe_") && metric != "worst_index"; }

PageSetup setup_of(const RunInfo& info) {
  PageSetup setup;
  setup.columns = {"max ulp", "bits kept", "cosine", "ms"};
  std::copy_if(info.metric_names.begin(), info.metric_names.end(), std::back_inserter(setup.metrics), is_shown);
  setup.element_columns = {"index", "actual", "expected", "ulp apart"};
  setup.command = info.command;
  setup.histogram_of = "ulp";
  return setup;
}

std::string summary_text(const ValueSummary& value) {
  if (value.dtype.empty()) return "missing";
  if (!value.is_tensor) return value.dtype + " " + value.text;
  std::string text = value.dtype + " " + format_shape(value.shape);
  if (value.finite_count == 0) return text;
  return text + ", min " + short_number(value.min) + ", max " + short_number(value.max) + ", mean " + short_number(value.mean) +
         ", norm " + short_number(value.norm);
}

std::vector<std::string> element_cells(const WorstElement& element) {
  std::vector<std::string> index;
  for (const std::int64_t i : element.index) index.push_back(std::to_string(i));
  return {"[" + join(index, ", ") + "]", element.actual, element.expected, element.ulp ? format_number(*element.ulp) : ""};
}

std::string counted(std::size_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

std::string verdict_of(const RunSummary& summary) {
  if (summary.counts.error != 0) return "error";
  return summary.counts.warning != 0 ? "warning" : summary.counts.pass != 0 ? "pass" : "skip";
}

/// The larger one; not a number counts as the largest.
void raise(std::optional<double>& kept, const std::optional<double>& value) {
  if (!value) return;
  const double number = std::isnan(*value) ? INFINITY : *value;
  kept = std::max(kept.value_or(number), number);
}

std::string bytes_text(std::uint64_t bytes) {
  const auto number = static_cast<double>(bytes);
  if (bytes < 1000) return std::to_string(bytes) + " B";
  return bytes < 1000000      ? short_number(number / 1e3) + " kB"
         : bytes < 1000000000 ? short_number(number / 1e6) + " MB"
                              : short_number(number / 1e9) + " GB";
}

std::string memory_text(const DirectionResult& direction) {
  std::vector<std::string> parts;
  if (direction.target_bytes != 0) parts.push_back("target " + bytes_text(direction.target_bytes));
  if (direction.reference_bytes != 0) parts.push_back("reference " + bytes_text(direction.reference_bytes));
  return join(parts, ", ");
}

}  // namespace

CheckPage::CheckPage(const RunInfo& info) : info_(info), page_(setup_of(info)) {
  for (std::size_t i = 0; i < info.metric_names.size(); ++i) {
    metric_index_[info.metric_names[i]] = i;
    if (is_shown(info.metric_names[i])) shown_metrics_.push_back(i);
  }
}

std::optional<double> CheckPage::metric(const OutputRow& output, const char* name) const {
  const auto found = metric_index_.find(name);
  return found != metric_index_.end() && found->second < output.metrics.size() ? output.metrics[found->second] : std::nullopt;
}

Status CheckPage::add(const ApiResult& result) {
  ++totals_[result.api].calls;
  call_count_ = std::max(call_count_, result.position + 1);
  if (Status s = add_direction(result, false); !s) return s;
  return add_direction(result, true);
}

Status CheckPage::add_direction(const ApiResult& result, bool backward) {
  const DirectionResult& direction = backward ? result.backward : result.forward;
  if (direction.verdict == Verdict::kNone) return Done{};
  Totals& totals = totals_[result.api];
  totals.errors += direction.verdict == Verdict::kError ? 1 : 0;
  totals.warnings += direction.verdict == Verdict::kWarning ? 1 : 0;
  totals.skips += direction.verdict == Verdict::kSkip ? 1 : 0;
  totals.target_ms += direction.target_ms;
  totals.reference_ms += direction.reference_ms;
  totals.peak_bytes = std::max({totals.peak_bytes, direction.target_bytes, direction.reference_bytes});
  const std::string name = result.stem + (backward ? ".backward" : ".forward");
  if (direction.outputs.empty()) {
    Row row;
    row.position = result.position;
    row.call = result.stem;
    row.name = name;
    row.verdict = direction.verdict;
    row.message = direction.message;
    row.detail.reason = direction.reason;
    row.detail.facts = {{"notes", join(direction.notes, "; ")}};
    return page_.add(std::move(row));
  }
  std::optional<double> largest;
  for (const OutputRow& output : direction.outputs) {
    const std::optional<double> ulp = metric(output, "max_ulp");
    raise(largest, ulp);
    if (ulp) totals.ulps.add(*ulp);
    if (const auto bits = metric(output, "significant_bits_worst")) totals.bits = std::min(totals.bits.value_or(*bits), *bits);
    for (const auto& [bin, count] : output.ulp_histogram) {
      if (bin >= histogram_.size()) histogram_.resize(bin + 1);
      histogram_[bin] += count;
    }
    if (Status s = page_.add(judged(result, direction, output)); !s) return s;
  }
  raise(totals.max_ulp, largest);
  if (largest) {
    add_point(backward ? backward_ : forward_, {result.position, *largest, direction.verdict == Verdict::kError, name});
  }
  return Done{};
}

Row CheckPage::judged(const ApiResult& result, const DirectionResult& direction, const OutputRow& output) const {
  Row row;
  row.position = result.position;
  row.call = result.stem;
  row.name = output.name;
  row.verdict = output.verdict;
  row.numbers = {metric(output, "max_ulp"), metric(output, "significant_bits_worst"), metric(output, "cosine"),
                 direction.target_ms + direction.reference_ms};
  row.message = output.message;
  if (output.decision) {
    const Decision& decision = *output.decision;
    row.severity = decision.limit > 0 ? decision.value / decision.limit : decision.value;
    if (std::isnan(row.severity)) row.severity = INFINITY;
  }
  row.detail.reason = output.reason;
  row.detail.facts = {{"judged as", output.judged_as},
                      {"actual", summary_text(output.actual)},
                      {"expected", summary_text(output.expected)},
                      {"memory", memory_text(direction)},
                      {"notes", join(direction.notes, "; ")}};
  if (!output.metrics.empty()) {
    for (const std::size_t i : shown_metrics_) {
      row.detail.metrics.push_back(i < output.metrics.size() ? output.metrics[i] : std::nullopt);
    }
  }
  if (output.worst) row.detail.elements.push_back(element_cells(*output.worst));
  for (const WorstElement& element : output.next_worst) row.detail.elements.push_back(element_cells(element));
  row.detail.histogram = output.ulp_histogram;
  return row;
}

std::string CheckPage::headline(const RunSummary& summary) const {
  const VerdictCounts& counts = summary.counts;
  std::string text = counts.error == 0 ? "No errors in " + counted(counts.apis, "API call", "API calls")
                                       : counted(counts.error, "error", "errors") + " in " +
                                             counted(counts.apis, "API call", "API calls") + ", the worst in " + page_.worst_name();
  return summary.complete ? text : "Incomplete: " + text;
}

std::string CheckPage::operators() const {
  std::vector<std::pair<std::string, const Totals*>> sorted;
  for (const auto& [name, totals] : totals_) sorted.emplace_back(name, &totals);
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& l, const auto& r) {
    const auto key = [](const Totals& t) { return std::tuple(t.errors, t.warnings, t.max_ulp.value_or(-1)); };
    return key(*l.second) > key(*r.second);
  });
  Table table({{"operator"},
               {"calls", true},
               {"errors", true},
               {"warnings", true},
               {"skipped", true},
               {"max ulp", true},
               {"bits kept", true},
               {"ms", true}});
  for (const auto& [name, totals] : sorted) {
    table.row({"<td data-filter=\"" + escape(name) + ".\">" + escape(name) + "</td>",
               number_cell(static_cast<double>(totals->calls)), number_cell(static_cast<double>(totals->errors)),
               number_cell(static_cast<double>(totals->warnings)), number_cell(static_cast<double>(totals->skips)),
               number_cell(totals->max_ulp), number_cell(totals->bits), number_cell(totals->target_ms + totals->reference_ms)});
  }
  return table.str();
}

std::string CheckPage::costs() const {
  std::vector<Bar> times;
  std::vector<Bar> memory;
  for (const auto& [name, totals] : totals_) {
    const double all = totals.target_ms + totals.reference_ms;
    times.push_back({name, all,
                     short_number(all) + " ms, " + std::to_string(totals.calls) + "×" +
                         (totals.target_ms > 0 ? ", target " + short_number(totals.target_ms) + " ms" : "")});
    const auto bytes = static_cast<double>(totals.peak_bytes);
    memory.push_back({name, bytes, bytes_text(totals.peak_bytes)});
  }
  return "<h3>Time</h3>\n" +
         chart_or(bar_chart("milliseconds of each operator, all its calls", std::move(times)), "No time was measured.") +
         "<h3>Memory</h3>\n<p class=\"hint\">What a framework's allocator held at most for one call, beyond its inputs.</p>\n" +
         chart_or(bar_chart("largest memory of one call of each operator", std::move(memory)), "The adapters didn't say.");
}

std::string CheckPage::sections() const {
  std::vector<Spread> spreads;
  for (const auto& [name, totals] : totals_)
    spreads.push_back({name, totals.ulps.values(), totals.errors != 0, totals.ulps.count()});
  const std::string drift = drift_chart("forward", "ulp", forward_, call_count_, Order::kForward) +
                            drift_chart("backward", "ulp", backward_, call_count_, Order::kBackward);
  return section(
             "drift", "Where the error starts",
             "Largest error of each call in units in the last place (ulp), in the order in which the calls run: forward from the "
             "first call (circles), backward from the last (triangles). Filled marks are errors.",
             chart_or(drift, "No floating-point output was compared.")) +
         section("operators", "By operator", "", operators()) +
         section(
             "spread", "How each kind of operator errs",
             "Errors of all outputs of a kind in ulp: from the least to the largest, with a box around the middle half and a line "
             "at the median.",
             chart_or(spread_chart("errors by kind of operator in ulp", "ulp", std::move(spreads)),
                      "No floating-point output was compared.")) +
         section("histogram", "How far off the elements are", "Share of all compared floating-point elements by distance in ulp.",
                 chart_or(histogram_chart("share of elements by distance in ulp", "ulp", histogram_),
                          "No floating-point element was compared.")) +
         section("costs", "What each operator cost", "", costs());
}

Status CheckPage::render(const RunSummary& summary, const std::string& more, bool live, const Output& out) const {
  const VerdictCounts& counts = summary.counts;
  PageFrame frame;
  frame.title = page_title(info_.dump_path);
  frame.headline = headline(summary);
  frame.style = verdict_of(summary);
  frame.tiles = {{"errors", counts.error, "error"},
                 {"warnings", counts.warning, "warning"},
                 {"passed", counts.pass, "pass"},
                 {"skipped", counts.skip, "skip"}};
  frame.facts = {{"dump", info_.dump_path},
                 {"target", side_text(info_.target)},
                 {"reference", side_text(info_.reference)},
                 {"standard", info_.standard},
                 {"time", summary.complete ? short_number(summary.seconds) + " s" : ""}};
  frame.sections = more + sections();
  frame.run = run_section(info_.command,
                          {{"assay", ASSAY_VERSION},
                           {"dump CRC-32", info_.dump_fingerprint},
                           {"target", info_.target.source == "recorded" ? "" : info_.target.details},
                           {"reference", info_.reference.details}},
                          info_.skipped_keys, info_.config_json);
  frame.live = live;
  return page_.render(frame, out);
}

}  // namespace assay::html
