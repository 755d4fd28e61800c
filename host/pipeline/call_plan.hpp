// Which calls of a dump a run does: the selection by name, a sample of it, a shard of that; and what each costs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dump/dump.hpp"

namespace assay {

/// The calls of a run.
struct CallPlan {
  std::vector<std::size_t> positions;         ///< in dump order
  std::vector<std::uint64_t> costs;           ///< of each, in bytes of its tensors; empty: not known
  std::map<std::size_t, std::string> orders;  ///< for Job::order, of calls that are special
};

/// Part `number` (from 1) of `count`.
struct Shard {
  unsigned number = 1;
  unsigned count = 1;

  [[nodiscard]] std::string text() const { return std::to_string(number) + "/" + std::to_string(count); }
};

/// "2/4". errors  kInput: not K/N with 1 <= K <= N
Result<Shard> parse_shard(const std::string& text);

/// At most `per_api` calls of each API, chosen by their names and the seed, whatever the order in the dump; in dump order.
std::vector<std::size_t> sample_calls(const Dump& dump, const std::vector<std::size_t>& positions, std::size_t per_api,
                                      std::uint64_t seed);

/// dedup  calls with the signature of an earlier one get the order "<its stem>" (see duplicate_of)
/// shard  keeps a part of the calls, such that all parts cost about the same; depends on names and costs only
/// costs  whether they are asked for. Without them, duplicates and shards no call is read: a long dump is planned at once
CallPlan plan_calls(const Dump& dump, const std::vector<std::size_t>& positions, bool dedup, const std::optional<Shard>& shard,
                    bool costs);

/// What two calls have in common that are alike but for the numbers in their tensors: API, directions, dtypes, shapes, plain
/// arguments.
std::string call_signature(const RecordedCall& call);

/// Bytes of the tensors of a call, by what the dump says about them.
std::uint64_t call_cost(const RecordedCall& call);

/// Told before a direction of a call, "forward" or "backward", is begun.
using Started = std::function<void(const RecordedCall& call, const char* direction)>;

}  // namespace assay
