// A row of a page, whatever kind of run it is from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "judge/judge.hpp"
#include "report/html/markup.hpp"

namespace assay::html {

/// What is shown when a row is opened.
struct RowDetail {
  std::string reason;  ///< code
  std::vector<Fact> facts;
  std::vector<std::optional<double>> metrics;
  std::vector<std::vector<std::string>> elements;  ///< the worst first
  std::vector<std::pair<std::uint32_t, double>> histogram;
};

struct Row {
  std::size_t position = 0;  ///< of its call in the run
  std::string call;          ///< "Functional.linear.3": rows of one call belong together
  std::string name;          ///< "Functional.linear.3.forward.output.0"
  Verdict verdict = Verdict::kNone;
  std::vector<std::optional<double>> numbers;  ///< parallel to PageSetup::columns
  std::string message;
  double severity = 0;  ///< orders rows of one verdict among the worst
  RowDetail detail;
};

}  // namespace assay::html
