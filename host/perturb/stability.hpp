// How strongly an operator may amplify a change of its inputs, by operator and dtype: data in configs/standards/stability.json.
//
//   Result<StabilityStandard> standard = StabilityStandard::load(path);
//   StabilityLimit limit = standard->limit_for("Functional.layer_norm", kFloat32);
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "assay/sdk/dtype.hpp"
#include "base/result.hpp"

namespace assay {

struct StabilityLimit {
  std::string expected;      ///< the class of operators: "reduction"
  double amplification = 0;  ///< the largest that is expected
};

class StabilityStandard {
 public:
  /// errors  kInput, all problems at once as file + JSON pointer
  static Result<StabilityStandard> load(const std::filesystem::path& path);

  /// The first class that lists the operator: its name without prefix, the underscores of in-place and operator forms.
  [[nodiscard]] StabilityLimit limit_for(const std::string& api, assay_dtype dtype) const;

 private:
  struct Class {
    std::string name;
    std::vector<std::string> apis;
    std::map<std::string, double> amplification;  ///< by dtype, and "default"
  };
  std::vector<Class> classes_;
};

/// "Tensor.add_" -> "add", "Tensor.__mul__" -> "mul", "Torch.fft.rfft" -> "rfft".
std::string operator_name(const std::string& api);

}  // namespace assay
