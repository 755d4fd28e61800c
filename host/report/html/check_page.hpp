// The page of a check (or of a comparison of two dumps): every output with its error, where in the run it starts, which operators
// it comes from.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/html/charts.hpp"
#include "report/html/report_page.hpp"
#include "report/html/thinned_values.hpp"
#include "report/sink.hpp"

namespace assay::html {

class CheckPage {
 public:
  explicit CheckPage(const RunInfo& info);

  Status add(const ApiResult& result);
  [[nodiscard]] std::size_t row_count() const { return page_.row_count(); }

  /// `more` is HTML that stands before the other sections.
  [[nodiscard]] Status render(const RunSummary& summary, const std::string& more, bool live, const Output& out) const;

 private:
  /// What is known about one operator over all its calls.
  struct Totals {
    std::size_t calls = 0, errors = 0, warnings = 0, skips = 0;
    std::optional<double> max_ulp, bits;
    double target_ms = 0, reference_ms = 0;
    std::uint64_t peak_bytes = 0;  // of one direction of one call
    ThinnedValues ulps;            // of each output
  };
  struct Direction;

  Status add_direction(const ApiResult& result, bool backward);
  [[nodiscard]] std::optional<double> metric(const OutputRow& output, const char* name) const;
  [[nodiscard]] Row judged(const ApiResult& result, const DirectionResult& direction, const OutputRow& output) const;
  [[nodiscard]] std::string headline(const RunSummary& summary) const;
  [[nodiscard]] std::string sections() const;
  [[nodiscard]] std::string operators() const;
  [[nodiscard]] std::string costs() const;

  RunInfo info_;
  std::map<std::string, std::size_t> metric_index_;
  std::vector<std::size_t> shown_metrics_;
  ReportPage page_;
  std::size_t call_count_ = 0;
  std::vector<DriftPoint> forward_, backward_;
  std::vector<double> histogram_;
  std::map<std::string, Totals> totals_;
};

}  // namespace assay::html
