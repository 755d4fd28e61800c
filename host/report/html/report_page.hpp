// The page of a run, whatever kind of run it was: a headline, the worst rows, sections, every row with its detail.
//
//   html::ReportPage page({.columns = {"max ulp"}, .metrics = names, .element_columns = {"index", "actual", "expected", "ulp"}});
//   page.add(row);                               // in the order of the run
//   Status s = page.render(frame, output);       // as often as wanted
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "report/html/details.hpp"
#include "report/html/markup.hpp"
#include "report/html/row_columns.hpp"

namespace assay::html {

struct PageSetup {
  std::vector<std::string> columns;          ///< of numbers, in the table of rows
  std::vector<std::string> metrics;          ///< names of RowDetail::metrics
  std::vector<std::string> element_columns;  ///< of RowDetail::elements
  std::string command;       ///< the run's; a call is shown again by adding --api to it. Empty: it can't be repeated
  std::string histogram_of;  ///< what RowDetail::histogram counts
};

/// A count in the page's head.
struct Tile {
  std::string label;
  std::size_t count = 0;
  std::string style;  ///< a verdict's name
};

/// What stands around the rows.
struct PageFrame {
  std::string title;
  std::string headline;
  std::string style;  ///< a verdict's name
  std::vector<Tile> tiles;
  std::vector<Fact> facts;
  std::string sections;  ///< HTML
  std::string run;       ///< HTML: how to repeat it, versions, configuration
  bool live = false;     ///< served: the page asks for news
};

class ReportPage {
 public:
  /// More rows make a page that no browser opens, and need memory while it is made; what comes after them counts only if it is
  /// among the worst.
  static constexpr std::size_t kMaxRows = 100000;

  explicit ReportPage(PageSetup setup) : setup_(std::move(setup)), columns_(setup_.columns.size()) {}

  Status add(Row row);
  [[nodiscard]] std::size_t row_count() const { return row_count_; }
  /// The name of the worst row; empty: nothing is wrong.
  [[nodiscard]] std::string worst_name() const { return worst_.empty() ? "" : worst_.front().row.name; }

  [[nodiscard]] Status render(const PageFrame& frame, const Output& out) const;

 private:
  struct Worst {
    std::size_t number;  // of the row; from kMaxRows on it isn't on the page
    Row row;
  };
  void keep_worst(const Row& row);
  [[nodiscard]] std::string worst_list() const;
  void keep_static(const Row& row);
  [[nodiscard]] Status write_data(const Output& out) const;

  PageSetup setup_;
  std::size_t row_count_ = 0;
  RowColumns columns_;  // of the first rows
  DetailStore details_;
  std::string static_rows_;  // <tr>, of the first rows
  std::vector<Worst> worst_;
  std::vector<std::string> reasons_;  // those that rows have
};

/// The command that shows one call again.
std::string show_again(const std::string& command, const std::string& call);

}  // namespace assay::html
