#include "general_block.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bins.hpp"
#include "classes.hpp"

namespace assay::engine {
namespace {

/// A sum in eight lanes: the order of additions of a vector of eight.
struct LaneSum {
  double lanes[8] = {};
  void add(int lane, double value) { lanes[lane] += value; }
  [[nodiscard]] double total() const {
    return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
  }
};

struct BlockSums {
  LaneSum actual_square, expected_square, product, square, difference, relative, ulp;
  LaneSum normal_relative, normal_square, peer_ulp;
};

/// A non-finite pair as the peer judges it: both clipped to the finite range of the tested dtype.
bool special_is_wrong(const PeerLimits& limits, double actual, double expected) {
  if (std::isnan(actual) || std::isnan(expected)) return std::isnan(actual) != std::isnan(expected);
  const double clipped_actual = std::clamp(actual, -limits.largest, limits.largest);
  const double clipped_expected = std::clamp(expected, -limits.largest, limits.largest);
  double difference = std::fabs(clipped_actual - clipped_expected);
  if (difference > limits.overflow) difference = std::numeric_limits<double>::infinity();
  return !(difference / (std::fabs(expected) + limits.epsilon) <= limits.rtol);
}

/// The peer's float8 distance, with its sign.
double float8_ulp(double actual, double expected) {
  const double tiny = std::ldexp(1.0, -1000);
  const auto sign = [](double x) { return x > 0 ? 1.0 : (x < 0 ? -1.0 : x); };
  const double log_expected = std::max(std::log2(std::fabs(expected) + tiny), -22.0);
  const double exponent = std::floor(log_expected);
  const double distance_from_one = std::fabs(exponent);
  const double width = distance_from_one <= 3 ? 3 : (distance_from_one <= 7 ? 2 : (distance_from_one <= 15 ? 1 : 0));
  if (width > 0) return (actual - expected) * std::exp2(width - exponent);
  return sign(actual) * std::log2(std::fabs(actual) + tiny) - sign(expected) * log_expected;
}

double peer_ulp(const PeerLimits& limits, double actual, double expected) {
  if (limits.signed_ulp) return float8_ulp(actual, expected);
  const double magnitude = std::fabs(expected);
  if (!std::isfinite(magnitude)) return std::numeric_limits<double>::quiet_NaN();
  // Zero has exponent 0 in the peer's formula, not the smallest one.
  const int exponent = magnitude == 0 ? 0 : std::max(std::ilogb(magnitude), limits.ulp_min_exponent);
  return std::ldexp(std::fabs(actual - expected), limits.ulp_fraction_bits - exponent);
}

void gather_peer(const Tile& tile, const Plan& plan, int i, PeerTotals& totals, BlockSums& sums) {
  const PeerLimits& limits = plan.limits;
  const int lane = i % 8;
  const double actual = tile.actual[i];
  const double expected = tile.expected[i];
  const double rounded = tile.rounded[i];
  const double difference = std::fabs(actual - expected);
  const double magnitude = std::fabs(expected);
  const double relative = difference / (magnitude + limits.epsilon);
  totals.below[0] += relative < 1e-2 ? 1 : 0;
  totals.below[1] += relative < 1e-3 ? 1 : 0;
  totals.below[2] += relative < 1e-4 ? 1 : 0;
  totals.positive += actual > rounded ? 1 : 0;
  totals.negative += actual < rounded ? 1 : 0;
  if (!std::isfinite(actual) || !std::isfinite(rounded)) {
    ++totals.special;
    totals.special_wrong += special_is_wrong(limits, actual, rounded) ? 1 : 0;
  } else if (magnitude <= limits.small_value) {
    ++totals.small;
    totals.small_over_benchmark += difference > limits.atol_benchmark ? 1 : 0;
    totals.small_over_absolute += difference > limits.atol_absolute ? 1 : 0;
  } else {
    totals.normal_over_rtol += relative > limits.rtol ? 1 : 0;
    totals.normal_max_relative = std::max(totals.normal_max_relative, relative);
    sums.normal_relative.add(lane, relative);
    sums.normal_square.add(lane, difference * difference);
  }
  if (limits.has_ulp) {
    const double ulp = peer_ulp(limits, actual, expected);
    totals.ulp_over += ulp > limits.ulp_share_above ? 1 : 0;
    if (!(ulp <= totals.ulp_max)) totals.ulp_max = std::isnan(totals.ulp_max) ? totals.ulp_max : ulp;
    sums.peer_ulp.add(lane, ulp);
  }
}

void count_class(NumberClass number, std::uint64_t& nan, std::uint64_t& pos_inf, std::uint64_t& neg_inf) {
  switch (number) {
    case NumberClass::kNan: ++nan; break;
    case NumberClass::kPosInf: ++pos_inf; break;
    case NumberClass::kNegInf: ++neg_inf; break;
    case NumberClass::kFinite: break;
  }
}

/// Counts the pair's classes; whether both are finite, so that its numbers count.
bool gather_classes(const Tile& tile, int i, Totals& totals) {
  const double* actual = tile.actual + i * tile.parts;
  const double* expected = tile.expected + i * tile.parts;
  const NumberClass of_actual = class_of(actual, tile.parts);
  const NumberClass of_expected = class_of(expected, tile.parts);
  if (of_actual == NumberClass::kFinite && of_expected == NumberClass::kFinite) return true;
  count_class(of_actual, totals.nan_actual, totals.pos_inf_actual, totals.neg_inf_actual);
  count_class(of_expected, totals.nan_expected, totals.pos_inf_expected, totals.neg_inf_expected);
  const bool same = same_class(actual, expected, tile.parts);
  const bool equal = same_value(actual, expected, tile.parts);
  totals.class_mismatch += same ? 0 : 1;
  totals.equal_nan += equal && of_actual == NumberClass::kNan ? 1 : 0;
  totals.equal_inf += same && of_actual != NumberClass::kNan ? 1 : 0;
  totals.mismatch += equal ? 0 : 1;
  return false;
}

void gather_squares(const Tile& tile, int i, BlockSums& sums) {
  double actual_square = 0;
  double expected_square = 0;
  double product = 0;
  double square = 0;
  for (int part = i * tile.parts; part < (i + 1) * tile.parts; ++part) {
    const double actual = tile.actual[part];
    const double expected = tile.expected[part];
    actual_square += actual * actual;
    expected_square += expected * expected;
    product += actual * expected;
    square += (actual - expected) * (actual - expected);
  }
  const int lane = i % 8;
  sums.actual_square.add(lane, actual_square);
  sums.expected_square.add(lane, expected_square);
  sums.product.add(lane, product);
  sums.square.add(lane, square);
}

void gather_relative(const Tile& tile, const Plan& plan, int i, Totals& totals, BlockSums& sums, Histograms& histograms) {
  const double difference = tile.difference[i];
  const double magnitude = tile.magnitude[i];
  double relative = 0;
  Bounds& bounds = totals.bounds;
  bounds.max_difference = std::max(bounds.max_difference, difference);
  if (magnitude != 0) {
    relative = difference / magnitude;
    bounds.max_relative = std::max(bounds.max_relative, relative);
    bounds.max_rtol = std::max(bounds.max_rtol, (difference - plan.atol) / magnitude);
    if (plan.scale_guess > 0) bounds.max_scaled = std::max(bounds.max_scaled, std::min(relative, difference / plan.scale_guess));
  } else if (difference != 0) {
    relative = std::numeric_limits<double>::infinity();
    bounds.max_difference_at_zero = std::max(bounds.max_difference_at_zero, difference);
  }
  if (relative <= std::numeric_limits<double>::max()) {
    ++totals.finite_relative;
    sums.relative.add(i % 8, relative);
  }
  if (plan.error_bins) ++histograms.error[static_cast<std::size_t>(error_bin(relative))];
}

void gather_tile(const Tile& tile, const Plan& plan, Totals& totals, BlockSums& sums, Histograms& histograms) {
  for (int i = 0; i < tile.n; ++i) {
    const double* actual = tile.actual + i * tile.parts;
    totals.zero_actual += actual[0] == 0 && (tile.parts == 1 || actual[1] == 0) ? 1 : 0;
    if (plan.peer) gather_peer(tile, plan, i, totals.peer, sums);
    if (!gather_classes(tile, i, totals)) continue;

    ++totals.finite;
    const double difference = tile.difference[i];
    totals.mismatch += difference != 0 ? 1 : 0;
    totals.max_difference = std::max(totals.max_difference, difference);
    totals.max_magnitude = std::max(totals.max_magnitude, tile.magnitude[i]);
    for (int part = 0; part < tile.parts; ++part) totals.max_actual = std::max(totals.max_actual, std::fabs(actual[part]));
    sums.difference.add(i % 8, difference);
    if (plan.sums) gather_squares(tile, i, sums);
    gather_relative(tile, plan, i, totals, sums, histograms);
    totals.max_ulp = std::max(totals.max_ulp, tile.ulp[i]);
    sums.ulp.add(i % 8, static_cast<double>(tile.ulp[i]));
    if (plan.ulp_bins) ++histograms.ulp[static_cast<std::size_t>(ulp_bin(tile.ulp[i]))];
  }
}

}  // namespace

void gather_general_block(const PairReader& reader, const Plan& plan, std::int64_t begin, int n, Totals& totals,
                          Histograms& histograms) {
  BlockSums sums;
  Tile tile;
  for (int done = 0; done < n; done += Tile::kSize) {
    reader.read(begin + done, std::min(Tile::kSize, n - done), tile, PairReader::kWithUlp);
    gather_tile(tile, plan, totals, sums, histograms);
  }
  totals.count += static_cast<std::uint64_t>(n);
  totals.actual_square += sums.actual_square.total();
  totals.expected_square += sums.expected_square.total();
  totals.product += sums.product.total();
  totals.square += sums.square.total();
  totals.difference += sums.difference.total();
  totals.relative += sums.relative.total();
  totals.ulp += sums.ulp.total();
  totals.peer.normal_relative += sums.normal_relative.total();
  totals.peer.normal_square += sums.normal_square.total();
  totals.peer.ulp += sums.peer_ulp.total();
}

}  // namespace assay::engine
