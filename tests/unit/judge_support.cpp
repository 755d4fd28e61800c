#include "judge_support.hpp"

#include <limits>
#include <stdexcept>

#include "judge/rounding.hpp"
#include "loader/registry.hpp"

namespace assay::judge_testing {

namespace {

template <class T>
T value_or_throw(Result<T> result) {
  if (!result) throw std::runtime_error(result.failure().message);
  return *std::move(result);
}

const Instance& elementwise() {
  static Registry registry = Registry::discover({std::filesystem::path(ASSAY_BINARY_DIR) / "lib" / "assay" / "plugins"});
  static const Instance instance = value_or_throw(
      registry.create("assay.elementwise", "comparison", R"({"metrics": ["assay", "msprobe-mint", "msprobe-torch"]})"));
  return instance;
}

Tensor round_or_throw(const Tensor& wide, assay_dtype dtype) {
  const auto rounded = round_to(wide, dtype);
  if (!rounded) throw std::runtime_error("not a floating-point type");
  return *rounded;
}

template <class T>
Tensor of_integers(assay_dtype dtype, std::vector<std::int64_t> shape, const std::vector<double>& values) {
  Tensor out = Tensor::allocate(dtype, std::move(shape));
  for (std::size_t i = 0; i < values.size(); ++i) out.data_as<T>()[i] = static_cast<T>(values[i]);
  return out;
}

std::vector<const Value*> pointers(const std::vector<Value>& values) {
  std::vector<const Value*> out;
  for (const Value& value : values) out.push_back(&value);
  return out;
}

}  // namespace

std::filesystem::path standards_dir() { return std::filesystem::path(ASSAY_SOURCE_DIR) / "configs" / "standards"; }

Judge judge_by(const std::string& standard, std::string_view overrides) {
  Standard loaded = value_or_throw(Standard::load(standards_dir() / (standard + ".json"), overrides));
  const auto* table = elementwise().extension<assay_comparison>(ASSAY_EXT_COMPARISON);
  return value_or_throw(Judge::create(std::move(loaded), {{"assay.elementwise", table, elementwise().get()}}));
}

Tensor tensor(assay_dtype dtype, std::vector<std::int64_t> shape, const std::vector<double>& values) {
  if (dtype == kBool || dtype == kUInt8) return of_integers<std::uint8_t>(dtype, std::move(shape), values);
  if (dtype == kInt8) return of_integers<std::int8_t>(dtype, std::move(shape), values);
  if (dtype == kInt16) return of_integers<std::int16_t>(dtype, std::move(shape), values);
  if (dtype == kInt32) return of_integers<std::int32_t>(dtype, std::move(shape), values);
  if (dtype == kInt64) return of_integers<std::int64_t>(dtype, std::move(shape), values);
  return round_or_throw(of_integers<double>(kFloat64, std::move(shape), values), dtype);
}

Tensor row(assay_dtype dtype, const std::vector<double>& values) {
  return tensor(dtype, {static_cast<std::int64_t>(values.size())}, values);
}

Tensor complex_row(assay_dtype dtype, const std::vector<std::complex<double>>& values) {
  Tensor wide = Tensor::allocate(kComplex128, {static_cast<std::int64_t>(values.size())});
  std::copy(values.begin(), values.end(), wide.data_as<std::complex<double>>());
  return round_or_throw(wide, dtype);
}

Tensor filled(assay_dtype dtype, std::vector<std::int64_t> shape, double value) {
  std::int64_t n = 1;
  for (const std::int64_t size : shape) n *= size;
  return tensor(dtype, std::move(shape), std::vector<double>(static_cast<std::size_t>(n), value));
}

std::vector<JudgedOutput> judge_all(const Judge& judge, const Case& c) {
  Judgement judgement;
  judgement.api = c.api;
  judgement.direction = c.direction;
  judgement.args = &c.args;
  judgement.kwargs = &c.kwargs;
  judgement.grad_outputs = &c.grad_outputs;
  judgement.actual = pointers(c.actual);
  judgement.expected = pointers(c.expected);
  for (const auto& run : c.nudged) judgement.nudged.push_back(pointers(run));
  return judge.judge(judgement);
}

OutputVerdict judge_one(const Judge& judge, const Case& c, std::size_t output) { return judge_all(judge, c).at(output).verdict; }

::testing::AssertionResult has_verdict(const OutputVerdict& given, Verdict wanted) {
  if (given.verdict == wanted) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "verdict " << verdict_name(given.verdict) << ", wanted " << verdict_name(wanted) << "; "
                                       << given.judged_as << " " << given.reason << ": " << given.message;
}

double metric(const OutputVerdict& verdict, std::string_view name) {
  for (const MetricValue& value : verdict.metrics) {
    if (value.available && name == value.info->name) return value.numbers.at(0);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace assay::judge_testing
