#include "tables.hpp"

#include <cstdio>

#include "base/text.hpp"
#include "report/csv.hpp"
#include "report/markdown.hpp"
#include "report/output_file.hpp"

namespace assay::bench {

namespace {

std::string number(double value, const char* format = "%.3f") {
  if (!(value > 0)) return "";
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string mib(std::uint64_t bytes) { return number(static_cast<double>(bytes) / 1048576, "%.1f"); }

double share(std::uint64_t part, std::uint64_t whole) {
  return whole != 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

Status write_file(const std::filesystem::path& path, const std::string& text) {
  Result<OutputFile> file = OutputFile::create(path);
  if (!file) return file.failure();
  if (Status s = file->write(text); !s) return s;
  return file->close();
}

const char* const kColumns[] = {"model",
                                "mode",
                                "direction",
                                "scope",
                                "perturbation",
                                "time_s",
                                "peak_gb",
                                "time_inflation",
                                "memory_inflation",
                                "note_en",
                                "our_model",
                                "our_dtype",
                                "our_scale",
                                "our_batch",
                                "our_sequence",
                                "our_threads",
                                "our_repetitions",
                                "our_plain_ms",
                                "our_watched_ms",
                                "our_time_inflation",
                                "our_inflation_25",
                                "our_inflation_75",
                                "bound",
                                "bound_widened",
                                "over_bound",
                                "our_plain_peak_mib",
                                "our_watched_peak_mib",
                                "our_memory_inflation",
                                "bound_memory",
                                "our_plain_resident_mib",
                                "our_watched_resident_mib",
                                "our_resident_inflation",
                                "our_checked",
                                "bound_checked",
                                "our_findings",
                                "failure"};

std::vector<std::string> csv_cells(const TableRow& row) {
  const PublishedRow& p = row.published;
  const Measurement& m = row.measured;
  const Figures f = figures_of(row);
  const auto count = [](auto value) { return value > 0 ? std::to_string(value) : std::string(); };
  return {p.model,
          p.mode,
          p.direction,
          csv_cell(p.scope),
          p.perturbation,
          p.time_s,
          p.peak_gb,
          number(p.time_inflation, "%.2f"),
          number(p.memory_inflation, "%.2f"),
          csv_cell(p.note),
          m.model,
          m.dtype,
          count(m.scale),
          count(m.batch),
          count(m.sequence),
          count(m.threads),
          count(m.plain.milliseconds.size()),
          number(f.plain_ms, "%.2f"),
          number(median_of(m.watched.milliseconds), "%.2f"),
          number(f.time.median),
          number(f.time.low),
          number(f.time.high),
          number(f.twice.median),
          number(f.wide.median),
          number(f.over_bound),
          mib(m.plain.tensor_peak),
          mib(m.watched.tensor_peak),
          number(f.memory),
          number(f.memory_twice),
          mib(m.plain.process_peak),
          mib(m.watched.process_peak),
          number(f.process_memory),
          count(m.watched.operators),
          count(m.twice.operators),
          std::to_string(m.findings),
          csv_cell(m.failure)};
}

}  // namespace

Figures figures_of(const TableRow& row) {
  const Measurement& m = row.measured;
  Figures f;
  if (!m.failure.empty() || m.plain.milliseconds.empty()) return f;
  f.measured = true;
  f.plain_ms = median_of(m.plain.milliseconds);
  if (row.published.is_baseline()) {
    f.time = {1, 1, 1};
    f.memory = f.process_memory = 1;
    f.below_published = true;
    return f;
  }
  f.time = ratio_to_plain(m.watched, m.plain);
  f.twice = ratio_to_plain(m.twice, m.plain);
  f.wide = ratio_to_plain(m.wide, m.plain);
  f.memory = share(m.watched.tensor_peak, m.plain.tensor_peak);
  f.memory_twice = share(m.twice.tensor_peak, m.plain.tensor_peak);
  f.process_memory = share(m.watched.process_peak, m.plain.process_peak);
  const double bound = f.wide.median > 0 ? f.wide.median : f.twice.median;
  f.over_bound = bound > 0 ? f.time.median / bound : 0;
  f.below_published = f.time.median < row.published.time_inflation;
  return f;
}

std::string inflation_csv(const Table& table) {
  std::string text = csv_line({std::begin(kColumns), std::end(kColumns)}, "\n");
  for (const TableRow& row : table.rows) text += csv_line(csv_cells(row), "\n");
  return text;
}

std::string inflation_markdown(const Table& table) {
  std::string text;
  std::size_t measured = 0;
  std::size_t watched = 0;
  std::size_t below = 0;
  std::string model;
  for (const TableRow& row : table.rows) {
    const PublishedRow& p = row.published;
    const Figures f = figures_of(row);
    measured += f.measured ? 1 : 0;
    if (p.model != model) {
      model = p.model;
      text += "\n### " + model +
              "\n\n| row | type | plain, ms | time | middle half | run twice | … widened | memory | published time | memory |\n"
              "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
    }
    if (f.measured && !p.is_baseline()) {
      ++watched;
      below += f.below_published ? 1 : 0;
    }
    text += "| " + p.what() + " | " +
            (f.measured ? row.measured.dtype : "not measured" + (row.measured.failure.empty() ? "" : ": " + row.measured.failure)) +
            " | " + number(f.plain_ms, "%.1f") + " | " + number(f.time.median, "%.2f") + " | " +
            (p.is_baseline() || !f.measured ? "" : number(f.time.low, "%.2f") + "–" + number(f.time.high, "%.2f")) + " | " +
            number(f.twice.median, "%.2f") + " | " + number(f.wide.median, "%.2f") + " | " + number(f.memory, "%.2f") + " | " +
            number(p.time_inflation, "%.2f") + " | " + number(p.memory_inflation, "%.2f") + " |\n";
  }
  return std::to_string(measured) + " of " + std::to_string(table.rows.size()) + " rows measured; in " + std::to_string(below) +
         " of " + std::to_string(watched) + " watched rows a step takes less of its plain time than published.\n" +
         (table.machine.empty() ? "" : "\nMachine: " + table.machine + ". Command: `" + table.command + "`.\n") + text;
}

Status write_tables(const std::filesystem::path& folder, const Table& table) {
  if (Status s = write_file(folder / "inflation.csv", inflation_csv(table)); !s) return s;
  if (Status s = write_file(folder / "inflation.md", inflation_markdown(table)); !s) return s;
  if (Status s = write_file(folder / "inflation.svg", inflation_svg(table)); !s) return s;
  return write_inflation_page(folder / "report.html", table);
}

}  // namespace assay::bench
