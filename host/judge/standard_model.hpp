// A standard as the judge works with it: classes of APIs, limits, rules and kinds of judgement, decoded from its JSON file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/sdk/dtype.hpp"
#include "judge/judge.hpp"

namespace assay {

/// A set of element types: single ones by name, or "float", "half", "integer", "complex", "bool". Empty: every type.
struct DTypeSet {
  std::vector<std::string> names;

  [[nodiscard]] bool contains(assay_dtype dtype) const;
};

/// constant + eps * (spacing of the output's type at 1) + accumulated_eps * (spacing of the accumulator's type) * length^growth.
struct Formula {
  double constant = 0;
  double eps = 0;
  double accumulated_eps = 0;
};

/// A formula, or one for each set of types; the first that holds the type counts.
struct Limit {
  struct Entry {
    DTypeSet dtypes;
    Formula formula;
  };
  std::vector<Entry> entries;
};

enum class Relation { kAbove, kAtLeast, kBelow, kAtMost };

/// What a metric must satisfy. NaN satisfies nothing.
struct Condition {
  Relation relation = Relation::kAtMost;
  Limit limit;
};

enum class WhenMissing { kIgnore, kSkip, kError };

/// One step of the judgement, in the order of the file. The first error ends it; `accept` ends it with a pass.
struct Rule {
  std::string code;  ///< "ASSAY-CMP-020"
  std::string says;  ///< how the message begins; empty: the metric alone
  std::vector<std::string> classes;
  std::vector<std::string> other_than;  ///< classes that the rule leaves out
  DTypeSet dtypes;
  std::string metric;
  std::string over_input_scale;  ///< second measure: this metric divided by the scale of the inputs; the smaller of both counts
  std::optional<Condition> accept;
  std::optional<Condition> pass;
  std::optional<Condition> warning;
  Verdict otherwise = Verdict::kError;
  bool nan_passes = false;  ///< a metric that is NaN is content
  WhenMissing missing = WhenMissing::kIgnore;
};

/// How many terms one output element adds up.
enum class LengthRule { kOne, kReduced, kContraction, kLargestDim, kLastDim, kLargestInput };
/// The size that rounding errors have where terms cancel.
enum class ScaleRule { kNone, kInputs, kSum, kProduct };

/// APIs whose results err in the same way.
struct OperatorClass {
  std::string name;
  std::vector<std::string> apis;
  std::string gradient;  ///< class of the backward direction; empty: the same
  LengthRule length = LengthRule::kOne;
  double growth = 0.5;
  ScaleRule input_scale = ScaleRule::kNone;
};

/// An argument of the call: by position, or by keyword; `fallback` where the call leaves it out.
struct ArgumentSpec {
  std::optional<std::size_t> position;
  std::string name;
  std::optional<double> fallback;
};

enum class KindName { kDropout, kDistribution, kRange, kZeroCounts, kUninitialised, kIndices, kFactors };

/// A judgement other than by value, for APIs whose values are not determined.
struct Kind {
  KindName kind = KindName::kUninitialised;
  std::vector<std::string> apis;
  std::string direction;             ///< "forward", "backward"; empty: both
  std::optional<ArgumentSpec> when;  ///< only if this argument is above `above`
  double above = 0;

  bool if_grown = false;  ///< kUninitialised: only where the output has more elements than the first argument

  ArgumentSpec probability;              ///< kDropout: of a zero
  std::optional<ArgumentSpec> training;  ///< kDropout, kDistribution: 0 means that nothing is random
  std::size_t unit_dims = 0;             ///< kDropout: leading dimensions that are dropped as one; 0: every element by itself
  double pass_sigma = 3;                 ///< kDropout, kDistribution
  double warning_sigma = 5;
  double max_share = 0.1;  ///< kZeroCounts
  double min_elements = 0;

  std::size_t input = 0;                   ///< kIndices: position of the tensor that is indexed
  std::vector<std::size_t> index_outputs;  ///< kIndices
  std::optional<ArgumentSpec> dim;         ///< kIndices: absent: the tensor is flattened
  bool distinct = false;                   ///< kIndices: no index may occur twice along the dimension
  std::size_t spatial_dims = 0;            ///< kIndices: trailing dimensions that are indexed as one (pooling)

  std::string recipe;  ///< kFactors: how the matrix is rebuilt
};

/// What a user's pipeline asks for some APIs. At most one of `region` and `mask`.
struct Override {
  std::vector<std::string> apis;
  std::string direction;
  std::string class_name;
  std::optional<double> rtol;
  double atol = 0;
  std::optional<std::vector<std::size_t>> outputs;  ///< the outputs that count
  struct Region {
    std::int64_t dim = 0;
    std::int64_t start = 0;
    std::int64_t stop = 0;
    std::optional<ArgumentSpec> stop_argument;  ///< `stop` is the sum of its integers
    bool elsewhere_exact = false;
  };
  std::optional<Region> region;  ///< the rows that count
  struct Mask {
    ArgumentSpec argument;
    bool keeps_zeros = false;  ///< elements count where the mask is 0, else where it isn't
    bool elsewhere_exact = false;
  };
  std::optional<Mask> mask;  ///< the elements that count
  std::string precision;     ///< of the reference; empty: the pipeline's
};

enum class ScalarPolicy { kTolerance, kEqual, kError };
enum class MismatchPolicy { kError, kCompare };

struct Standard::Body {
  std::string name;
  std::string description;
  std::vector<std::pair<std::string, std::string>> comparisons;  ///< configuration (JSON) by component
  bool round_expected = false;
  ScalarPolicy scalars = ScalarPolicy::kTolerance;
  MismatchPolicy dtype_mismatch = MismatchPolicy::kError;
  std::vector<DTypeSet> dtype_families;  ///< kCompare: both types must be of one family; empty: any
  Verdict empty = Verdict::kPass;
  Verdict one_sided_gradient = Verdict::kSkip;
  double nudge_factor = 0;  ///< 0: conditioning is not looked at
  std::string accumulates_in = "float32";
  std::vector<OperatorClass> classes;
  std::vector<Kind> kinds;
  std::vector<Rule> rules;
  std::vector<Override> overrides;
};

/// The first entry that names the API in this direction; null: none.
const Override* find_override(const Standard::Body& standard, std::string_view api, std::string_view direction);

/// Spacing of the type's numbers at 1; 0 for integers and bool.
double dtype_epsilon(assay_dtype dtype);

/// The limit as a number for one output.
double evaluate(const Limit& limit, assay_dtype dtype, assay_dtype accumulator, double length, double growth);
bool holds(Relation relation, double value, double limit);
std::string_view relation_name(Relation relation);

/// Whether a pattern names the API: matched against "Tensor.add_", "add_", and both without the in-place underscore; for a dotted
/// name ("Torch.linalg.qr") against its last part too.
bool names_api(std::string_view pattern, std::string_view api);
bool names_api(const std::vector<std::string>& patterns, std::string_view api);

}  // namespace assay
