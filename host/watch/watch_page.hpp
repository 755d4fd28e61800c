// The page of a watched job: its findings, when and where in the model they are, which operators were checked at which cost.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "report/html/charts.hpp"
#include "report/html/report_page.hpp"
#include "watch/stored_watch.hpp"

namespace assay {

class WatchPage {
 public:
  /// `folder` names the page.
  explicit WatchPage(std::string folder);

  Status add(const StoredWatchRow& row);
  [[nodiscard]] Status render(const StoredWatch& watch, const Output& out) const;

 private:
  struct Totals {
    std::size_t rows = 0;
    std::size_t errors = 0;
    std::size_t warnings = 0;
    std::optional<double> largest;
    std::set<std::int64_t> steps;
    double microseconds = 0;
  };
  [[nodiscard]] std::string operators() const;
  [[nodiscard]] std::string sections(const StoredWatch& watch) const;

  std::string folder_;
  html::ReportPage page_;
  std::map<std::string, Totals> totals_;                         // by operator
  std::map<std::string, html::Spread> spreads_;                  // by operator
  std::map<std::int64_t, html::DriftPoint> forward_, backward_;  // the largest of each step
  std::size_t errors_ = 0;
  std::size_t warnings_ = 0;
  std::size_t passed_ = 0;
};

/// report.html of the watch in `folder`, written into `out`. errors  those of StoredWatch; kInput: the file can't be written
Status write_watch_page(const std::filesystem::path& folder, const std::filesystem::path& out);

}  // namespace assay
