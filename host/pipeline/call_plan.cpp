#include "pipeline/call_plan.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <unordered_map>

#include "pipeline/call_inputs.hpp"

namespace assay {

namespace {

std::uint64_t tensor_bytes(const TensorElement& tensor) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max() / 4;
  std::uint64_t bytes = tensor.dtype ? (tensor.dtype->bits + 7u) / 8u : 4;
  for (const std::int64_t n : tensor.shape) {
    if (n <= 0) return 0;
    if (bytes > kMost / static_cast<std::uint64_t>(n)) return kMost;
    bytes *= static_cast<std::uint64_t>(n);
  }
  return bytes;
}

std::uint64_t add(std::uint64_t left, std::uint64_t right) {
  return left > std::numeric_limits<std::uint64_t>::max() - right ? std::numeric_limits<std::uint64_t>::max() : left + right;
}

std::uint64_t bytes_of(const Element& element) {
  std::uint64_t bytes = 0;
  if (const auto* tensor = element.get_if<TensorElement>()) bytes = tensor_bytes(*tensor);
  if (const auto* list = element.get_if<ElementList>()) {
    for (const Element& item : list->items) bytes = add(bytes, bytes_of(item));
  }
  if (const auto* dict = element.get_if<ElementDict>()) {
    for (const auto& [name, item] : dict->items) bytes = add(bytes, bytes_of(item));
  }
  return bytes;
}

/// Shards get calls from the most costly on, each for the one that has least to do.
std::vector<std::size_t> shard_members(const Dump& dump, const CallPlan& plan, const Shard& shard) {
  /// So that calls without tensors are spread too.
  constexpr std::uint64_t kCostOfAnyCall = std::uint64_t{64} << 10;
  struct Entry {
    std::uint64_t cost;
    std::string stem;
    std::size_t index;
  };
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < plan.positions.size(); ++i) {
    entries.push_back({add(plan.costs[i], kCostOfAnyCall), dump.stem(plan.positions[i]), i});
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& left, const Entry& right) {
    return left.cost != right.cost ? left.cost > right.cost : left.stem < right.stem;
  });
  // A heap of (load, shard): the front is the one with the least.
  std::vector<std::pair<std::uint64_t, unsigned>> loads;
  for (unsigned i = 1; i <= shard.count; ++i) loads.emplace_back(0, i);
  std::vector<std::size_t> members;
  for (const Entry& entry : entries) {
    std::pop_heap(loads.begin(), loads.end(), std::greater<>());
    auto& [load, number] = loads.back();
    load = add(load, entry.cost);
    if (number == shard.number) members.push_back(entry.index);
    std::push_heap(loads.begin(), loads.end(), std::greater<>());
  }
  std::sort(members.begin(), members.end());
  return members;
}

}  // namespace

Result<Shard> parse_shard(const std::string& text) {
  Shard shard;
  const char* const end = text.data() + text.size();
  const auto [slash, error] = std::from_chars(text.data(), end, shard.number);
  if (error == std::errc() && slash != end && *slash == '/') {
    const auto [last, second_error] = std::from_chars(slash + 1, end, shard.count);
    if (second_error == std::errc() && last == end && shard.number >= 1 && shard.number <= shard.count && shard.count <= 1000000) {
      return shard;
    }
  }
  return input_failure("use shard '" + text + "': expected K/N with K from 1 to N, such as 2/8");
}

std::vector<std::size_t> sample_calls(const Dump& dump, const std::vector<std::size_t>& positions, std::size_t per_api,
                                      std::uint64_t seed) {
  std::unordered_map<std::string, std::vector<std::pair<std::uint64_t, std::size_t>>> by_api;
  for (const std::size_t position : positions) {
    const std::string stem = dump.stem(position);
    by_api[stem.substr(0, stem.rfind('.'))].emplace_back(call_seed(seed, stem), position);
  }
  std::vector<std::size_t> chosen;
  for (auto& [api, calls] : by_api) {
    std::sort(calls.begin(), calls.end());
    if (calls.size() > per_api) calls.resize(per_api);
    for (const auto& [hash, position] : calls) chosen.push_back(position);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

CallPlan plan_calls(const Dump& dump, const std::vector<std::size_t>& positions, bool dedup, const std::optional<Shard>& shard,
                    bool costs) {
  CallPlan all;
  all.positions = positions;
  if (!costs && !dedup && !shard) return all;
  std::unordered_map<std::string, std::size_t> first_with;
  for (const std::size_t position : positions) {
    const RecordedCall call = dump.read(position);
    all.costs.push_back(call_cost(call));
    if (!dedup) continue;
    const auto [first, added] = first_with.emplace(call_signature(call), position);
    if (added) continue;
    all.orders[position] = dump.stem(first->second);
    all.costs.back() = 0;
  }
  if (!shard) return all;
  CallPlan part;
  for (const std::size_t index : shard_members(dump, all, *shard)) {
    part.positions.push_back(all.positions[index]);
    part.costs.push_back(all.costs[index]);
    if (const auto order = all.orders.find(all.positions[index]); order != all.orders.end()) part.orders.insert(*order);
  }
  return part;
}

std::uint64_t call_cost(const RecordedCall& call) {
  std::uint64_t bytes = 0;
  for (const auto* direction : {&call.forward, &call.backward}) {
    if (!*direction) continue;
    for (const Element& element : (*direction)->inputs) bytes = add(bytes, bytes_of(element));
    for (const auto& [name, element] : (*direction)->kwargs) bytes = add(bytes, bytes_of(element));
    for (const Element& element : (*direction)->outputs) bytes = add(bytes, bytes_of(element));
  }
  return bytes;
}

}  // namespace assay
