#include "peer_block.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace assay::engine {
namespace {

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

}  // namespace

void PeerBlock::gather(const Tile& tile, PeerTotals& totals) {
  if (limits_.is_single) {
    gather_as<float>(tile, totals);
  } else {
    gather_as<double>(tile, totals);
  }
}

template <class Real>
void PeerBlock::gather_as(const Tile& tile, PeerTotals& totals) {
  const auto epsilon = static_cast<Real>(limits_.epsilon);
  for (int i = 0; i < tile.n; ++i) {
    const auto actual = static_cast<Real>(tile.actual[i]);
    const auto expected = static_cast<Real>(tile.expected[i]);
    const double rounded = tile.rounded[i];
    const Real difference = std::fabs(actual - expected);
    const Real magnitude = std::fabs(expected);
    const Real relative = difference / (magnitude + epsilon);
    totals.below[0] += relative < static_cast<Real>(1e-2) ? 1 : 0;
    totals.below[1] += relative < static_cast<Real>(1e-3) ? 1 : 0;
    totals.below[2] += relative < static_cast<Real>(1e-4) ? 1 : 0;
    totals.positive += tile.actual[i] > rounded ? 1 : 0;
    totals.negative += tile.actual[i] < rounded ? 1 : 0;
    if (!std::isfinite(actual) || !std::isfinite(rounded)) {
      ++totals.special;
      totals.special_wrong += special_is_wrong(limits_, tile.actual[i], rounded) ? 1 : 0;
    } else if (magnitude <= static_cast<Real>(limits_.small_value)) {
      ++totals.small;
      totals.small_over_benchmark += difference > static_cast<Real>(limits_.atol_benchmark) ? 1 : 0;
      totals.small_over_absolute += difference > static_cast<Real>(limits_.atol_absolute) ? 1 : 0;
    } else {
      totals.normal_over_rtol += relative > static_cast<Real>(limits_.rtol) ? 1 : 0;
      totals.normal_max_relative = std::max(totals.normal_max_relative, static_cast<double>(relative));
      normal_relative_.add(i % 8, static_cast<double>(relative));
      normal_square_.add(i % 8, static_cast<double>(difference) * static_cast<double>(difference));
    }
    if (limits_.has_ulp) {
      const double ulp = peer_ulp(limits_, tile.actual[i], tile.expected[i]);
      totals.ulp_over += ulp > limits_.ulp_share_above ? 1 : 0;
      if (!(ulp <= totals.ulp_max)) totals.ulp_max = std::isnan(totals.ulp_max) ? totals.ulp_max : ulp;
      ulp_.add(i % 8, ulp);
    }
  }
}

void PeerBlock::finish(PeerTotals& totals) const {
  totals.normal_relative += normal_relative_.total();
  totals.normal_square += normal_square_.total();
  totals.ulp += ulp_.total();
}

}  // namespace assay::engine
