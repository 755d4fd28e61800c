#include "perturb/perturb_page.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text.hpp"
#include "report/html/run_section.hpp"

namespace assay {

namespace {

constexpr std::size_t kMaxRanked = 100;

html::PageSetup setup_of(const PerturbInfo& info) {
  html::PageSetup setup;
  setup.columns = {"amplification", "bits lost", "input change", "output change", "ms"};
  setup.element_columns = {"index", "perturbed", "original", "ulp apart"};
  setup.command = info.command;
  return setup;
}

std::string changed_text(const PerturbRow& row) {
  if (row.elements == 0) return "";
  return std::to_string(row.changed) + " of " + std::to_string(row.elements) + " input elements, " + std::to_string(row.seeds) +
         (row.seeds == 1 ? " run" : " runs");
}

html::Row page_row(const PerturbRow& row, const std::string& stem, std::size_t position) {
  html::Row out;
  out.position = position;
  out.call = stem;
  out.name = row.name + ", " + row.perturbation + (row.input.empty() ? "" : " of " + row.input);
  out.verdict = row.verdict;
  out.message = std::string(finding_name(row.finding)) + (row.message.empty() ? "" : ": " + row.message);
  const bool ran = row.seeds > 0;
  const auto measured = [&](double value) { return ran ? std::optional<double>(value) : std::nullopt; };
  out.numbers = {row.amplification ? std::optional<double>(row.amplification->mean) : std::nullopt, row.bits_lost,
                 measured(row.input_change), measured(row.output_change),
                 measured(row.plain_ms + row.perturbed_ms + row.overhead_ms)};
  if (row.amplification)
    out.severity = row.limit && *row.limit > 0 ? row.amplification->mean / *row.limit : row.amplification->mean;
  out.detail.reason = row.reason;
  out.detail.facts = {{"perturbed", changed_text(row)},
                      {"dtype", row.dtype},
                      {"output that reacts most", row.output},
                      {"expected of", row.expected},
                      {"limit", row.limit ? format_number(*row.limit) : ""}};
  if (row.amplification) {
    out.detail.facts.push_back({"amplification", "mean " + format_number(row.amplification->mean) + ", standard deviation " +
                                                     format_number(row.amplification->deviation) + ", largest " +
                                                     format_number(row.amplification->largest)});
  }
  if (row.worst) {
    std::vector<std::string> index;
    for (const std::int64_t i : row.worst->index) index.push_back(std::to_string(i));
    out.detail.elements = {{"[" + join(index, ", ") + "]", row.worst->actual, row.worst->expected,
                            row.worst->ulp ? format_number(*row.worst->ulp) : ""}};
  }
  return out;
}

std::string ranking_table(const std::vector<RankedOperator>& ranking) {
  html::Table table({{"operator"}, {"direction"}, {"dtype"}, {"amplification", true}, {"bits lost", true}, {"finding"}, {"call"}});
  for (std::size_t i = 0; i < std::min(ranking.size(), kMaxRanked); ++i) {
    const RankedOperator& entry = ranking[i];
    table.row({"<td data-filter=\"" + html::escape(entry.api) + ".\">" + html::escape(entry.api) + "</td>",
               html::cell(entry.direction), html::cell(entry.dtype), html::number_cell(entry.amplification),
               html::number_cell(entry.bits_lost), html::cell(finding_name(entry.finding)),
               html::cell(entry.call + ", " + entry.perturbation + " of " + entry.input)});
  }
  return ranking.empty() ? "<p class=\"faint\">No amplification was measured.</p>\n" : table.str();
}

}  // namespace

PerturbPage::PerturbPage(const PerturbInfo& info) : info_(info), page_(setup_of(info)) {}

Status PerturbPage::add(const PerturbReport& report) {
  // Reports come in the order of the calls.
  const std::size_t position = call_count_++;
  ranking_.add(report);
  std::optional<html::DriftPoint> points[2];
  for (const PerturbRow& row : report.rows) {
    milliseconds_[row.api] += row.plain_ms + row.perturbed_ms + row.overhead_ms;
    if (row.amplification) {
      html::Spread& spread = spreads_[row.api];
      spread.name = row.api;
      spread.values.push_back(row.amplification->mean);
      spread.error |= row.finding == Finding::kUnstable;
      const bool error = row.verdict == Verdict::kError;
      std::optional<html::DriftPoint>& point = points[row.direction == "backward" ? 1 : 0];
      if (!point || row.amplification->mean > point->value) point = {position, row.amplification->mean, error, row.name};
    }
    if (Status s = page_.add(page_row(row, report.stem, position)); !s) return s;
  }
  if (points[0]) html::add_point(forward_, *points[0]);
  if (points[1]) html::add_point(backward_, *points[1]);
  return Done{};
}

std::string PerturbPage::sections(const PerturbSummary& summary) const {
  std::vector<html::Spread> spreads;
  for (const auto& [name, spread] : spreads_) spreads.push_back(spread);
  std::vector<html::Bar> times;
  for (const auto& [name, milliseconds] : milliseconds_) {
    times.push_back({name, milliseconds, html::short_number(milliseconds) + " ms"});
  }
  std::string costs;
  for (const StageCost& cost : summary.costs) {
    costs += (costs.empty() ? "" : ", ") + html::escape(cost.perturbation) + " " + html::short_number(cost.ratio) + "×";
  }
  const std::string drift = html::drift_chart("forward", "times", forward_, call_count_, html::Order::kForward) +
                            html::drift_chart("backward", "times", backward_, call_count_, html::Order::kBackward);
  return html::section("ranking", "Most unstable operators",
                       "The relative change of the output over the relative change of the input, the largest over all calls.",
                       ranking_table(summary.ranking)) +
         html::section(
             "drift", "Where instability sits",
             "Largest amplification of each call, in the order in which the calls run: forward from the first call (circles), "
             "backward from the last (triangles). Filled marks are beyond what is expected of the operator.",
             html::chart_or(drift, "No amplification was measured.")) +
         html::section("spread", "How each kind of operator amplifies",
                       "From the least to the largest amplification, with a box around the middle half and a line at the median.",
                       html::chart_or(html::spread_chart("amplification by kind of operator", "times", std::move(spreads)),
                                      "No amplification was measured.")) +
         html::section("costs", "What each operator cost", costs.empty() ? "" : "A check, in runs of each operator: " + costs + ".",
                       html::chart_or(html::bar_chart("milliseconds of each operator, all its calls", std::move(times)),
                                      "No time was measured."));
}

Status PerturbPage::render(double seconds, bool complete, bool live, const Output& out) const {
  PerturbSummary summary;
  ranking_.fill(summary);
  const PerturbCounts& counts = summary.counts;
  html::PageFrame frame;
  frame.title = html::page_title(info_.dump_path);
  frame.headline = std::to_string(counts.unstable) + (counts.unstable == 1 ? " unstable row" : " unstable rows") + " in " +
                   std::to_string(counts.calls) + " calls" +
                   (summary.ranking.empty() ? "" : ", most amplified by " + summary.ranking.front().api);
  if (!complete) frame.headline = "Incomplete: " + frame.headline;
  frame.style = counts.unstable != 0 ? "error" : counts.left_domain + counts.non_deterministic != 0 ? "warning" : "pass";
  frame.tiles = {{"unstable", counts.unstable, "error"},
                 {"left the domain", counts.left_domain, "warning"},
                 {"not deterministic", counts.non_deterministic, "warning"},
                 {"stable", counts.stable, "pass"},
                 {"unperturbed", counts.unperturbed, "skip"},
                 {"not run", counts.not_run, "skip"}};
  frame.facts = {{"dump", info_.dump_path},
                 {"engine", html::side_text(info_.engine)},
                 {"perturbations", join(info_.perturbations, ", ")},
                 {"seeds", std::to_string(info_.seeds)},
                 {"time", seconds > 0 ? html::short_number(seconds) + " s" : ""}};
  frame.sections = sections(summary);
  frame.run = html::run_section(
      info_.command, {{"assay", ASSAY_VERSION}, {"dump CRC-32", info_.dump_fingerprint}, {"engine", info_.engine.details}}, {},
      info_.config_json);
  frame.live = live;
  return page_.render(frame, out);
}

}  // namespace assay
