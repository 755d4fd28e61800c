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

/// The rule that decided: which number against which limit.
struct Decision {
  std::string metric;  ///< "max_scaled_error"
  double value = 0;
  double limit = 0;
};

struct OutputVerdict {
  Verdict verdict = Verdict::kNone;
  std::string reason;     ///< code: "ASSAY-CMP-004"; empty for a plain pass
  std::string message;    ///< one line: metric, value, limit, tolerance that would pass
  std::string judged_as;  ///< the class or kind of the API in the standard: "reduction", "exact", "random"
  std::optional<Decision> decision;
  std::vector<MetricValue> metrics;
  std::optional<WorstElement> worst;
  std::vector<WorstElement> next_worst;  ///< the elements that follow it in the same ordering, worst first
};

/// One API direction under judgement. Everything is borrowed for the call.
struct Judgement {
  std::string api;                                   ///< "Functional.linear"
  std::string direction;                             ///< "forward" or "backward"
  const std::vector<Value>* args = nullptr;          ///< forward arguments; for statistical and length-derived rules
  const std::vector<NamedValue>* kwargs = nullptr;   ///< forward keyword arguments
  const std::vector<Value>* grad_outputs = nullptr;  ///< backward: the gradients that arrive
  std::vector<const Value*> actual;                  ///< outputs of the target
  std::vector<const Value*> expected;  ///< outputs of the reference as it computed them; the judge rounds them to the actual dtype
  /// Outputs of the reference on inputs moved by about one unit in the last place, one list for each run (up and down); empty: not
  /// run. An error no larger than what such a move does to the result is the input's conditioning, not the operator's fault.
  std::vector<std::vector<const Value*>> nudged;
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
  /// overrides  a JSON object of the user's pipeline, merged over the standard (see docs/standards.md); empty: none
  /// errors     kInput, all problems at once as file + JSON pointer
  static Result<Standard> load(const std::filesystem::path& path, std::string_view overrides = {});

  [[nodiscard]] const std::string& name() const;

  /// Every metric that a rule looks at: what the comparisons have to be configured to give.
  [[nodiscard]] std::vector<std::string> metrics() const;

  /// How the standard wants a comparison configured where the pipeline doesn't say: a JSON object; "{}": as it comes.
  [[nodiscard]] std::string comparison_config(std::string_view component) const;

  /// The reference's precision that a pipeline's overrides ask for an API; "": none.
  [[nodiscard]] std::string precision_of(std::string_view api, std::string_view direction) const;

  /// Whether an output with an error is worth a second judgement with `nudged` outputs.
  [[nodiscard]] bool wants_nudge() const;

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

/// What the reason codes mean, for `assay explain CODE`; data in configs/standards/reasons.json.
struct Reason {
  std::string code;     ///< "ASSAY-CMP-004"
  std::string title;    ///< one clause
  std::string meaning;  ///< what was observed
  std::string action;   ///< what to do next
};

class Reasons {
 public:
  /// errors  kInput, all problems at once as file + JSON pointer
  static Result<Reasons> load(const std::filesystem::path& path);

  /// Null: no such code.
  [[nodiscard]] const Reason* find(std::string_view code) const;
  [[nodiscard]] const std::vector<Reason>& all() const { return reasons_; }

 private:
  std::vector<Reason> reasons_;
};

class Judge {
 public:
  /// errors  kInput: a rule names a metric that no comparison has
  static Result<Judge> create(Standard standard, std::vector<ComparisonHandle> comparisons);

  /// Every scalar-valued metric column of the judge, in table order: "cosine", "max_abs_error", ...
  [[nodiscard]] std::vector<std::string> metric_names() const;

  /// See Standard::precision_of.
  [[nodiscard]] std::string precision_of(std::string_view api, std::string_view direction) const;

  /// One verdict for each output (kNone where both sides have None); a missing output, a shape or a dtype that differs is an error,
  /// never a skip. [any-thread]
  [[nodiscard]] std::vector<JudgedOutput> judge(const Judgement& judgement) const;

 private:
  struct Body;
  std::shared_ptr<const Body> body_;
};

}  // namespace assay
