#include "worker/schedule.hpp"

#include <algorithm>

namespace assay {

namespace {

/// A call is large that takes more than this part of a worker's share.
constexpr std::uint64_t kShareOfLarge = 50;
/// Of loading a call and of its row, in bytes of tensors: keeps calls without tensors from costing nothing.
constexpr std::uint64_t kCostOfAnyCall = std::uint64_t{64} << 10;

}  // namespace

std::vector<Costed> handing_order(std::vector<Costed> calls, unsigned workers) {
  if (workers < 2) return calls;
  std::uint64_t total = 0;
  for (const Costed& call : calls) total += call.cost + kCostOfAnyCall;
  const std::uint64_t large = total / workers / kShareOfLarge;
  const auto rest = std::stable_partition(calls.begin(), calls.end(), [&](const Costed& call) { return call.cost > large; });
  std::stable_sort(calls.begin(), rest, [](const Costed& left, const Costed& right) { return left.cost > right.cost; });
  return calls;
}

}  // namespace assay
