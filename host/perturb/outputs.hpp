// The two runs of a call side by side: which output reacts most, and how strongly.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assay/sdk/value.hpp"
#include "perturb/change.hpp"
#include "perturb/perturb_results.hpp"

namespace assay {

/// The outputs of a forward run, or the gradients by argument of a backward run, flattened: "0", "1.0", "weight".
struct RunOutputs {
  std::vector<std::string> paths;
  std::vector<Value> flat;
  std::vector<Value> top;  ///< not flattened
};

/// Outputs of a forward run, gradients by argument of a backward run.
RunOutputs run_outputs(const Results& results, bool backward);

Spread spread_of(const std::vector<double>& values);

/// Three significant digits: for messages.
std::string format_short(double value);

/// The output that changed most.
struct OutputChange {
  std::string path;
  Change change;
  std::int64_t changed_elements = 0;  ///< of all outputs
  std::string problem;                ///< the runs gave outputs of another structure
  std::optional<WorstElement> element;
};

OutputChange compare_outputs(const RunOutputs& original, const RunOutputs& perturbed);

/// Gathers the runs of a row over its seeds.
class AmplificationTable {
 public:
  void add(const RunOutputs& original, const RunOutputs& perturbed, double input_change);

  /// Fills finding, message, output, output_change, amplification and worst of the output with the largest mean amplification.
  void fill(PerturbRow& row) const;

 private:
  struct Output {
    std::vector<double> amplifications;
    std::vector<double> changes;
    std::optional<WorstElement> worst;
    std::int64_t nan = 0;
    std::int64_t infinite = 0;
    std::int64_t finite = 0;
    std::int64_t discrete_changed = 0;
    std::int64_t discrete_count = 0;
  };
  std::vector<std::string> paths_;
  std::vector<Output> outputs_;
  std::string problem_;
  bool from_zero_ = false;             ///< an input of zeros was changed: no relative change
  std::int64_t discrete_changed_ = 0;  ///< values that are neither tensors nor numbers
};

}  // namespace assay
