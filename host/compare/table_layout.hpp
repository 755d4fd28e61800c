// Which columns of which table hold what.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "compare/table.hpp"

namespace assay {

/// Positions in a record; absent: the table has no such column.
struct TableLayout {
  TableKind kind = TableKind::kTorchDetails;
  std::size_t columns = 0;
  std::size_t name = 0;
  std::optional<std::size_t> dtype, shape, verdict, message;
  std::optional<std::size_t> forward, backward;  ///< of result tables
  std::vector<std::pair<std::string, std::size_t>> metrics;

  [[nodiscard]] bool is_result() const { return kind == TableKind::kPeerResult || kind == TableKind::kAssayResult; }
};

/// errors  kInput: a column twice, another separator, no table that we know
Result<TableLayout> find_layout(const std::vector<std::string>& header, const std::string& path);

}  // namespace assay
