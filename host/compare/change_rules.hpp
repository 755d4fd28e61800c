// When an error counts as grown or shrunk between two runs; data in configs/standards/compare/changes.json.
//
//   Result<ChangeRules> rules = ChangeRules::load(share_folder() / "standards" / "compare" / "changes.json");
//   double ratio = rules->find("max_ulp")->ratio("float32", 8, 1);  // 8 against the floor of 2: 4
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "compare/precision_standard.hpp"

namespace assay {

/// How two values of one metric are compared.
struct ChangeRule {
  ByDtype floor;
  std::optional<double> best;  ///< the perfect value of a metric where more is better; the error is the distance from it

  /// Tested error over baseline error, neither below the floor of the dtype; 1: both within the floor or both NaN; infinity: the
  /// error is there, infinite or NaN, on the tested side only; 0: NaN on the baseline's side only.
  [[nodiscard]] double ratio(const std::string& dtype, double tested, double baseline) const;
};

class ChangeRules {
 public:
  /// errors  kInput, all problems at once as file + JSON pointer
  static Result<ChangeRules> load(const std::filesystem::path& path);

  /// Null: the metric doesn't count.
  [[nodiscard]] const ChangeRule* find(const std::string& metric) const;

  double factor = 2;

 private:
  std::map<std::string, ChangeRule> rules_;
};

}  // namespace assay
