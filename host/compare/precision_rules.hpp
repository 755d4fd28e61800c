// The algorithms of a precision standard, applied to one pair of rows.
#pragma once

#include <string>
#include <vector>

#include "compare/precision_judge.hpp"

namespace assay {

class PrecisionRules {
 public:
  /// Everything is borrowed. api, dtype  as PrecisionStandard::Question has them
  PrecisionRules(const PrecisionStandard& standard, const std::string& api, const std::string& dtype, const TableRow& tested,
                 const TableRow& baseline)
      : standard_(standard), api_(api), dtype_(dtype), tested_(tested), baseline_(baseline) {}

  /// Fills figures, verdict and message by row.algorithm. A number that is not available is said and doesn't count; when none is
  /// available the row is skipped; one that only one side lacks makes the row a warning.
  void apply(PrecisionRow& row);

 private:
  void benchmark(PrecisionRow& row);
  void ulp(PrecisionRow& row);
  void zero(PrecisionRow& row, PrecisionFigure figure, TorchMetric metric);
  void absolute(PrecisionRow& row);
  void accumulative(PrecisionRow& row);
  void thousandth(PrecisionRow& row);

  /// The ratio of a metric against an inclusive limit.
  void ratio(PrecisionRow& row, PrecisionFigure figure, TorchMetric metric, double limit, bool counts);
  /// The tested run's own number, looked at.
  std::optional<double> own(TorchMetric metric);
  void unavailable(TorchMetric metric, bool in_tested, bool in_baseline);
  void failed(const std::string& what);

  const PrecisionStandard& standard_;
  const std::string& api_;
  const std::string& dtype_;
  const TableRow& tested_;
  const TableRow& baseline_;
  std::size_t judged_ = 0;  // numbers that could be looked at
  bool lopsided_ = false;   // one side has a number that the other lacks
  std::vector<std::string> failures_;
  std::vector<std::string> remarks_;
};

}  // namespace assay
