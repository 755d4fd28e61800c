// Checks of perturbations: what is planned, what is written, what is counted, and that the same seed gives the same bits.
#include <cmath>
#include <limits>

#include "assay/abi/perturbation.h"
#include "validator/check.hpp"
#include "validator/guarded.hpp"

namespace assay::validator {

namespace {

class Perturbing {
 public:
  explicit Perturbing(const Subject& subject)
      : live_(subject), instance_(live_.create()), table_(live_.table<assay_perturbation>(*instance_, ASSAY_EXT_PERTURBATION)) {}

  [[nodiscard]] bool is_identity() const { return (table_.flags & ASSAY_PERTURBATION_IDENTITY) != 0; }

  assay_status plan(const assay_tensor& input, assay_perturbed_layout& layout) const {
    layout = {};
    layout.struct_size = sizeof layout;
    return call("plan", [&](assay_error* err) { return table_.plan(instance_.get(), &input, &layout, err); });
  }
  [[nodiscard]] assay_status plan_without_error_detail(const assay_tensor& input) const {
    assay_perturbed_layout layout{};
    layout.struct_size = sizeof layout;
    return table_.plan(instance_.get(), &input, &layout, nullptr);
  }

  /// The changed copy, in the memory layout that is asked for.
  GuardedTensor apply(const GuardedTensor& input, std::uint64_t seed, std::uint32_t threads = 1,
                      Layout output_layout = Layout::kCompact) {
    assay_perturbed_layout layout{};
    require(plan(input.abi(), layout) == ASSAY_OK, "plan refuses a tensor that it accepted before");
    auto output = GuardedTensor::output(layout.dtype, input.view().shape(), output_layout);
    changed = std::numeric_limits<std::uint64_t>::max();
    const assay_status status = call("apply", [&](assay_error* err) {
      return table_.apply(instance_.get(), &input.abi(), seed, threads, &output.abi(), &changed, err);
    });
    require(status == ASSAY_OK, "apply gives " + status_text(status) + " for a tensor that plan accepted");
    return output;
  }

  std::uint64_t changed = 0;

 private:
  Live live_;
  std::shared_ptr<assay_instance> instance_;
  const assay_perturbation& table_;
};

const std::vector<std::int64_t> kShape = {3, 4, 5};

/// Calls f for each dtype that is eligible on the CPU.
template <class F>
void for_each_eligible_dtype(Perturbing& perturbing, F&& f) {
  bool any = false;
  for (const DTypeName& entry : kDTypeNames) {
    const auto tensor = GuardedTensor::input(entry.dtype, kShape, varied(entry.dtype, 0));
    assay_perturbed_layout layout{};
    const assay_status status = perturbing.plan(tensor.abi(), layout);
    require(status == ASSAY_OK || status == ASSAY_UNSUPPORTED,
            "plan for a " + std::string(entry.name) + " tensor gives " + status_text(status));
    if (status != ASSAY_OK) continue;
    if (layout.device.type != ASSAY_DEVICE_CPU) continue;
    any = true;
    f(entry.dtype, std::string(entry.name));
  }
  if (!any) skip("no tensor on the CPU is eligible");
}

void plans_known_layouts(const Subject& subject) {
  Perturbing perturbing(subject);
  for_each_eligible_dtype(perturbing, [&](assay_dtype dtype, const std::string& name) {
    const auto tensor = GuardedTensor::input(dtype, kShape, varied(dtype, 0));
    assay_perturbed_layout layout{};
    require(perturbing.plan(tensor.abi(), layout) == ASSAY_OK, "plan refuses a tensor that it accepted before");
    require(layout.struct_size == sizeof layout, name + ": plan changes struct_size");
    require(dtype_name(layout.dtype) != "unknown", name + ": plan gives a dtype that nobody knows");
  });
}

void repeats_itself(const Subject& subject) {
  Perturbing perturbing(subject);
  for_each_eligible_dtype(perturbing, [&](assay_dtype dtype, const std::string& name) {
    const auto input = GuardedTensor::input(dtype, {37, 1031}, varied(dtype, 1));
    const std::vector<unsigned char> bytes = perturbing.apply(input, 42).bytes();
    const std::uint64_t changed = perturbing.changed;
    for (const std::uint32_t threads : {1u, 2u, 3u, 16u}) {
      require(perturbing.apply(input, 42, threads).bytes() == bytes && perturbing.changed == changed,
              name + ": the same seed gives other bits with max_threads " + std::to_string(threads));
    }
  });
}

/// Whether two elements are one value; NaN is NaN.
bool same_value(double left, double right) { return left == right || (std::isnan(left) && std::isnan(right)); }

std::uint64_t count_changes(const TensorView& input, const TensorView& output) {
  std::uint64_t changes = 0;
  for (std::int64_t i = 0; i < input.numel(); ++i) {
    const std::int64_t from = input.offset_of(i);
    const std::int64_t to = output.offset_of(i);
    const bool same = same_value(input.number_at(from), output.number_at(to)) &&
                      (!is_complex(input.dtype()) || same_value(input.imaginary_at(from), output.imaginary_at(to)));
    changes += same ? 0 : 1;
  }
  return changes;
}

void counts_its_changes(const Subject& subject) {
  Perturbing perturbing(subject);
  for_each_eligible_dtype(perturbing, [&](assay_dtype dtype, const std::string& name) {
    const auto input = GuardedTensor::input(dtype, kShape, varied(dtype, 5));
    const auto output = perturbing.apply(input, 7);
    const std::uint64_t expected = count_changes(input.view(), output.view());
    require(perturbing.changed == expected, name + ": apply reports " + std::to_string(perturbing.changed) + " changed elements, " +
                                                std::to_string(expected) + " differ");
    require(!perturbing.is_identity() || expected == 0, name + ": an identity changes " + std::to_string(expected) + " elements");
  });
}

void accepts_every_layout(const Subject& subject) {
  Perturbing perturbing(subject);
  for_each_eligible_dtype(perturbing, [&](assay_dtype dtype, const std::string& name) {
    const auto compact = GuardedTensor::input(dtype, kShape, varied(dtype, 1));
    const std::vector<unsigned char> bytes = perturbing.apply(compact, 3).bytes();
    for (const Layout layout : kLayouts) {
      const auto input = GuardedTensor::input(dtype, kShape, varied(dtype, 1), layout);
      require(perturbing.apply(input, 3).bytes() == bytes,
              name + ", input " + layout_name(layout) + ": other bits than for a compact input");
      require(perturbing.apply(compact, 3, 1, layout).bytes() == bytes,
              name + ", output " + layout_name(layout) + ": other bits than for a compact output");
    }
  });
}

void accepts_empty_and_scalar_tensors(const Subject& subject) {
  Perturbing perturbing(subject);
  for_each_eligible_dtype(perturbing, [&](assay_dtype dtype, const std::string& name) {
    for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{}, {0}, {3, 0, 2}, {1}}) {
      const auto input = GuardedTensor::input(dtype, shape, varied(dtype, 2));
      assay_perturbed_layout layout{};
      if (perturbing.plan(input.abi(), layout) != ASSAY_OK) continue;
      const auto output = perturbing.apply(input, 1);
      require(perturbing.changed <= static_cast<std::uint64_t>(input.view().numel()),
              name + ": more elements changed than there are");
    }
  });
}

void accepts_nan_and_infinity(const Subject& subject) {
  constexpr double kSpecial[] = {std::numeric_limits<double>::quiet_NaN(),
                                 std::numeric_limits<double>::infinity(),
                                 -std::numeric_limits<double>::infinity(),
                                 std::numeric_limits<double>::max(),
                                 -0.0,
                                 0.0,
                                 1.0};
  Perturbing perturbing(subject);
  for_each_eligible_dtype(perturbing, [&](assay_dtype dtype, const std::string& name) {
    if (!is_floating(dtype) && !is_complex(dtype)) return;
    const auto input = GuardedTensor::input(dtype, {70}, [&](std::int64_t i) { return kSpecial[i % 7]; });
    const auto output = perturbing.apply(input, 9);
    require(perturbing.changed == count_changes(input.view(), output.view()), name + ": special values are miscounted");
  });
}

void refuses_what_it_can_not_read(const Subject& subject) {
  const Perturbing perturbing(subject);
  const auto refused = [&](const char* what, const std::function<void(assay_dltensor&)>& change) {
    auto tensor = GuardedTensor::input(kFloat32, {2}, varied(kFloat32, 1));
    change(tensor.abi().dl);
    assay_perturbed_layout layout{};
    const assay_status status = perturbing.plan(tensor.abi(), layout);
    require(status == ASSAY_UNSUPPORTED || status == ASSAY_INVALID_ARGUMENT, std::string(what) + " gives " + status_text(status));
    require(perturbing.plan_without_error_detail(tensor.abi()) == status,
            std::string(what) + " gives another status when err is NULL");
  };
  refused("an unknown dtype", [](assay_dltensor& dl) { dl.dtype = {77, 8, 1}; });
  refused("a dtype of four lanes", [](assay_dltensor& dl) { dl.dtype.lanes = 4; });
}

}  // namespace

std::vector<Check> perturbation_checks() {
  return {{"perturbation.plans-known-layouts", 24, "perturbation", "plan gives a known dtype or refuses with a reason",
           plans_known_layouts},
          {"perturbation.repeats-itself", 25, "perturbation",
           "the same input and seed give the same bits for any number of threads", repeats_itself},
          {"perturbation.counts-its-changes", 26, "perturbation",
           "as many elements differ in value as are reported, none for a declared identity", counts_its_changes},
          {"perturbation.accepts-every-layout", 27, "perturbation",
           "strides change no bit, the input is not written, nothing beyond is touched", accepts_every_layout},
          {"perturbation.accepts-empty-and-scalar-tensors", 28, "perturbation",
           "tensors of no elements and of no dimensions are accepted", accepts_empty_and_scalar_tensors},
          {"perturbation.accepts-nan-and-infinity", 29, "perturbation", "special values are accepted and counted right",
           accepts_nan_and_infinity},
          {"perturbation.refuses-what-it-can-not-read", 30, "perturbation", "unknown dtypes and lanes are refused",
           refuses_what_it_can_not_read}};
}

}  // namespace assay::validator
