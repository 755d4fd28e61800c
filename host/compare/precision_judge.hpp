// Judges the details of one run of the PyTorch checker by the details of another, by a precision standard: is the tested device
// further from the reference than the trusted device is?
//
//   PrecisionJudge judge(standard);
//   std::vector<PrecisionRow> rows = judge.rows(tested, baseline);
//   std::vector<PrecisionResult> results = judge.results(rows);
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "compare/precision_standard.hpp"
#include "compare/table.hpp"

namespace assay {

/// What a row is judged by: the tested run's own number, or its ratio to the baseline's.
enum PrecisionFigure : std::size_t {
  kSmallValueRatio,
  kRmseRatio,
  kMaxRelRatio,
  kMeanRelRatio,
  kBalanceFigure,
  kInfNanFigure,
  kRelativeFigure,
  kAbsoluteFigure,
  kErrorRateFigure,
  kUlpMeanFigure,
  kUlpShareFigure,
  kUlpShareRatio,
  kThousandthFigure,
  kFigureCount
};

struct Figure {
  std::optional<double> value;      ///< absent: not looked at, or not available
  Verdict status = Verdict::kNone;  ///< kNone: not looked at, or without a status of its own
};

/// The judgement on one output.
struct PrecisionRow {
  std::string name;
  Verdict verdict = Verdict::kNone;
  std::optional<Algorithm> algorithm;  ///< absent: the row was not judged
  std::string message;
  std::string peer_message;  ///< what the tested table says about the row
  std::string dtype;
  std::array<Figure, kFigureCount> figures;
};

/// The judgement on one API.
struct PrecisionResult {
  std::string stem;
  Verdict forward = Verdict::kNone;
  Verdict backward = Verdict::kNone;
  std::string message;
};

class PrecisionJudge {
 public:
  explicit PrecisionJudge(const PrecisionStandard& standard) : standard_(standard) {}

  /// A row for each row of `tested` that `baseline` has too, and for each whose name can't be taken apart, in the order of
  /// `tested`.
  [[nodiscard]] std::vector<PrecisionRow> rows(const Table& tested, const Table& baseline) const;

  /// One for each API, in order of first appearance.
  [[nodiscard]] std::vector<PrecisionResult> results(const std::vector<PrecisionRow>& rows) const;

 private:
  [[nodiscard]] PrecisionRow judge(const TableRow& tested, const TableRow& baseline) const;

  const PrecisionStandard& standard_;
};

/// |tested| / max(|baseline|, smallest). Where one of them is not finite: NaN, and `consistent` says whether both are the same.
struct ErrorRatio {
  double value = 0;
  bool finite = true;
  bool consistent = true;
};
ErrorRatio error_ratio(double tested, double baseline, double smallest);

/// "Functional", "Torch.fft": names of a details row have 6 or 7 parts with a direction before the last two.
bool is_details_name(const std::string& name);

}  // namespace assay
