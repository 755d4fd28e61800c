#include "watch/watch_page.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "report/output_file.hpp"

namespace assay {

namespace {

html::PageSetup page_setup() {
  html::PageSetup setup;
  setup.columns = {"step", "amplification", "limit", "input change", "output change", "check ms"};
  return setup;
}

/// The API's call, or the operator where no API is known.
std::string called(const StoredWatchRow& row) { return row.text("name").empty() ? row.text("operator") : row.text("name"); }

/// "Functional.linear.3.backward" -> "Functional.linear": what is counted together.
std::string kind_of(const StoredWatchRow& row) {
  std::string name = called(row);
  for (int part = 0; part < 2 && !row.text("name").empty(); ++part) name = name.substr(0, name.rfind('.'));
  return name;
}

html::Row page_row(const StoredWatchRow& row, std::size_t position) {
  const std::string& input = row.text("input");
  const std::string place = "rank " + std::to_string(row.rank) + ", step " + std::to_string(row.step);
  html::Row out;
  out.position = position;
  out.call = called(row) + ", " + place;
  out.name = called(row) + ", " + row.text("perturbation") + (input.empty() ? "" : " of " + input) + ", " + place;
  out.verdict = row.verdict;
  out.message = row.text("finding") + (row.text("message").empty() ? "" : ": " + row.text("message"));
  out.numbers = {static_cast<double>(row.step),
                 row.amplification,
                 row.limit,
                 row.input_change,
                 row.output_change,
                 row.cost_us ? std::optional(*row.cost_us / 1000) : std::nullopt};
  if (row.amplification) out.severity = row.limit.value_or(0) > 0 ? *row.amplification / *row.limit : *row.amplification;
  out.detail.reason = row.text("reason");
  out.detail.facts = {{"operator", row.text("operator")},
                      {"autograd's node", row.text("node")},
                      {"stage", row.text("stage")},
                      {"called at", row.text("call_site")},
                      {"dtype", row.text("dtype")},
                      {"shape", row.text("shape")},
                      {"output that reacts most", row.text("output")}};
  return out;
}

std::vector<html::DriftPoint> values_of(const std::map<std::int64_t, html::DriftPoint>& points) {
  std::vector<html::DriftPoint> out;
  for (const auto& [step, point] : points) out.push_back(point);
  return out;
}

std::string share_text(double part, double whole) {
  return whole > 0 ? html::short_number(100 * part / whole) + " %" : std::string();
}

/// What was left out and remarked on, over all ranks.
std::string coverage(const StoredWatch& watch) {
  std::map<std::string, std::uint64_t> skipped;
  std::set<std::string> notes;
  for (const auto& summary : watch.summaries()) {
    if (!summary) continue;
    for (const auto& [what, calls] : summary->skipped) skipped[what] += calls;
    notes.insert(summary->notes.begin(), summary->notes.end());
  }
  std::string text;
  for (const std::string& note : notes) text += "<p>" + html::escape(note) + "</p>\n";
  if (skipped.empty()) return text.empty() ? "<p class=\"faint\">Nothing was left out, or the job has not ended.</p>\n" : text;
  std::vector<std::pair<std::string, std::uint64_t>> sorted(skipped.begin(), skipped.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& l, const auto& r) { return l.second > r.second; });
  html::Table table({{"not checked"}, {"calls", true}});
  for (const auto& [what, calls] : sorted) table.row({html::cell(what), html::number_cell(static_cast<double>(calls))});
  return text + table.str();
}

}  // namespace

WatchPage::WatchPage(std::string folder) : folder_(std::move(folder)), page_(page_setup()) {}

Status WatchPage::add(const StoredWatchRow& row) {
  const std::string kind = kind_of(row);
  Totals& totals = totals_[kind];
  const bool error = row.verdict == Verdict::kError;
  const bool warning = row.verdict == Verdict::kWarning;
  ++totals.rows;
  totals.errors += error ? 1 : 0;
  totals.warnings += warning ? 1 : 0;
  (error ? errors_ : warning ? warnings_ : passed_) += 1;
  totals.microseconds += row.cost_us.value_or(0);
  if (error || warning) totals.steps.insert(row.step);
  if (row.amplification && !std::isnan(*row.amplification)) {
    const double value = *row.amplification;
    totals.largest = std::max(totals.largest.value_or(value), value);
    html::Spread& spread = spreads_[kind];
    spread.name = kind;
    spread.values.push_back(value);
    spread.error |= error;
    auto& points = row.text("stage") == "backward" ? backward_ : forward_;
    const html::DriftPoint point{static_cast<std::size_t>(std::max<std::int64_t>(row.step, 0)), value, error, called(row)};
    const auto [known, added] = points.emplace(row.step, point);
    if (!added && value > known->second.value) known->second = point;
  }
  return page_.add(page_row(row, page_.row_count()));
}

std::string WatchPage::operators() const {
  std::vector<std::pair<std::string, const Totals*>> sorted;
  for (const auto& [name, totals] : totals_) sorted.emplace_back(name, &totals);
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& l, const auto& r) {
    const auto key = [](const Totals& t) { return std::tuple(t.errors, t.warnings, t.largest.value_or(-1)); };
    return key(*l.second) > key(*r.second);
  });
  html::Table table(
      {{"operator"}, {"rows", true}, {"errors", true}, {"warnings", true}, {"in steps", true}, {"largest amplification", true}});
  for (const auto& [name, totals] : sorted) {
    const auto number = [](std::size_t count) { return html::number_cell(static_cast<double>(count)); };
    table.row({"<td data-filter=\"" + html::escape(name) + "\">" + html::escape(name) + "</td>", number(totals->rows),
               number(totals->errors), number(totals->warnings), number(totals->steps.size()), html::number_cell(totals->largest)});
  }
  return sorted.empty() ? "<p class=\"faint\">There are no rows.</p>\n" : table.str();
}

std::string WatchPage::sections(const StoredWatch& watch) const {
  std::vector<html::Spread> spreads;
  for (const auto& [name, spread] : spreads_) spreads.push_back(spread);
  std::vector<html::Bar> costs;
  for (const auto& [name, totals] : totals_) {
    costs.push_back(
        {name, totals.microseconds, html::short_number(totals.microseconds / 1000) + " ms, " + std::to_string(totals.rows) + "×"});
  }
  const auto steps = static_cast<std::size_t>(watch.steps().last + 1);
  // Both in the order of the steps: time goes one way.
  const std::string drift = html::drift_chart("forward", "times", values_of(forward_), steps, html::Order::kForward, "step") +
                            html::drift_chart("backward", "times", values_of(backward_), steps, html::Order::kForward, "step");
  return html::section("drift", "When it happens",
                       "The largest amplification among the rows of each step, in the order of the steps. Filled marks are beyond "
                       "what is expected "
                       "of the operator.",
                       html::chart_or(drift, "No amplification was measured.")) +
         html::section("operators", "By operator", "", operators()) +
         html::section("spread", "How each kind of operator amplifies",
                       "From the least to the largest amplification, with a box around the middle half and a line at the median.",
                       html::chart_or(html::spread_chart("amplification by kind of operator", "times", std::move(spreads)),
                                      "No amplification was measured.")) +
         html::section(
             "costs", "What the rows' checks cost", "",
             html::chart_or(html::bar_chart("milliseconds of checks by operator", std::move(costs)), "No time was measured.")) +
         html::section("coverage", "What was not checked", "", coverage(watch));
}

Status WatchPage::render(const StoredWatch& watch, const Output& out) const {
  const StoredSteps& steps = watch.steps();
  std::string framework;
  std::uint64_t kinds = 0;
  std::uint64_t kinds_checked = 0;
  bool complete = true;
  for (const auto& summary : watch.summaries()) {
    complete = complete && summary && summary->complete;
    if (!summary) continue;
    framework = summary->framework;
    kinds += summary->kinds;
    kinds_checked += summary->kinds_checked;
  }
  const std::string worst = page_.worst_name();
  html::PageFrame frame;
  frame.title = "assay watch: " + folder_;
  frame.headline = errors_ + warnings_ == 0
                       ? "No findings in " + std::to_string(steps.checked) + " checked calls"
                       : std::to_string(errors_ + warnings_) + (errors_ + warnings_ == 1 ? " finding" : " findings") + " in " +
                             std::to_string(steps.checked) + " checked calls, the worst in " + worst;
  frame.style = errors_ != 0 ? "error" : warnings_ != 0 ? "warning" : "pass";
  frame.tiles = {{"errors", errors_, "error"}, {"warnings", warnings_, "warning"}, {"passed rows", passed_, "pass"}};
  frame.facts = {{"job", framework},
                 {"ranks", std::to_string(watch.rank_count())},
                 {"steps", std::to_string(steps.last + 1) + (complete ? "" : ", not ended")},
                 {"calls", std::to_string(steps.operators) + ", checked " + std::to_string(steps.checked)},
                 {"kinds of calls", kinds == 0 ? "" : std::to_string(kinds) + ", checked " + std::to_string(kinds_checked)},
                 {"time of the checks", share_text(steps.check_milliseconds, steps.milliseconds) + " of the steps"}};
  if (steps.milliseconds <= 0) frame.facts.pop_back();
  frame.sections = sections(watch);
  frame.run = html::fact_list({{"folder", folder_}});
  return page_.render(frame, out);
}

Status write_watch_page(const std::filesystem::path& folder, const std::filesystem::path& out) {
  const Result<StoredWatch> watch = StoredWatch::open(folder);
  if (!watch) return watch.failure();
  WatchPage page(std::filesystem::absolute(folder).lexically_normal().string());
  if (Status s = watch->for_each([&](const StoredWatchRow& row) { return page.add(row); }); !s) return s;
  return write_output(out / "report.html", [&](const Output& target) { return page.render(*watch, target); });
}

}  // namespace assay
