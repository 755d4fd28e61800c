// The measured table beside the published one: CSV, Markdown, a picture, a page.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "measurement.hpp"
#include "rows.hpp"

namespace assay::bench {

struct TableRow {
  PublishedRow published;
  Measurement measured;
};

struct Table {
  std::vector<TableRow> rows;
  std::string command;  ///< that repeats it
  std::string machine;  ///< "AMD EPYC, 2 processors"
};

/// Numbers of a row as tables and pictures show them.
struct Figures {
  bool measured = false;
  double plain_ms = 0;
  Ratio time, twice, wide;
  double memory = 0;          ///< by the allocator, relative to the plain step
  double process_memory = 0;  ///< resident
  double memory_twice = 0;
  /// Time over the bound that computes what the check has to: in the wider type where precision is improved.
  double over_bound = 0;
  /// Below the published row; for a baseline, true.
  bool below_published = false;
};
Figures figures_of(const TableRow& row);

std::string inflation_csv(const Table& table);
std::string inflation_markdown(const Table& table);
std::string inflation_svg(const Table& table);
Status write_inflation_page(const std::filesystem::path& path, const Table& table);

/// All four in a folder: inflation.csv, inflation.md, inflation.svg, report.html.
Status write_tables(const std::filesystem::path& folder, const Table& table);

}  // namespace assay::bench
