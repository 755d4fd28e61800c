#include "second_look.hpp"

#include <cmath>
#include <limits>
#include <memory>

#include "bins.hpp"
#include "block_scan.hpp"
#include "tile_kernel.hpp"
#include "worst_list.hpp"

namespace assay::engine {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kTiniest = std::numeric_limits<double>::denorm_min();

template <class Has, class Matches>
std::int64_t find_first(BlockReader& reader, const Walk& walk, Has has, Matches matches) {
  const auto block = std::find_if(walk.blocks.begin(), walk.blocks.end(), has);
  std::int64_t found = -1;
  if (block == walk.blocks.end()) return found;
  reader.for_each_tile(static_cast<std::size_t>(block - walk.blocks.begin()), [&](std::int64_t first, const Tile& tile) {
    for (int i = 0; i < tile.n && found < 0; ++i) {
      if (matches(tile, i)) found = first + i;
    }
    return found < 0;
  });
  return found;
}

/// Decides how far down a queue of blocks is worth reading.
class Patience {
 public:
  /// Whether a block with this bound may hold more than `best`; blocks too close to tell are allowed a few times.
  bool allows(double bound, double best) {
    if (bound > best * (1 + kBoundSlack)) return true;
    return bound * (1 + kBoundSlack) > best && left_-- > 0;
  }

 private:
  int left_ = kTiedBlocks;
};

/// Class mismatches in order of position; returns how many.
std::size_t find_class_mismatches(BlockReader& reader, const Walk& walk, SecondLook& out) {
  std::size_t rank = 0;
  for (std::size_t k = 0; k < walk.blocks.size() && rank < out.worst.size(); ++k) {
    if (!walk.blocks[k].has_class_mismatch) continue;
    reader.for_each_tile(k, [&](std::int64_t first, const Tile& tile) {
      for (int i = 0; i < tile.n && rank < out.worst.size(); ++i) {
        if (is_class_mismatch(tile, i)) out.worst[rank++] = first + i;
      }
      return rank < out.worst.size();
    });
  }
  return rank;
}

/// Elements by |d| / max(|e|, root mean square of e), and the largest of these.
void find_worst(BlockReader& reader, const Plan& plan, const Walk& walk, SecondLook& out) {
  const double rms = out.norms.rms_expected;
  const double floor = rms > 0 ? rms : 1;  // expected holds zeros only: the difference itself
  const double by_guess = std::max(1.0, plan.scale_guess / floor);
  BlockQueue queue(walk.blocks, [&](const BlockBounds& block) {
    const double at_zero = block.max_difference_at_zero / floor;
    const double bound = std::min(block.max_relative, block.max_difference / floor);
    return std::max(at_zero, plan.scale_guess > 0 ? std::min(bound, block.max_scaled * by_guess) : bound);
  });
  WorstList list;
  Patience patience;
  double keys[Tile::kSize];
  while (!queue.empty()) {
    const auto [bound, block] = queue.pop();
    if (!patience.allows(bound, list.least())) break;
    reader.for_each_tile(block, [&](std::int64_t first, const Tile& tile) {
      floored_ratios(tile.difference, tile.magnitude, floor, tile.n, keys);
      for (int i = 0; i < tile.n; ++i) {
        if (keys[i] >= list.least() && list.takes(keys[i], first + i) && is_finite_pair(tile, i)) list.add(keys[i], first + i);
      }
      return true;
    });
  }
  out.max_scaled = rms > 0 || walk.totals.max_difference == 0 ? list.key(0) : kInf;

  std::size_t rank = walk.totals.class_mismatch == 0 ? 0 : find_class_mismatches(reader, walk, out);
  for (std::size_t i = 0; rank < out.worst.size(); ++i, ++rank) out.worst[rank] = list.index(i);
}

/// The largest (|d| - less) / |e| over finite pairs with e not 0, at least 0; bound(block) is not below any in the block.
template <class Bound>
double find_largest(BlockReader& reader, const Walk& walk, double less, Bound bound) {
  double largest = 0;
  BlockQueue queue(walk.blocks, bound);
  Patience patience;
  double reduced[Tile::kSize];
  double ratios[Tile::kSize];
  while (!queue.empty()) {
    const auto entry = queue.pop();
    if (!patience.allows(entry.bound, largest)) break;
    reader.for_each_tile(entry.block, [&](std::int64_t, const Tile& tile) {
      for (int i = 0; i < tile.n; ++i) reduced[i] = tile.difference[i] - less;
      floored_ratios(reduced, tile.magnitude, kTiniest, tile.n, ratios);
      for (int i = 0; i < tile.n; ++i) {
        if (ratios[i] > largest && tile.magnitude[i] > 0 && is_finite_pair(tile, i)) largest = ratios[i];
      }
      return true;
    });
  }
  return largest;
}

double find_max_difference(BlockReader& reader, const Walk& walk) {
  double largest = 0;
  BlockQueue queue(walk.blocks, [](const BlockBounds& block) { return block.max_difference; });
  Patience patience;
  while (!queue.empty()) {
    const auto [bound, block] = queue.pop();
    if (!patience.allows(bound, largest)) break;
    reader.for_each_tile(block, [&](std::int64_t, const Tile& tile) {
      for (int i = 0; i < tile.n; ++i) {
        if (tile.difference[i] > largest && is_finite_pair(tile, i)) largest = tile.difference[i];
      }
      return true;
    });
  }
  return largest;
}

double find_max_relative(BlockReader& reader, const Walk& walk) {
  return find_largest(reader, walk, 0, [](const BlockBounds& block) { return block.max_relative; });
}

double find_max_rtol(BlockReader& reader, const Plan& plan, const Walk& walk) {
  if (walk.totals.bounds.max_difference_at_zero > plan.atol) return kInf;
  return find_largest(reader, walk, plan.atol, [&](const BlockBounds& block) {
    if (block.max_difference <= plan.atol) return 0.0;
    return plan.rtol_bound ? block.max_rtol : block.max_relative;
  });
}

/// Where the middle element lies in the error histogram.
struct MedianPlace {
  int bin = 0;
  double share = 0;  ///< of the bin's elements that come before it
};

MedianPlace median_place(const Walk& walk) {
  const std::uint64_t middle = (walk.totals.finite + 1) / 2;
  std::uint64_t below = 0;
  int bin = 0;
  for (; bin < kErrorBins - 1; ++bin) {
    const std::uint64_t in_bin = walk.histograms.error[static_cast<std::size_t>(bin)];
    if (below + in_bin >= middle) break;
    below += in_bin;
  }
  const auto in_bin = static_cast<double>(walk.histograms.error[static_cast<std::size_t>(bin)]);
  return {bin, (static_cast<double>(middle - below) - 0.5) / in_bin};
}

/// The middle relative error. Its octave is exact; inside the octave it is placed by the elements of at most kMedianBlocks blocks.
double find_median(BlockReader& reader, const Walk& walk) {
  const auto [bin, share] = median_place(walk);
  if (bin == 0) return 0;
  const double low = bin == 1 ? kTiniest : std::ldexp(1.0, bin - kUnitErrorBin);
  if (low >= 1) return low;  // no bit is kept, wherever inside
  const double high = std::ldexp(2.0, bin - kUnitErrorBin);

  const std::size_t blocks = walk.blocks.size();
  const std::size_t samples = std::min(blocks, kMedianBlocks);
  const auto room = std::min(samples * kBlockSize, static_cast<std::size_t>(reader.numel()));
  const std::unique_ptr<double[]> inside(new double[room + 1]);
  std::size_t count = 0;
  double ratios[Tile::kSize];
  for (std::size_t s = 0; s < samples; ++s) {
    reader.for_each_tile(s * blocks / samples, [&](std::int64_t, const Tile& tile) {
      floored_ratios(tile.difference, tile.magnitude, kTiniest, tile.n, ratios);
      // Written always and kept sometimes: a branch here would be a coin toss.
      for (int i = 0; i < tile.n; ++i) {
        inside[count] = ratios[i];
        count += ratios[i] >= low && ratios[i] < high ? 1 : 0;
      }
      return true;
    });
  }
  if (count == 0) return std::sqrt(low * high);
  double* const at = inside.get() + static_cast<std::size_t>(share * static_cast<double>(count));
  std::nth_element(inside.get(), at, inside.get() + count);
  return *at;
}

}  // namespace

double guess_scale(const PairReader& reader) {
  constexpr std::int64_t kPlaces = 64;
  constexpr std::int64_t kRun = 64;
  const std::int64_t numel = reader.actual().numel();
  if (numel <= kBlockSize) return 0;
  Tile tile;
  double square = 0;
  double count = 0;
  for (std::int64_t place = 0; place < kPlaces; ++place) {
    reader.read((numel - kRun) / kPlaces * place, kRun, tile, PairReader::kWithoutUlp);
    for (int i = 0; i < tile.n; ++i) {
      if (!is_finite_pair(tile, i)) continue;
      square += tile.magnitude[i] * tile.magnitude[i];
      ++count;
    }
  }
  const double scale = std::sqrt(square / count);
  return scale > 0x1p-100 && scale < 0x1p100 ? scale : 0.0;
}

SecondLook look_again(const PairReader& pair, const Plan& plan, const Walk& walk) {
  BlockReader reader(pair);
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
  if (plan.sums) out.norms = find_norms(reader, walk);
  if (plan.worst || plan.scaled) find_worst(reader, plan, walk, out);
  if (walk.totals.finite == 0) return out;
  const Totals& totals = walk.totals;
  out.max_difference = plan.difference && totals.is_rounded ? find_max_difference(reader, walk) : totals.max_difference;
  if (plan.relative) {
    out.max_relative_nonzero = find_max_relative(reader, walk);
    out.max_relative = walk.totals.bounds.max_difference_at_zero > 0 ? kInf : out.max_relative_nonzero;
  }
  if (plan.rtol) out.max_rtol = find_max_rtol(reader, plan, walk);
  if (plan.median) out.median_relative = find_median(reader, walk);
  return out;
}

}  // namespace assay::engine
