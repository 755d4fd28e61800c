// Checks of comparisons: metrics, layouts, special values, refusals, repeatability.
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "assay/abi/comparison.h"
#include "validator/check.hpp"
#include "validator/guarded.hpp"

namespace assay::validator {

namespace {

class Comparing {
 public:
  explicit Comparing(const Subject& subject)
      : live_(subject), instance_(live_.create()), table_(live_.table<assay_comparison>(*instance_, ASSAY_EXT_COMPARISON)) {
    std::uint64_t count = 0;
    const assay_metric_info* const* infos = table_.metrics(instance_.get(), &count);
    require(count > 0 && infos != nullptr, "metrics gives no metric");
    metrics_.assign(infos, infos + count);
    for (const assay_metric_info* info : metrics_) require(info != nullptr, "metrics gives a NULL entry");
  }

  [[nodiscard]] const std::vector<const assay_metric_info*>& metrics() const { return metrics_; }

  assay_status run(const assay_tensor& actual, const assay_tensor& expected, std::uint32_t threads = 1) {
    std::size_t numbers = 0;
    for (const assay_metric_info* info : metrics_) numbers += info->length;
    values.assign(numbers, 0.5);
    available.assign(metrics_.size(), 0);
    assay_pair pair{};
    pair.struct_size = sizeof pair;
    pair.max_threads = threads;
    pair.actual = &actual;
    pair.expected = &expected;
    return call("compare",
                [&](assay_error* err) { return table_.compare(instance_.get(), &pair, values.data(), available.data(), err); });
  }

  assay_status run_without_error_detail(const assay_tensor& actual, const assay_tensor& expected) {
    assay_pair pair{};
    pair.struct_size = sizeof pair;
    pair.max_threads = 1;
    pair.actual = &actual;
    pair.expected = &expected;
    return table_.compare(instance_.get(), &pair, values.data(), available.data(), nullptr);
  }

  /// Everything that compare wrote, NaNs alike.
  [[nodiscard]] std::vector<double> numbers() const {
    std::vector<double> all;
    for (const std::uint8_t flag : available) all.push_back(flag);
    for (const double value : values) all.push_back(std::isnan(value) ? std::numeric_limits<double>::max() : value);
    return all;
  }

  std::vector<double> values;
  std::vector<std::uint8_t> available;

 private:
  Live live_;
  std::shared_ptr<assay_instance> instance_;
  const assay_comparison& table_;
  std::vector<const assay_metric_info*> metrics_;
};

const std::vector<std::int64_t> kShape = {3, 4, 5};

/// Calls f for each dtype that the comparison accepts; there must be one at least.
template <class F>
void for_each_accepted_dtype(Comparing& comparing, F&& f) {
  bool any = false;
  for (const DTypeName& entry : kDTypeNames) {
    const auto tensor = GuardedTensor::input(entry.dtype, {2}, varied(entry.dtype, 0));
    const assay_status status = comparing.run(tensor.abi(), tensor.abi());
    require(status == ASSAY_OK || status == ASSAY_UNSUPPORTED,
            "compare of two " + std::string(entry.name) + " tensors gives " + status_text(status));
    if (status != ASSAY_OK) continue;
    any = true;
    f(entry.dtype, std::string(entry.name));
  }
  require(any, "compare refuses every dtype");
}

void metrics_are_described(const Subject& subject) {
  const Comparing comparing(subject);
  std::set<std::string> names;
  for (const assay_metric_info* info : comparing.metrics()) {
    require(info->struct_size >= sizeof(assay_metric_info), "a metric's struct_size is " + std::to_string(info->struct_size));
    require(info->name != nullptr && *info->name != '\0', "a metric has no name");
    const std::string name = info->name;
    require(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos,
            "metric '" + name + "' is not snake_case");
    require(names.insert(name).second, "metric '" + name + "' is there twice");
    require(info->unit != nullptr && *info->unit != '\0', "metric '" + name + "' has no unit");
    require(info->description != nullptr && *info->description != '\0', "metric '" + name + "' has no description");
    require(info->length >= 1, "metric '" + name + "' has length 0");
    require(info->kind >= ASSAY_METRIC_SCALAR && info->kind <= ASSAY_METRIC_FLAG, "metric '" + name + "' is of an unknown kind");
    require(info->better >= ASSAY_BETTER_LOWER && info->better <= ASSAY_BETTER_NEITHER,
            "metric '" + name + "' has an unknown direction");
  }
}

void accepts_every_layout(const Subject& subject) {
  Comparing comparing(subject);
  for_each_accepted_dtype(comparing, [&](assay_dtype dtype, const std::string& name) {
    const auto actual = GuardedTensor::input(dtype, kShape, varied(dtype, 1));
    const auto expected = GuardedTensor::input(dtype, kShape, varied(dtype, 2));
    require(comparing.run(actual.abi(), expected.abi()) == ASSAY_OK, "compact " + name + " tensors are refused");
    const std::vector<double> numbers = comparing.numbers();
    for (const Layout layout : kLayouts) {
      const auto other_actual = GuardedTensor::input(dtype, kShape, varied(dtype, 1), layout);
      const auto other_expected = GuardedTensor::input(dtype, kShape, varied(dtype, 2), layout);
      for (const auto& [left, right] : {std::pair(&other_actual, &expected), std::pair(&actual, &other_expected)}) {
        const assay_status status = comparing.run(left->abi(), right->abi());
        require(status == ASSAY_OK, name + ", " + layout_name(layout) + ": compare gives " + status_text(status));
        require(comparing.numbers() == numbers, name + ", " + layout_name(layout) + ": other numbers than for compact tensors");
      }
    }
  });
}

void accepts_empty_and_scalar_tensors(const Subject& subject) {
  Comparing comparing(subject);
  for_each_accepted_dtype(comparing, [&](assay_dtype dtype, const std::string& name) {
    for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{}, {0}, {3, 0, 2}, {1, 1, 1, 1, 1, 1, 1, 1}}) {
      const auto tensor = GuardedTensor::input(dtype, shape, varied(dtype, 3));
      const assay_status status = comparing.run(tensor.abi(), tensor.abi());
      require(status == ASSAY_OK, name + " with " + std::to_string(shape.size()) + " dimensions and " +
                                      std::to_string(tensor.view().numel()) + " elements: compare gives " + status_text(status));
    }
  });
}

void accepts_nan_and_infinity(const Subject& subject) {
  constexpr double kSpecial[] = {std::numeric_limits<double>::quiet_NaN(),  std::numeric_limits<double>::infinity(),
                                 -std::numeric_limits<double>::infinity(),  -0.0,
                                 std::numeric_limits<double>::denorm_min(), 0.0,
                                 std::numeric_limits<double>::max(),        1.0};
  Comparing comparing(subject);
  for_each_accepted_dtype(comparing, [&](assay_dtype dtype, const std::string& name) {
    if (!is_floating(dtype) && !is_complex(dtype)) return;
    const auto special = GuardedTensor::input(dtype, {64}, [&](std::int64_t i) { return kSpecial[i % 8]; });
    const auto mixed = GuardedTensor::input(dtype, {64}, [&](std::int64_t i) { return kSpecial[i / 8]; });
    for (const auto& [left, right] : {std::pair(&special, &mixed), std::pair(&special, &special)}) {
      const assay_status status = comparing.run(left->abi(), right->abi());
      require(status == ASSAY_OK, name + ": compare gives " + status_text(status));
    }
  });
}

void refuses_other_shapes(const Subject& subject) {
  Comparing comparing(subject);
  const auto actual = GuardedTensor::input(kFloat32, {2, 3}, varied(kFloat32, 1));
  for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{3, 2}, {6}, {2, 3, 1}, {0}, {}}) {
    const auto expected = GuardedTensor::input(kFloat32, shape, varied(kFloat32, 2));
    const assay_status status = comparing.run(actual.abi(), expected.abi());
    if (status == ASSAY_UNSUPPORTED) skip("float32 is not supported");
    require(status == ASSAY_INVALID_ARGUMENT, "tensors of different shapes give " + status_text(status));
  }
}

void refuses_what_it_can_not_read(const Subject& subject) {
  Comparing comparing(subject);
  const auto refused = [&](const char* what, const std::function<void(assay_dltensor&)>& change) {
    auto tensor = GuardedTensor::input(kFloat32, {2}, varied(kFloat32, 1));
    change(tensor.abi().dl);
    const assay_status status = comparing.run(tensor.abi(), tensor.abi());
    require(status == ASSAY_UNSUPPORTED || status == ASSAY_INVALID_ARGUMENT, std::string(what) + " gives " + status_text(status));
    require(comparing.run_without_error_detail(tensor.abi(), tensor.abi()) == status,
            std::string(what) + " gives another status when err is NULL");
  };
  refused("an unknown dtype", [](assay_dltensor& dl) { dl.dtype = {77, 8, 1}; });
  refused("a dtype of an unknown width", [](assay_dltensor& dl) { dl.dtype = {ASSAY_DTYPE_FLOAT, 24, 1}; });
  refused("a dtype of four lanes", [](assay_dltensor& dl) { dl.dtype.lanes = 4; });
  refused("memory of another device", [](assay_dltensor& dl) { dl.device = {ASSAY_DEVICE_CUDA, 0}; });
}

void repeats_itself(const Subject& subject) {
  Comparing comparing(subject);
  const std::vector<std::int64_t> shape = {37, 1031};
  for_each_accepted_dtype(comparing, [&](assay_dtype dtype, const std::string& name) {
    const auto actual = GuardedTensor::input(dtype, shape, varied(dtype, 1));
    const auto expected = GuardedTensor::input(dtype, shape, varied(dtype, 2));
    require(comparing.run(actual.abi(), expected.abi()) == ASSAY_OK, name + " tensors are refused");
    const std::vector<double> numbers = comparing.numbers();
    for (const std::uint32_t threads : {1u, 2u, 3u, 16u}) {
      require(comparing.run(actual.abi(), expected.abi(), threads) == ASSAY_OK && comparing.numbers() == numbers,
              name + ": other numbers with max_threads " + std::to_string(threads));
    }
  });
}

}  // namespace

std::vector<Check> comparison_checks() {
  return {{"comparison.metrics-are-described", 17, "comparison",
           "every metric has a unique name, a unit, a direction and a description", metrics_are_described},
          {"comparison.accepts-every-layout", 18, "comparison",
           "strides and byte_offset change no number, and nothing beyond is read", accepts_every_layout},
          {"comparison.accepts-empty-and-scalar-tensors", 19, "comparison",
           "tensors of no elements and of no dimensions are compared", accepts_empty_and_scalar_tensors},
          {"comparison.accepts-nan-and-infinity", 20, "comparison", "special values are compared", accepts_nan_and_infinity},
          {"comparison.refuses-other-shapes", 21, "comparison", "a pair of different shapes is an invalid argument",
           refuses_other_shapes},
          {"comparison.refuses-what-it-can-not-read", 22, "comparison",
           "unknown dtypes, lanes and devices are refused before data is read", refuses_what_it_can_not_read},
          {"comparison.repeats-itself", 23, "comparison", "numbers depend on the pair alone, not on the threads", repeats_itself}};
}

}  // namespace assay::validator
