// report.html of a comparison: what changed, the worst first, on the page that all runs have.
#include <array>

#include "base/text.hpp"
#include "compare/comparison.hpp"
#include "report/html/charts.hpp"
#include "report/html/report_page.hpp"
#include "report/html/run_section.hpp"
#include "report/output_file.hpp"

namespace assay {

namespace {

/// How the page marks a change.
Verdict mark_of(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::kWorse: return Verdict::kError;
    case ChangeKind::kAppeared:
    case ChangeKind::kVanished: return Verdict::kWarning;
    case ChangeKind::kNotJudged: return Verdict::kSkip;
    case ChangeKind::kBetter:
    case ChangeKind::kSame: return Verdict::kPass;
  }
  return Verdict::kSkip;
}

html::Row row_of(const Change& change, std::size_t position) {
  html::Row row;
  row.position = position;
  row.call = change.stem;
  row.name = change.stem + (change.backward ? ".backward" : ".forward");
  row.verdict = mark_of(change.kind);
  row.message = std::string(change_name(change.kind)) + (change.message.empty() ? "" : ": " + change.message);
  if (!change.metrics.empty()) {
    // The largest growth; where nothing grew, the largest shrinking.
    const MetricChange& most = change.metrics.front().ratio > 1 ? change.metrics.front() : change.metrics.back();
    row.numbers = {most.tested, most.baseline, most.ratio};
    row.severity = change.metrics.front().ratio;
  }
  row.detail.facts = {{"change", change_name(change.kind)},
                      {"tested", std::string(verdict_name(change.tested))},
                      {"baseline", std::string(verdict_name(change.baseline))}};
  for (const MetricChange& metric : change.metrics) {
    row.detail.elements.push_back(
        {metric.output, metric.metric, format_number(metric.tested), format_number(metric.baseline), format_number(metric.ratio)});
  }
  return row;
}

std::string settings_section(const Comparison& comparison) {
  if (comparison.settings.empty()) return "";
  html::Table table({{"setting"}, {"tested"}, {"baseline"}});
  for (const SettingDifference& difference : comparison.settings) {
    table.row({html::cell(difference.setting), html::cell(difference.tested), html::cell(difference.baseline)});
  }
  return html::section("settings", "Settings that differ", "", table.str());
}

/// Where in the run errors grew.
std::string growth_section(const Comparison& comparison) {
  std::array<std::vector<html::DriftPoint>, 2> points;
  for (std::size_t i = 0; i < comparison.changes.size(); ++i) {
    const Change& change = comparison.changes[i];
    if (change.metrics.empty()) continue;
    points[change.backward ? 1 : 0].push_back({i, change.metrics.front().ratio, change.kind == ChangeKind::kWorse,
                                               change.stem + (change.backward ? ".backward" : ".forward")});
  }
  const std::string chart = html::drift_chart("forward", "times", points[0], comparison.changes.size(), html::Order::kForward) +
                            html::drift_chart("backward", "times", points[1], comparison.changes.size(), html::Order::kBackward);
  if (chart.empty()) return "";
  return html::section("drift", "Where errors grew",
                       "Largest ratio tested / baseline of each call's errors, in the order of the tables.", chart);
}

std::string notes_section(const Comparison& comparison) {
  std::string items;
  for (const auto& [name, side] : {std::pair("tested", &comparison.tested), std::pair("baseline", &comparison.baseline)}) {
    for (const std::string& note : side->notes) items += "<li>" + html::escape(name + (": " + note)) + "</li>\n";
  }
  return items.empty() ? "" : html::section("notes", "What was odd", "", "<ul>\n" + items + "</ul>\n");
}

}  // namespace

Status write_comparison_page(const std::filesystem::path& folder, const Comparison& comparison, const std::string& command) {
  html::PageSetup setup;
  setup.columns = {"tested", "baseline", "ratio"};
  setup.element_columns = {"output", "metric", "tested", "baseline", "ratio"};
  setup.command = command;
  html::ReportPage page(std::move(setup));
  for (std::size_t i = 0; i < comparison.changes.size(); ++i) {
    if (Status s = page.add(row_of(comparison.changes[i], i)); !s) return s;
  }
  const auto counts = comparison.counts();
  const auto count = [&](ChangeKind kind) { return counts[static_cast<std::size_t>(kind)]; };
  html::PageFrame frame;
  frame.title = "assay: comparing " + comparison.what;
  frame.headline = std::to_string(count(ChangeKind::kWorse)) + " of " + std::to_string(comparison.changes.size()) +
                   " directions are worse than the baseline" +
                   (page.worst_name().empty() ? "" : ", first look at " + page.worst_name());
  frame.style = count(ChangeKind::kWorse) != 0 ? "error" : "pass";
  for (std::size_t kind = 0; kind < kChangeKindCount; ++kind) {
    const auto which = static_cast<ChangeKind>(kind);
    frame.tiles.push_back({change_name(which), counts[kind], std::string(verdict_name(mark_of(which)))});
  }
  frame.facts = {{"tested", comparison.tested.path}, {"baseline", comparison.baseline.path}, {"standard", comparison.standard}};
  frame.sections = settings_section(comparison) + growth_section(comparison) + notes_section(comparison);
  frame.run = html::run_section(command, {}, {}, "");
  return write_output(folder / "report.html", [&](const Output& out) { return page.render(frame, out); });
}

}  // namespace assay
