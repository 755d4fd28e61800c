// Orders operators by instability and adds up counts and cost of a run.
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "perturb/perturb_results.hpp"

namespace assay {

class Ranking {
 public:
  void add(const PerturbReport& report);
  /// Fills counts, ranking, costs and plain_seconds.
  void fill(PerturbSummary& summary) const;

 private:
  struct Cost {
    double plain_ms = 0;
    double whole_ms = 0;
  };

  PerturbCounts counts_;
  std::map<std::tuple<std::string, std::string, std::string>, RankedOperator> operators_;
  std::map<std::string, Cost> costs_;
  std::vector<std::string> order_;  ///< perturbations as they came
  double plain_ms_ = 0;
};

}  // namespace assay
