#include "judge/metric_set.hpp"

#include <algorithm>

#include "assay/sdk/error.hpp"
#include "base/text.hpp"

namespace assay {

std::optional<double> Measured::get(std::string_view name) const {
  for (const MetricValue& value : *values_) {
    if (value.available && !value.numbers.empty() && name == value.info->name) return value.numbers.front();
  }
  return std::nullopt;
}

std::vector<double> Measured::all(std::string_view name) const {
  for (const MetricValue& value : *values_) {
    if (value.available && name == value.info->name) return value.numbers;
  }
  return {};
}

MetricSet::MetricSet(std::vector<ComparisonHandle> comparisons) {
  for (ComparisonHandle& handle : comparisons) {
    Member member;
    std::uint64_t count = 0;
    const assay_metric_info* const* infos = handle.table->metrics(handle.instance, &count);
    member.infos.assign(infos, infos + count);
    for (const assay_metric_info* info : member.infos) member.numbers += info->length;
    member.handle = std::move(handle);
    members_.push_back(std::move(member));
  }
}

bool MetricSet::has(std::string_view name) const {
  for (const Member& member : members_) {
    for (const assay_metric_info* info : member.infos) {
      if (name == info->name) return true;
    }
  }
  return false;
}

std::vector<std::string> MetricSet::scalar_names() const {
  std::vector<std::string> out;
  for (const Member& member : members_) {
    for (const assay_metric_info* info : member.infos) {
      if (info->length == 1) out.emplace_back(info->name);
    }
  }
  return out;
}

Result<std::vector<MetricValue>> MetricSet::compute(const assay_tensor& actual, const assay_tensor& expected,
                                                    const std::string& api, std::uint32_t max_threads,
                                                    std::vector<std::string>& refusals) const {
  assay_pair pair{};
  pair.struct_size = sizeof pair;
  pair.max_threads = max_threads;
  pair.actual = &actual;
  pair.expected = &expected;
  pair.api = api.c_str();

  std::vector<MetricValue> out;
  for (const Member& member : members_) {
    std::vector<double> numbers(member.numbers);
    std::vector<std::uint8_t> available(member.infos.size());
    ErrorSlot error;
    if (member.handle.table->compare(member.handle.instance, &pair, numbers.data(), available.data(), error.get()) != ASSAY_OK) {
      refusals.push_back(member.handle.id + ": " + escape_control(error.message()));
      std::fill(available.begin(), available.end(), std::uint8_t{0});
    }
    std::size_t at = 0;
    for (std::size_t i = 0; i < member.infos.size(); ++i) {
      const std::size_t end = at + member.infos[i]->length;
      MetricValue value{member.infos[i], available[i] != 0, {}};
      value.numbers.assign(numbers.begin() + static_cast<std::ptrdiff_t>(at), numbers.begin() + static_cast<std::ptrdiff_t>(end));
      out.push_back(std::move(value));
      at = end;
    }
  }
  if (refusals.size() == members_.size()) return plugin_failure(join(refusals, "; "));
  return out;
}

}  // namespace assay
