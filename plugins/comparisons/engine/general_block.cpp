#include "general_block.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "bins.hpp"
#include "classes.hpp"
#include "lane_sum.hpp"
#include "peer_block.hpp"
#include "tile_kernel.hpp"

namespace assay::engine {
namespace {

/// How often each bin occurs, in several tables, so that equal neighbours don't wait for each other.
struct BinCounts {
  std::uint32_t tables[4][64] = {};

  /// `spare` of the zeros among the bins don't count.
  void add(const std::uint8_t* bins, int n, std::uint64_t spare) {
    for (int i = 0; i < n; ++i) ++tables[i % 4][bins[i]];
    tables[0][0] -= static_cast<std::uint32_t>(spare);
  }
  void finish(std::array<std::uint64_t, 64>& counts) const {
    for (std::size_t bin = 0; bin < counts.size(); ++bin) {
      // Only the sum of the tables is a count: what was spared may have been counted in another table.
      counts[bin] += tables[0][bin] + tables[1][bin] + tables[2][bin] + tables[3][bin];
    }
  }
};
static_assert(kUlpBins == 64 && kErrorBins == 64);

struct BlockSums {
  BinCounts ulp_bins, error_bins;
  LaneSum actual_square, expected_square, product, square, ulp;
  RelativeTerms relative;
};

void count_class(NumberClass number, std::uint64_t& nan, std::uint64_t& pos_inf, std::uint64_t& neg_inf) {
  switch (number) {
    case NumberClass::kNan: ++nan; break;
    case NumberClass::kPosInf: ++pos_inf; break;
    case NumberClass::kNegInf: ++neg_inf; break;
    case NumberClass::kFinite: break;
  }
}

/// Counts the classes of a pair that is not finite on both sides.
void count_special(const Tile& tile, int i, Totals& totals) {
  const double* actual = tile.actual + i * tile.parts;
  const double* expected = tile.expected + i * tile.parts;
  const NumberClass of_actual = class_of(actual, tile.parts);
  count_class(of_actual, totals.nan_actual, totals.pos_inf_actual, totals.neg_inf_actual);
  count_class(class_of(expected, tile.parts), totals.nan_expected, totals.pos_inf_expected, totals.neg_inf_expected);
  const bool same = same_class(actual, expected, tile.parts);
  const bool equal = same_value(actual, expected, tile.parts);
  totals.class_mismatch += same ? 0 : 1;
  totals.equal_nan += equal && of_actual == NumberClass::kNan ? 1 : 0;
  totals.equal_inf += same && of_actual != NumberClass::kNan ? 1 : 0;
  totals.mismatch += equal ? 0 : 1;
}

bool all_finite(const Tile& tile) {
  // 0 * x is 0 for finite numbers and NaN for all others.
  double probe = 0;
  for (int i = 0; i < tile.n * tile.parts; ++i) probe += 0 * tile.actual[i] + 0 * tile.expected[i];
  return probe == 0;
}

/// Takes the pairs that are not finite on both sides out of the numbers: counts them and puts zeros in their place. Returns how
/// many.
int take_special_out(Tile& tile, Totals& totals) {
  if (all_finite(tile)) return 0;
  int taken = 0;
  for (int i = 0; i < tile.n; ++i) {
    if (is_finite_pair(tile, i)) continue;
    ++taken;
    count_special(tile, i, totals);
    // A zero of actual that stands beside NaN or infinity was counted before.
    for (int part = i * tile.parts; part < (i + 1) * tile.parts; ++part) tile.actual[part] = tile.expected[part] = 0;
    tile.difference[i] = tile.magnitude[i] = 0;
    tile.ulp[i] = 0;
  }
  return taken;
}

std::uint64_t count_zeros(const Tile& tile) {
  std::uint64_t zeros = 0;
  if (tile.parts == 1) {
    for (int i = 0; i < tile.n; ++i) zeros += tile.actual[i] == 0 ? 1 : 0;
  } else {
    for (int i = 0; i < tile.n; ++i) zeros += tile.actual[2 * i] == 0 && tile.actual[2 * i + 1] == 0 ? 1 : 0;
  }
  return zeros;
}

double largest_part(const double* values, int n) {
  double result = 0;
  for (int i = 0; i < n; ++i) result = std::max(result, std::fabs(values[i]));
  return result;
}

/// Adds a tile to the sums of its block. Pads the tile.
void gather_tile(Tile& tile, const Plan& plan, Totals& totals, BlockSums& sums) {
  totals.count += static_cast<std::uint64_t>(tile.n);
  totals.zero_actual += count_zeros(tile);
  const auto taken = static_cast<std::uint64_t>(take_special_out(tile, totals));
  const std::uint64_t finite = static_cast<std::uint64_t>(tile.n) - taken;
  totals.finite += finite;

  const int padded = tile.pad(kTilePadding);
  if (plan.sums) {
    add_squares(tile.actual, tile.expected, padded * tile.parts, sums.actual_square, sums.expected_square, sums.product,
                sums.square);
  }
  std::uint8_t bins[Tile::kSize];
  const std::uint64_t infinite_before = sums.relative.infinite;
  add_relative(tile.difference, tile.magnitude, padded, sums.relative, bins);
  totals.finite_relative += finite - (sums.relative.infinite - infinite_before);
  if (plan.error_bins) sums.error_bins.add(bins, tile.n, taken);
  if (plan.ulp || plan.ulp_bins) {
    totals.max_ulp = std::max(totals.max_ulp, add_distances(tile.ulp, padded, sums.ulp, bins));
    if (plan.ulp_bins) sums.ulp_bins.add(bins, tile.n, taken);
  }
}

}  // namespace

void gather_general_block(const PairReader& reader, const Plan& plan, std::int64_t begin, int n, Totals& totals,
                          Histograms& histograms) {
  BlockSums sums;
  sums.relative.scale = plan.scale_guess;
  sums.relative.atol = plan.atol;
  PeerBlock peer(plan.limits);
  Tile tile;
  for (int done = 0; done < n; done += Tile::kSize) {
    reader.read(begin + done, std::min(Tile::kSize, n - done), tile, PairReader::kWithUlp);
    if (plan.peer) {
      totals.max_actual = std::max(totals.max_actual, largest_part(tile.actual, tile.n));
      peer.gather(tile, totals.peer);
    }
    gather_tile(tile, plan, totals, sums);
  }
  if (plan.peer) peer.finish(totals.peer);
  if (plan.ulp_bins) sums.ulp_bins.finish(histograms.ulp);
  if (plan.error_bins) sums.error_bins.finish(histograms.error);
  totals.actual_square += sums.actual_square.total();
  totals.expected_square += sums.expected_square.total();
  totals.product += sums.product.total();
  totals.square += sums.square.total();
  const RelativeTerms& relative = sums.relative;
  totals.difference += relative.difference_sum.total();
  totals.relative += relative.relative_sum.total();
  totals.mismatch += relative.different;
  totals.max_difference = std::max(totals.max_difference, relative.max_difference);
  totals.max_magnitude = std::max(totals.max_magnitude, relative.max_magnitude);
  totals.bounds.merge(
      {relative.max_difference, relative.max_difference_at_zero, relative.max_relative, relative.max_scaled, relative.max_rtol});
  totals.ulp += sums.ulp.total();
}

}  // namespace assay::engine
