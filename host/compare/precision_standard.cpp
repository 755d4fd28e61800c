#include "compare/precision_standard.hpp"

#include <algorithm>

#include "config/json.hpp"
#include "judge/json_cursor.hpp"

namespace assay {

namespace {

constexpr std::pair<std::string_view, Algorithm> kAlgorithms[] = {
    {"benchmark", Algorithm::kBenchmark},   {"ulp", Algorithm::kUlp},
    {"binary", Algorithm::kBinary},         {"absolute", Algorithm::kAbsolute},
    {"thousandth", Algorithm::kThousandth}, {"accumulative", Algorithm::kAccumulative}};

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

double required_number(JsonCursor& at, const char* key) {
  const std::optional<double> value = at.number(key);
  if (!value && !at.has(key)) at.problem("'" + std::string(key) + "' is missing");
  return value.value_or(0);
}

}  // namespace

ByDtype read_by_dtype(JsonCursor& parent, const char* key) {
  ByDtype out;
  std::optional<JsonCursor> at = parent.member(key);
  if (!at) {
    parent.problem("'" + std::string(key) + "' is missing");
    return out;
  }
  if (!at->require_object()) return out;
  for (const auto& entry : at->value().GetObject()) {
    const std::string dtype(entry.name.GetString(), entry.name.GetStringLength());
    out.values[dtype] = required_number(*at, dtype.c_str());
  }
  if (out.values.count("default") == 0) at->problem("'default' is missing");
  return out;
}

class PrecisionStandardReader {
 public:
  explicit PrecisionStandardReader(PrecisionStandard& out) : out_(out) {}

  void read(JsonCursor& root) {
    if (!root.require_object()) return;
    root.text("$schema");
    root.text("description");
    out_.name = root.required_text("name");
    out_.warning_word = root.text("warning_word", "warning");
    if (auto at = root.member("not_judged")) {
      out_.unjudged_dtypes = at->texts("dtypes");
      out_.unjudged_shapes = at->texts("shapes");
      at->refuse_unknown_keys();
    }
    root.for_each("algorithms", [&](JsonCursor& at) { read_choice(at); });
    root.for_each("ulp", [&](JsonCursor& at) { read_ulp(at); });
    root.for_each("benchmark", [&](JsonCursor& at) { read_level(at); });
    out_.smallest_denominator = read_by_dtype(root, "smallest_denominator");
    if (auto at = root.member("accumulative")) {
      out_.accumulative_balance = read_by_dtype(*at, "balance");
      at->refuse_unknown_keys();
    } else {
      root.problem("'accumulative' is missing");
    }
    if (auto at = root.member("thousandth")) {
      out_.thousandth_at_least = required_number(*at, "at_least");
      at->refuse_unknown_keys();
    } else {
      root.problem("'thousandth' is missing");
    }
    require_ends(root);
    root.refuse_unknown_keys();
  }

 private:
  void read_choice(JsonCursor& at) {
    if (!at.require_object()) return;
    PrecisionStandard::Choice choice;
    if (!at.has("algorithm")) at.problem("'algorithm' is missing");
    choice.algorithm = at.choice("algorithm", Algorithm::kBenchmark, kAlgorithms);
    choice.apis = at.texts("apis");
    choice.dtypes = at.texts("output_dtypes");
    choice.dtypes_except = at.texts("output_dtypes_except");
    choice.float8_input = at.flag("float8_input", false);
    at.refuse_unknown_keys();
    out_.choices_.push_back(std::move(choice));
  }

  void read_ulp(JsonCursor& at) {
    if (!at.require_object()) return;
    UlpLimits limits;
    limits.dtypes = at.texts("dtypes");
    limits.mean_below = at.number("mean_below");
    limits.share_below = at.number("share_below");
    limits.share_ratio_below = at.number("share_ratio_below");
    at.refuse_unknown_keys();
    out_.ulp_.push_back(std::move(limits));
  }

  void read_level(JsonCursor& at) {
    if (!at.require_object()) return;
    PrecisionStandard::Level level;
    level.apis = at.texts("apis");
    if (auto limits = at.member("limits"); limits && limits->require_object()) {
      level.limits.small_value = required_number(*limits, "small_value");
      level.limits.rmse = required_number(*limits, "rmse");
      level.limits.max_relative = required_number(*limits, "max_relative");
      level.limits.mean_relative = required_number(*limits, "mean_relative");
      level.limits.balance = required_number(*limits, "balance");
      limits->refuse_unknown_keys();
    } else if (!limits) {
      at.problem("'limits' is missing");
    }
    at.refuse_unknown_keys();
    out_.levels_.push_back(std::move(level));
  }

  /// Both lists end with an entry for everything that is left, so a search always finds one.
  void require_ends(JsonCursor& root) {
    const auto open = [](const PrecisionStandard::Choice& c) {
      return c.apis.empty() && c.dtypes.empty() && c.dtypes_except.empty() && !c.float8_input;
    };
    if (out_.choices_.empty() || !open(out_.choices_.back())) root.problem("the last of 'algorithms' must have no condition");
    if (out_.levels_.empty() || !out_.levels_.back().apis.empty()) root.problem("the last of 'benchmark' must name no APIs");
  }

  PrecisionStandard& out_;
};

double ByDtype::at(const std::string& dtype) const {
  const auto found = values.find(dtype);
  return found != values.end() ? found->second : values.at("default");
}

Result<PrecisionStandard> PrecisionStandard::load(const std::filesystem::path& path) {
  const Result<rapidjson::Document> document = load_json(path);
  if (!document) return document.failure();
  Problems problems(path.string());
  JsonCursor root(*document, "", problems);
  PrecisionStandard out;
  PrecisionStandardReader(out).read(root);
  if (!problems.empty()) return input_failure(problems.text());
  return out;
}

Algorithm PrecisionStandard::choose(const Question& question) const {
  const auto applies = [&](const Choice& choice) {
    return (choice.apis.empty() || contains(choice.apis, question.api)) &&
           (choice.dtypes.empty() || contains(choice.dtypes, question.dtype)) &&
           (choice.dtypes_except.empty() || !contains(choice.dtypes_except, question.dtype)) &&
           (!choice.float8_input || question.float8_input);
  };
  return std::find_if(choices_.begin(), choices_.end(), applies)->algorithm;
}

const BenchmarkLimits& PrecisionStandard::benchmark_limits(const std::string& api) const {
  return std::find_if(levels_.begin(), levels_.end(),
                      [&](const Level& level) { return level.apis.empty() || contains(level.apis, api); })
      ->limits;
}

const UlpLimits* PrecisionStandard::ulp_limits(const std::string& dtype) const {
  const auto found =
      std::find_if(ulp_.begin(), ulp_.end(), [&](const UlpLimits& limits) { return contains(limits.dtypes, dtype); });
  return found == ulp_.end() ? nullptr : &*found;
}

bool PrecisionStandard::judges(const std::string& dtype, const std::string& shape) const {
  return !dtype.empty() && !contains(unjudged_dtypes, dtype) && !contains(unjudged_shapes, shape);
}

}  // namespace assay
