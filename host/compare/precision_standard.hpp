// Rules by which the details of two runs of the PyTorch checker are compared: which algorithm judges a row, and its limits. Data in
// configs/standards/compare.
//
//   Result<PrecisionStandard> standard = PrecisionStandard::load(share_folder() / "standards" / "compare" /
//   "msprobe-2026-08.json"); Algorithm algorithm = standard->choose({"matmul", "float32", false});
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace assay {

enum class Algorithm { kBenchmark, kUlp, kBinary, kAbsolute, kThousandth, kAccumulative };

/// A number by dtype; "default" stands for the dtypes that are not named.
class ByDtype {
 public:
  std::map<std::string, double> values;
  [[nodiscard]] double at(const std::string& dtype) const;
};

class JsonCursor;
/// The object under `key`; a missing key or one without a default is a problem.
ByDtype read_by_dtype(JsonCursor& parent, const char* key);

struct UlpLimits {
  std::vector<std::string> dtypes;
  std::optional<double> mean_below, share_below, share_ratio_below;  ///< one that holds is enough
};

struct BenchmarkLimits {
  double small_value = 0, rmse = 0, max_relative = 0, mean_relative = 0;
  double balance = 0;  ///< has a status of its own and doesn't count
};

class PrecisionStandard {
 public:
  /// errors  kInput, all problems at once as file + JSON pointer
  static Result<PrecisionStandard> load(const std::filesystem::path& path);

  struct Question {
    std::string api;    ///< without type and index: "matmul"
    std::string dtype;  ///< of the output: "float32"
    bool float8_input = false;
  };
  [[nodiscard]] Algorithm choose(const Question& question) const;
  [[nodiscard]] const BenchmarkLimits& benchmark_limits(const std::string& api) const;
  /// Null: no limits for the dtype.
  [[nodiscard]] const UlpLimits* ulp_limits(const std::string& dtype) const;
  [[nodiscard]] bool judges(const std::string& dtype, const std::string& shape) const;

  std::string name;
  std::string warning_word;
  ByDtype smallest_denominator;
  ByDtype accumulative_balance;
  double thousandth_at_least = 0;
  std::vector<std::string> unjudged_dtypes;
  std::vector<std::string> unjudged_shapes;

 private:
  friend class PrecisionStandardReader;
  struct Choice {
    Algorithm algorithm = Algorithm::kBenchmark;
    std::vector<std::string> apis, dtypes, dtypes_except;  // empty: no condition
    bool float8_input = false;
  };
  struct Level {
    std::vector<std::string> apis;
    BenchmarkLimits limits;
  };
  std::vector<Choice> choices_;  // the last one has no condition
  std::vector<Level> levels_;    // likewise
  std::vector<UlpLimits> ulp_;
};

}  // namespace assay
