#include "second_look.hpp"

#include <cmath>
#include <limits>

#include "bins.hpp"
#include "block_scan.hpp"

namespace assay::engine {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

template <class Has, class Matches>
std::int64_t find_first(const PairReader& reader, const Walk& walk, Has has, Matches matches) {
  const auto block = std::find_if(walk.blocks.begin(), walk.blocks.end(), has);
  std::int64_t found = -1;
  if (block == walk.blocks.end()) return found;
  for_each_tile(reader, static_cast<std::size_t>(block - walk.blocks.begin()), [&](std::int64_t first, const Tile& tile) {
    for (int i = 0; i < tile.n && found < 0; ++i) {
      if (matches(tile, i)) found = first + i;
    }
    return found < 0;
  });
  return found;
}

/// The largest |d| / max(|e|, floor) that a block can hold, floor > 0.
double scaled_bound(const BlockBounds& block, double floor) {
  return std::max(std::min(block.max_relative, block.max_difference / floor), block.max_difference_at_zero / floor);
}

/// The worst elements so far: larger key first, then lower index.
class WorstList {
 public:
  void add(double key, std::int64_t index) {
    if (!takes(key, index)) return;
    std::size_t at = full() ? count_ - 1 : count_++;
    for (; at > 0 && before(key, index, entries_[at - 1]); --at) entries_[at] = entries_[at - 1];
    entries_[at] = {key, index};
  }
  /// Whether an element with this key at this index enters; for a bound and a first index: whether one could.
  [[nodiscard]] bool takes(double key, std::int64_t index) const {
    return key > 0 && (!full() || before(key, index, entries_[count_ - 1]));
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

/// Class mismatches in order of position; returns how many.
std::size_t find_class_mismatches(const PairReader& reader, const Walk& walk, SecondLook& out) {
  std::size_t rank = 0;
  for (std::size_t k = 0; k < walk.blocks.size() && rank < out.worst.size(); ++k) {
    if (!walk.blocks[k].has_class_mismatch) continue;
    for_each_tile(reader, k, [&](std::int64_t first, const Tile& tile) {
      for (int i = 0; i < tile.n && rank < out.worst.size(); ++i) {
        if (is_class_mismatch(tile, i)) out.worst[rank++] = first + i;
      }
      return rank < out.worst.size();
    });
  }
  return rank;
}

void find_worst(const PairReader& reader, const Plan& plan, const Walk& walk, SecondLook& out) {
  std::size_t rank = walk.totals.class_mismatch == 0 ? 0 : find_class_mismatches(reader, walk, out);
  if (rank == out.worst.size()) return;

  WorstList list;
  const double floor = std::max(walk.totals.max_magnitude * plan.format.epsilon, plan.format.smallest);
  BlockQueue queue(walk.blocks, [&](const BlockBounds& block) { return scaled_bound(block, floor); });
  while (!queue.empty()) {
    const auto [bound, block] = queue.pop();
    if (!list.takes(bound, 0)) break;  // nor would it take anything of a later block
    if (!list.takes(bound, static_cast<std::int64_t>(block) * kBlockSize)) continue;
    for_each_tile(reader, block, [&](std::int64_t first, const Tile& tile) {
      for (int i = 0; i < tile.n; ++i) {
        const double key = tile.difference[i] / std::max(tile.magnitude[i], floor);
        if (list.takes(key, first + i) && is_finite_pair(tile, i)) list.add(key, first + i);
      }
      return true;
    });
  }
  for (std::size_t i = 0; rank < out.worst.size(); ++i, ++rank) out.worst[rank] = list.index(i);
}

/// The largest key(difference, magnitude) over finite pairs that differ; bound(block) is not below any key in the block.
template <class Bound, class Key>
double find_largest(const PairReader& reader, const Walk& walk, Bound bound, Key key) {
  double largest = 0;
  BlockQueue queue(walk.blocks, bound);
  while (!queue.empty()) {
    const auto entry = queue.pop();
    if (!(entry.bound > largest)) break;
    for_each_tile(reader, entry.block, [&](std::int64_t, const Tile& tile) {
      for (int i = 0; i < tile.n; ++i) {
        const double value = key(tile.difference[i], tile.magnitude[i]);
        if (value > largest && tile.difference[i] > 0 && is_finite_pair(tile, i)) largest = value;
      }
      return true;
    });
  }
  return largest;
}

double find_max_scaled(const PairReader& reader, const Walk& walk) {
  const double rms = std::sqrt(walk.totals.expected_square / static_cast<double>(walk.totals.finite));
  if (rms == 0) return walk.totals.max_difference > 0 ? kInf : 0.0;
  return find_largest(
      reader, walk, [&](const BlockBounds& block) { return scaled_bound(block, rms); },
      [&](double difference, double magnitude) { return difference / std::max(magnitude, rms); });
}

double find_max_rtol(const PairReader& reader, const Plan& plan, const Walk& walk) {
  if (walk.totals.max_difference_at_zero > plan.atol) return kInf;
  return find_largest(
      reader, walk, [&](const BlockBounds& block) { return block.max_difference > plan.atol ? block.max_relative : 0.0; },
      [&](double difference, double magnitude) { return magnitude == 0 ? 0.0 : (difference - plan.atol) / magnitude; });
}

/// The middle relative error. Its octave is exact; inside the octave it is placed by the elements of at most kMedianBlocks blocks.
double find_median(const PairReader& reader, const Walk& walk) {
  const std::uint64_t middle = (walk.totals.finite + 1) / 2;
  std::uint64_t below = 0;
  int bin = 0;
  for (; bin < kErrorBins - 1; ++bin) {
    const std::uint64_t in_bin = walk.histograms.error[static_cast<std::size_t>(bin)];
    if (below + in_bin >= middle) break;
    below += in_bin;
  }
  if (bin == 0) return 0;
  const auto in_bin = static_cast<double>(walk.histograms.error[static_cast<std::size_t>(bin)]);
  const double share = (static_cast<double>(middle - below) - 0.5) / in_bin;

  std::vector<double> inside;
  const std::size_t blocks = walk.blocks.size();
  const std::size_t samples = std::min(blocks, kMedianBlocks);
  for (std::size_t s = 0; s < samples; ++s) {
    for_each_tile(reader, s * blocks / samples, [&](std::int64_t, const Tile& tile) {
      for (int i = 0; i < tile.n; ++i) {
        const double relative = tile.difference[i] / tile.magnitude[i];
        if (tile.difference[i] > 0 && error_bin(relative) == bin && is_finite_pair(tile, i)) inside.push_back(relative);
      }
      return true;
    });
  }
  if (inside.empty()) return std::ldexp(1.5, bin - kUnitErrorBin);
  const auto at = inside.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(inside.size()));
  std::nth_element(inside.begin(), at, inside.end());
  return *at;
}

}  // namespace

SecondLook look_again(const PairReader& reader, const Plan& plan, const Walk& walk) {
  SecondLook out;
  out.worst.fill(-1);
  if (plan.first_mismatch) {
    out.first_mismatch = find_first(
        reader, walk, [](const BlockBounds& block) { return block.has_mismatch; }, is_mismatch);
  }
  if (plan.first_class_mismatch) {
    out.first_class_mismatch = find_first(
        reader, walk, [](const BlockBounds& block) { return block.has_class_mismatch; }, is_class_mismatch);
  }
  if (plan.worst) find_worst(reader, plan, walk, out);
  if (walk.totals.finite == 0) return out;
  if (plan.scaled) out.max_scaled = find_max_scaled(reader, walk);
  if (plan.rtol) out.max_rtol = find_max_rtol(reader, plan, walk);
  if (plan.median) out.median_relative = find_median(reader, walk);
  return out;
}

}  // namespace assay::engine
