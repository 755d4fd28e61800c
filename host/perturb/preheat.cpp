#include "perturb/preheat.hpp"

#include <algorithm>
#include <optional>

#include "perturb/peer_compare.hpp"

namespace assay {

void Preheat::begin_step(int step) {
  step_ = step;
  for (auto& [name, api] : apis_) {
    api.calls_now = 0;
    api.wanted.clear();
    api.received = 0;
    api.samples.clear();
    if (step < 1 || step >= options_.steps || api.calls == 0) continue;
    const auto steps = static_cast<std::size_t>(options_.steps);
    const std::size_t count = std::min((api.calls + steps - 1) / steps, options_.max_samples);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t number = (steps * i + static_cast<std::size_t>(step)) % api.calls;
      api.wanted.insert(number == 0 ? api.calls : number);
    }
  }
}

std::size_t Preheat::count_call(const std::string& name) {
  Api& api = apis_[name];
  if (step_ == 0) ++api.calls;
  return ++api.calls_now;
}

bool Preheat::wants_sample(const std::string& name, std::size_t call_number) const {
  const auto found = apis_.find(name);
  return found != apis_.end() && found->second.wanted.count(call_number) != 0;
}

void Preheat::record(const std::string& name, assay_dtype dtype, const Sample& sample) {
  Api& api = apis_[name];
  api.samples[std::string(dtype_name(dtype))].push_back(sample);
  if (++api.received < api.wanted.size()) return;
  for (const auto& [key, samples] : api.samples) {
    Limit& limit = api.limits[key];
    if (!limit.settled) adjust(limit, samples, peer_threshold(dtype_from_name(key).value_or(kFloat32)));
  }
}

void Preheat::adjust(Limit& limit, const std::vector<Sample>& samples, double floor) {
  std::optional<double> largest_consistent;
  std::optional<double> least_inconsistent;
  for (const Sample& sample : samples) {
    if (sample.consistent) {
      largest_consistent = std::max(largest_consistent.value_or(sample.ratio), sample.ratio);
    } else {
      least_inconsistent = std::min(least_inconsistent.value_or(sample.ratio), sample.ratio);
    }
  }
  double next = limit.threshold;
  if (least_inconsistent && (!largest_consistent || *least_inconsistent > *largest_consistent)) {
    next = std::min(*least_inconsistent, limit.threshold);
    limit.settled = true;
  } else if (!least_inconsistent && largest_consistent) {
    const double factor = *largest_consistent > limit.threshold ? 2.0 : 0.5;
    next = 1 + (limit.threshold - 1) * factor;
  }
  limit.threshold = std::max(next, floor);
}

double Preheat::threshold(const std::string& name, assay_dtype dtype) const {
  const auto api = apis_.find(name);
  if (api == apis_.end()) return Limit{}.threshold;
  const auto limit = api->second.limits.find(std::string(dtype_name(dtype)));
  return limit == api->second.limits.end() ? Limit{}.threshold : limit->second.threshold;
}

Preheat::Thresholds Preheat::thresholds(const std::string& name) const {
  Thresholds out;
  if (const auto api = apis_.find(name); api != apis_.end()) {
    for (const auto& [dtype, limit] : api->second.limits) out[dtype] = limit.threshold;
  }
  return out;
}

std::vector<Preheat::Learned> Preheat::learned() const {
  std::vector<Learned> out;
  for (const auto& [name, api] : apis_) {
    for (const auto& [dtype, limit] : api.limits) out.push_back({name, dtype, limit.threshold, limit.settled});
  }
  return out;
}

}  // namespace assay
