#include "second_look.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "classes.hpp"

namespace assay::engine {
namespace {

/// Calls f(index, tile, i) for the elements of one chunk, until it returns false.
template <class F>
void for_each_in_chunk(const PairReader& reader, std::size_t chunk, F&& f) {
  Tile tile;
  std::int64_t at = static_cast<std::int64_t>(chunk) * kChunkSize;
  const std::int64_t end = std::min(reader.actual().numel(), at + kChunkSize);
  for (; at < end; at += Tile::kSize) {
    reader.read(at, static_cast<int>(std::min<std::int64_t>(Tile::kSize, end - at)), tile);
    for (int i = 0; i < tile.n; ++i) {
      if (!f(at + i, tile, i)) return;
    }
  }
}

bool is_class_mismatch(const Tile& tile, int i) {
  return !same_class(tile.actual + i * tile.parts, tile.expected + i * tile.parts, tile.parts);
}

bool is_mismatch(const Tile& tile, int i) {
  if (std::isfinite(tile.difference[i])) return tile.difference[i] != 0;
  return !same_value(tile.actual + i * tile.parts, tile.expected + i * tile.parts, tile.parts);
}

bool is_finite_pair(const Tile& tile, int i) {
  return class_of(tile.actual + i * tile.parts, tile.parts) == NumberClass::kFinite &&
         class_of(tile.expected + i * tile.parts, tile.parts) == NumberClass::kFinite;
}

template <class Count, class Matches>
std::int64_t find_first(const PairReader& reader, const Walk& walk, Count count, Matches matches) {
  const auto chunk = std::find_if(walk.chunks.begin(), walk.chunks.end(), [&](const Totals& totals) { return count(totals) != 0; });
  std::int64_t found = -1;
  if (chunk == walk.chunks.end()) return found;
  for_each_in_chunk(reader, static_cast<std::size_t>(chunk - walk.chunks.begin()),
                    [&](std::int64_t index, const Tile& tile, int i) {
                      if (matches(tile, i)) found = index;
                      return found < 0;
                    });
  return found;
}

/// The largest |d| / max(|e|, floor) that a chunk can hold.
double bound(const Totals& chunk, double floor) {
  return std::max(std::min(chunk.max_relative, chunk.max_difference / floor), chunk.max_difference_at_zero / floor);
}

/// Chunks in the order in which they are worth reading: largest bound first, then by position.
std::vector<std::size_t> by_bound(const Walk& walk, double floor) {
  std::vector<std::size_t> order(walk.chunks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<double> bounds(walk.chunks.size());
  for (std::size_t k = 0; k < bounds.size(); ++k) bounds[k] = bound(walk.chunks[k], floor);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t l, std::size_t r) { return bounds[l] > bounds[r]; });
  return order;
}

/// The worst elements so far: larger key first, then lower index.
class WorstList {
 public:
  void add(double key, std::int64_t index) {
    if (full() && !before(key, index, entries_[count_ - 1])) return;
    std::size_t at = full() ? count_ - 1 : count_++;
    for (; at > 0 && before(key, index, entries_[at - 1]); --at) entries_[at] = entries_[at - 1];
    entries_[at] = {key, index};
  }
  /// Whether an element with a key up to `bound`, at `first_index` or later, could still enter.
  [[nodiscard]] bool could_take(double key_bound, std::int64_t first_index) const {
    return key_bound > 0 && (!full() || before(key_bound, first_index, entries_[count_ - 1]));
  }
  [[nodiscard]] std::int64_t index(std::size_t rank) const { return rank < count_ ? entries_[rank].index : -1; }

 private:
  struct Entry {
    double key = 0;
    std::int64_t index = -1;
  };
  static bool before(double key, std::int64_t index, const Entry& entry) {
    return key > entry.key || (key == entry.key && index < entry.index);
  }
  [[nodiscard]] bool full() const { return count_ == entries_.size(); }

  std::array<Entry, kWorstCount> entries_{};
  std::size_t count_ = 0;
};

void find_worst(const PairReader& reader, const Plan& plan, const Walk& walk, SecondLook& out) {
  WorstList list;
  std::uint64_t left = std::min<std::uint64_t>(walk.totals.class_mismatch, kWorstCount);
  std::size_t rank = 0;
  for (std::size_t k = 0; left > 0 && k < walk.chunks.size(); ++k) {
    if (walk.chunks[k].class_mismatch == 0) continue;
    for_each_in_chunk(reader, k, [&](std::int64_t index, const Tile& tile, int i) {
      if (is_class_mismatch(tile, i)) {
        out.worst[rank++] = index;
        --left;
      }
      return left > 0;
    });
  }
  if (rank == out.worst.size()) return;

  const double floor = std::max(walk.totals.max_magnitude * plan.format.epsilon, plan.format.smallest);
  for (const std::size_t k : by_bound(walk, floor)) {
    const double key_bound = bound(walk.chunks[k], floor);
    if (!list.could_take(key_bound, 0)) break;  // nor could any later chunk
    if (!list.could_take(key_bound, static_cast<std::int64_t>(k) * kChunkSize)) continue;
    for_each_in_chunk(reader, k, [&](std::int64_t index, const Tile& tile, int i) {
      if (is_finite_pair(tile, i) && tile.difference[i] != 0) {
        list.add(tile.difference[i] / std::max(tile.magnitude[i], floor), index);
      }
      return true;
    });
  }
  for (std::size_t i = 0; rank < out.worst.size(); ++i, ++rank) out.worst[rank] = list.index(i);
}

/// The largest |d| / max(|e|, rms of e).
double find_max_scaled(const PairReader& reader, const Walk& walk) {
  const double rms = std::sqrt(walk.totals.expected_square / static_cast<double>(walk.totals.finite));
  double largest = 0;
  for (const std::size_t k : by_bound(walk, rms)) {
    if (!(bound(walk.chunks[k], rms) > largest)) break;
    for_each_in_chunk(reader, k, [&](std::int64_t, const Tile& tile, int i) {
      if (is_finite_pair(tile, i) && tile.difference[i] != 0) {
        largest = std::max(largest, tile.difference[i] / std::max(tile.magnitude[i], rms));
      }
      return true;
    });
  }
  return largest;
}

}  // namespace

SecondLook look_again(const PairReader& reader, const Plan& plan, const Walk& walk) {
  SecondLook out;
  out.worst.fill(-1);
  if (plan.first_mismatch) {
    out.first_mismatch = find_first(
        reader, walk, [](const Totals& t) { return t.mismatch; }, is_mismatch);
  }
  if (plan.first_class_mismatch) {
    out.first_class_mismatch = find_first(
        reader, walk, [](const Totals& t) { return t.class_mismatch; }, is_class_mismatch);
  }
  if (plan.worst) find_worst(reader, plan, walk, out);
  if (plan.scaled && walk.totals.finite != 0) out.max_scaled = find_max_scaled(reader, walk);
  return out;
}

}  // namespace assay::engine
