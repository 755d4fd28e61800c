// Turns a pair of tensors into metrics and a verdict, by a standard (data in configs/standards).
//
//   Result<Standard> standard = Standard::load(path);
//   Judge judge(*standard, comparisons);
//   OutputVerdict verdict = judge.tensors({...});
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/abi/comparison.h"
#include "assay/sdk/value.hpp"
#include "base/result.hpp"

namespace assay {

/// Ordered by severity: the verdict of a direction is the largest of its outputs'.
enum class Verdict { kNone, kSkip, kPass, kWarning, kError };

/// "", "skip", "pass", "warning", "error".
std::string_view verdict_name(Verdict verdict);

struct MetricValue {
  const assay_metric_info* info = nullptr;  ///< borrowed from the comparison
  bool available = false;
  std::vector<double> numbers;
};

/// The element that is worst by the standard's ordering, with both values as text.
struct WorstElement {
  std::vector<std::int64_t> index;
  std::string actual;
  std::string expected;
  std::optional<double> ulp;
};

struct OutputVerdict {
  Verdict verdict = Verdict::kNone;
  std::string reason;   ///< code: "ASSAY-CMP-004"; empty for a plain pass
  std::string message;  ///< one line: metric, value, limit, tolerance that would pass
  std::vector<MetricValue> metrics;
  std::optional<WorstElement> worst;
};

/// One API direction under judgement.
struct Judgement {
  std::string api;                     ///< "Functional.linear"
  std::string direction;               ///< "forward" or "backward"
  const std::vector<Value>* args = nullptr;         ///< forward arguments; for statistical and length-derived rules
  const std::vector<NamedValue>* kwargs = nullptr;  ///< forward keyword arguments
  std::vector<const Value*> actual;    ///< outputs of the target
  std::vector<const Value*> expected;  ///< outputs of the reference as computed, float64 as a rule; rounded to the
                                         ///< actual's dtype by the judge where the standard says so
  std::uint32_t max_threads = 1;
};

/// The verdict on one output; nested lists are flattened, so path is "0", "1", "2.0".
struct JudgedOutput {
  std::string path;
  const Value* actual = nullptr;    ///< null: the target has no such output
  const Value* expected = nullptr;  ///< null: the reference has no such output
  OutputVerdict verdict;
};

/// A standard: which rules over which metrics, per dtype and API, and what their reason codes mean.
class Standard {
 public:
  /// errors  kInput, all problems at once as file + JSON pointer
  static Result<Standard> load(const std::filesystem::path& path);

  [[nodiscard]] const std::string& name() const;

  struct Body;
  [[nodiscard]] const Body& body() const { return *body_; }

 private:
  std::shared_ptr<const Body> body_;
};

/// An instance of a comparison component; borrowed, must outlive the judge.
struct ComparisonHandle {
  std::string id;
  const assay_comparison* table = nullptr;
  const assay_instance* instance = nullptr;
};

class Judge {
 public:
  /// errors  kInput: a rule names a metric that no comparison has
  static Result<Judge> create(Standard standard, std::vector<ComparisonHandle> comparisons);

  /// Every scalar-valued metric column of the judge, in table order: "cosine", "max_abs_error", ...
  [[nodiscard]] std::vector<std::string> metric_names() const;

  /// One verdict for each output; a missing output, a shape or a dtype that differs is an error, never a skip. [any-thread]
  [[nodiscard]] std::vector<JudgedOutput> judge(const Judgement& judgement) const;

 private:
  struct Body;
  std::shared_ptr<const Body> body_;
};

}  // namespace assay
