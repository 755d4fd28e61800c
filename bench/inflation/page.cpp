// report.html of the table, on the page that all runs have.
#include "report/html/report_page.hpp"
#include "report/html/run_section.hpp"
#include "report/output_file.hpp"
#include "tables.hpp"

namespace assay::bench {

Status write_inflation_page(const std::filesystem::path& path, const Table& table) {
  html::PageSetup setup;
  setup.columns = {"time ×", "run twice ×", "published ×", "memory ×", "published ×", "plain ms"};
  setup.command = table.command;
  html::ReportPage page(setup);
  std::size_t below = 0;
  std::size_t above = 0;
  std::size_t missing = 0;
  for (const TableRow& entry : table.rows) {
    const PublishedRow& p = entry.published;
    const Figures f = figures_of(entry);
    (!f.measured ? missing : f.below_published ? below : above) += p.is_baseline() && f.measured ? 0 : 1;
    html::Row row;
    row.position = p.number;
    row.call = p.model;
    row.name = p.model + ", " + p.what();
    row.verdict = !f.measured ? Verdict::kSkip : f.below_published ? Verdict::kPass : Verdict::kError;
    row.message = f.measured ? "" : "not measured" + (entry.measured.failure.empty() ? "" : ": " + entry.measured.failure);
    const auto shown = [](double value) { return value > 0 ? std::optional<double>(value) : std::nullopt; };
    row.numbers = {shown(f.time.median), shown(f.wide.median > 0 ? f.wide.median : f.twice.median),
                   p.time_inflation,     shown(f.memory),
                   p.memory_inflation,   shown(f.plain_ms)};
    row.severity = f.time.median / p.time_inflation;
    const Measurement& m = entry.measured;
    row.detail.facts = {
        {"model", m.model},
        {"dtype", m.dtype},
        {"scale, batch, sequence", std::to_string(m.scale) + ", " + std::to_string(m.batch) + ", " + std::to_string(m.sequence)},
        {"middle half of the steps", html::short_number(f.time.low) + " to " + html::short_number(f.time.high)},
        {"run twice", html::short_number(f.twice.median)},
        {"run twice, widened", f.wide.median > 0 ? html::short_number(f.wide.median) : ""},
        {"resident memory", html::short_number(f.process_memory)},
        {"checked in a step", std::to_string(m.watched.operators)},
        {"findings", std::to_string(m.findings)},
        {"note of the published row", p.note}};
    if (Status s = page.add(std::move(row)); !s) return s;
  }
  html::PageFrame frame;
  frame.title = "assay: what the watch costs";
  frame.headline =
      std::to_string(below) + " of " + std::to_string(below + above + missing) + " watched rows cost less than published";
  frame.style = above + missing == 0 ? "pass" : "warning";
  frame.tiles = {{"below the published row", below, "pass"}, {"above", above, "error"}, {"not measured", missing, "skip"}};
  frame.facts = {{"machine", table.machine}};
  frame.sections = html::section("inflation", "Every row",
                                 "A ring is the published factor, a dot ours, a bar the bound: every checked "
                                 "operator run twice, nothing compared.",
                                 inflation_svg(table));
  frame.run = html::run_section(table.command, {{"assay", ASSAY_VERSION}}, {}, "");
  return write_output(path, [&](const Output& out) { return page.render(frame, out); });
}

}  // namespace assay::bench
