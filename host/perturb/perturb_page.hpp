// The page of `assay perturb`: every perturbation with its amplification, which operators amplify most, what it cost.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "perturb/perturb_sink.hpp"
#include "perturb/ranking.hpp"
#include "report/html/charts.hpp"
#include "report/html/report_page.hpp"

namespace assay {

class PerturbPage {
 public:
  explicit PerturbPage(const PerturbInfo& info);

  Status add(const PerturbReport& report);
  [[nodiscard]] std::size_t row_count() const { return page_.row_count(); }

  /// `seconds` and `complete` of the run; 0: not over yet.
  [[nodiscard]] Status render(double seconds, bool complete, bool live, const Output& out) const;

 private:
  [[nodiscard]] std::string sections(const PerturbSummary& summary) const;

  PerturbInfo info_;
  html::ReportPage page_;
  Ranking ranking_;
  std::size_t call_count_ = 0;
  std::vector<html::DriftPoint> forward_, backward_;
  std::map<std::string, html::Spread> spreads_;  // by operator
  std::map<std::string, double> milliseconds_;   // by operator
};

}  // namespace assay
