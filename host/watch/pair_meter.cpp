#include "watch/pair_meter.hpp"

#include <array>

#include "assay/sdk/error.hpp"
#include "assay/sdk/tensor.hpp"
#include "perturb/change.hpp"

namespace assay {

namespace {

constexpr const char* kComponent = "assay.elementwise";
// In the order in which the component gives them, whatever the order asked for.
constexpr const char* kChanges =
    R"({"metrics": ["rel_l2_error", "nan_expected", "pos_inf_expected", "neg_inf_expected", "class_mismatch_count"]})";
constexpr const char* kCounts = R"({"metrics": ["mismatch_count"]})";
constexpr std::size_t kMost = 8;

assay_pair pair_of(const assay_tensor& actual, const assay_tensor& expected, std::uint32_t max_threads) {
  assay_pair pair{};
  pair.struct_size = sizeof pair;
  pair.max_threads = max_threads;
  pair.actual = &actual;
  pair.expected = &expected;
  return pair;
}

}  // namespace

Result<PairMeter::Metrics> PairMeter::open(Registry& registry, const char* config) {
  Result<Instance> instance = registry.create(kComponent, ASSAY_KIND_COMPARISON, config);
  if (!instance) return instance.failure();
  Metrics out{std::move(*instance)};
  out.table = out.instance.extension<assay_comparison>(ASSAY_EXT_COMPARISON);
  if (out.table == nullptr)
    return plugin_failure("use component 'assay.elementwise': it has no capability '" ASSAY_EXT_COMPARISON "'");
  const assay_metric_info* const* infos = out.table->metrics(out.instance.get(), &out.count);
  if (out.count > kMost) return plugin_failure("use component 'assay.elementwise': it gives more metrics than asked for");
  for (std::uint64_t i = 0; i < out.count; ++i) {
    if (infos[i]->length != 1) return plugin_failure("use component 'assay.elementwise': it gives other metrics than asked for");
  }
  return out;
}

Result<PairMeter> PairMeter::create(Registry& registry) {
  Result<Metrics> changes = open(registry, kChanges);
  if (!changes) return changes.failure();
  Result<Metrics> counts = open(registry, kCounts);
  if (!counts) return counts.failure();
  return PairMeter(std::move(*changes), std::move(*counts));
}

PairChange PairMeter::measure(const assay_tensor& actual, const assay_tensor& expected, std::uint32_t max_threads) const {
  PairChange out;
  // What `assay perturb` measures; numbers that aren't finite are for the plugin to count.
  const Change change = change_of(TensorView(expected), TensorView(actual), false, max_threads);
  if (change.not_finite == 0) {
    out.measured = true;
    out.relative = change.relative;
    return out;
  }
  const assay_pair pair = pair_of(actual, expected, max_threads);
  std::array<double, kMost> values{};
  std::array<std::uint8_t, kMost> available{};
  ErrorSlot error;
  if (changes_.table->compare(changes_.instance.get(), &pair, values.data(), available.data(), error.get()) != ASSAY_OK) return out;
  out.measured = true;
  out.relative = available[0] != 0 ? values[0] : 0;
  const auto count = [&](std::size_t i) { return available[i] != 0 ? static_cast<std::uint64_t>(values[i]) : 0u; };
  out.nan = count(1);
  out.infinite = count(2) + count(3);
  out.classes = count(4);
  return out;
}

std::int64_t PairMeter::differing(const assay_tensor& actual, const assay_tensor& expected, std::uint32_t max_threads) const {
  const assay_pair pair = pair_of(actual, expected, max_threads);
  std::array<double, kMost> values{};
  std::array<std::uint8_t, kMost> available{};
  ErrorSlot error;
  if (counts_.table->compare(counts_.instance.get(), &pair, values.data(), available.data(), error.get()) != ASSAY_OK) return -1;
  return static_cast<std::int64_t>(values[0]);
}

}  // namespace assay
