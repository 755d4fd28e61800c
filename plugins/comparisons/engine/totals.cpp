#include "totals.hpp"

#include <algorithm>
#include <cmath>

namespace assay::engine {

void PeerTotals::merge(const PeerTotals& next) {
  for (int i = 0; i < 3; ++i) below[i] += next.below[i];
  small += next.small;
  small_over_benchmark += next.small_over_benchmark;
  small_over_absolute += next.small_over_absolute;
  normal_over_rtol += next.normal_over_rtol;
  special += next.special;
  special_wrong += next.special_wrong;
  positive += next.positive;
  negative += next.negative;
  ulp_over += next.ulp_over;
  normal_max_relative = std::max(normal_max_relative, next.normal_max_relative);
  normal_relative += next.normal_relative;
  normal_square += next.normal_square;
  ulp_max = std::isnan(ulp_max) || next.ulp_max < ulp_max ? ulp_max : next.ulp_max;
  ulp += next.ulp;
}

void Bounds::merge(const Bounds& next) {
  max_difference = std::max(max_difference, next.max_difference);
  max_difference_at_zero = std::max(max_difference_at_zero, next.max_difference_at_zero);
  max_relative = std::max(max_relative, next.max_relative);
  max_scaled = std::max(max_scaled, next.max_scaled);
  max_rtol = std::max(max_rtol, next.max_rtol);
}

void Totals::merge(const Totals& next) {
  count += next.count;
  finite += next.finite;
  mismatch += next.mismatch;
  class_mismatch += next.class_mismatch;
  nan_actual += next.nan_actual;
  nan_expected += next.nan_expected;
  pos_inf_actual += next.pos_inf_actual;
  pos_inf_expected += next.pos_inf_expected;
  neg_inf_actual += next.neg_inf_actual;
  neg_inf_expected += next.neg_inf_expected;
  equal_nan += next.equal_nan;
  equal_inf += next.equal_inf;
  zero_actual += next.zero_actual;
  finite_relative += next.finite_relative;
  max_difference = std::max(max_difference, next.max_difference);
  is_rounded = is_rounded || next.is_rounded;
  max_magnitude = std::max(max_magnitude, next.max_magnitude);
  max_actual = std::max(max_actual, next.max_actual);
  max_ulp = std::max(max_ulp, next.max_ulp);
  actual_square += next.actual_square;
  expected_square += next.expected_square;
  product += next.product;
  square += next.square;
  difference += next.difference;
  relative += next.relative;
  ulp += next.ulp;
  bounds.merge(next.bounds);
  peer.merge(next.peer);
}

void Histograms::merge(const Histograms& next) {
  for (std::size_t i = 0; i < ulp.size(); ++i) ulp[i] += next.ulp[i];
  for (std::size_t i = 0; i < error.size(); ++i) error[i] += next.error[i];
}

Totals merge_pairwise(const Totals* first, std::size_t count) {
  if (count == 0) return {};
  if (count == 1) return *first;
  Totals left = merge_pairwise(first, count / 2);
  left.merge(merge_pairwise(first + count / 2, count - count / 2));
  return left;
}

}  // namespace assay::engine
