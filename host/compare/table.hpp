// Result tables as CSV: the details and result files of MindStudio Probe's checkers, and ours.
//
//   Result<Table> table = Table::read("accuracy_checking_details_20260801120000.csv");
//   if (table->kind == TableKind::kTorchDetails) judge(table->rows);
//
// Columns are found by name, so their order and additional ones don't matter. A blank cell is "not available", never a number. What
// is odd in a row is noted and the rest of the table goes on.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "compare/result_set.hpp"

namespace assay {

enum class TableKind {
  kTorchDetails,  ///< the PyTorch checker's accuracy_checking_details: what the precision standards judge
  kMintDetails,   ///< the mint checker's accuracy_checking_details
  kPeerResult,    ///< accuracy_checking_result: a verdict for each direction
  kAssayDetails,  ///< details.csv of assay
  kAssayResult    ///< result.csv of assay
};

/// "details of MindStudio Probe's PyTorch checker".
const char* table_kind_name(TableKind kind);

/// Metric columns of the PyTorch checker's details, in the order of TableRow::metrics.
enum TorchMetric : std::size_t {
  kSmallValueShare,
  kRmse,
  kMaxRelError,
  kMeanRelError,
  kErrorBalance,
  kErrorRate,
  kInfNanRate,
  kRelativeRate,
  kAbsoluteRate,
  kUlpMean,
  kUlpShare,
  kThousandth,
  kTorchMetricCount
};

/// One output of a details table.
struct TableRow {
  std::size_t line = 0;
  std::string name;  ///< as written
  std::string dtype;
  std::string shape;
  Verdict verdict = Verdict::kNone;
  std::string message;
  std::vector<std::optional<double>> metrics;  ///< parallel to Table::metric_names
  bool contradicted = false;                   ///< another row has this name and says something else
};

struct Table {
  TableKind kind = TableKind::kTorchDetails;
  std::string path;
  std::vector<std::string> metric_names;
  std::vector<TableRow> rows;  ///< of details tables, in file order; a row that repeats another one exactly is left out
  ResultSet results;           ///< the same by direction; its notes are the table's

  /// errors  kInput: those of CsvReader, no header that we know (with what is missing)
  static Result<Table> read(const std::filesystem::path& path);
};

}  // namespace assay
