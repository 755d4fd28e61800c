#include "perturb/change_kernels.hpp"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "perturb/change_kernels.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace assay::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<double, kChangeLanes>;
using V = hn::Vec<D>;
constexpr std::size_t kWidth = hn::MaxLanes(D());
constexpr std::size_t kVectors = kChangeLanes / kWidth;

HWY_INLINE V load(const double* from) { return hn::LoadU(D(), from); }
HWY_INLINE V load(const float* from) { return hn::PromoteTo(D(), hn::LoadU(hn::Rebind<float, D>(), from)); }

/// Calls f(vector, before, after) for all vectors of a block, filled up with zeros at its end.
template <class T, class F>
HWY_INLINE void for_each_vector(const T* before, const T* after, std::size_t count, const F& f) {
  std::size_t i = 0;
  for (; i + kChangeLanes <= count; i += kChangeLanes) {
    for (std::size_t k = 0; k < kVectors; ++k) f(k, load(before + i + k * kWidth), load(after + i + k * kWidth));
  }
  if (i == count) return;
  T last_before[kChangeLanes] = {};
  T last_after[kChangeLanes] = {};
  for (std::size_t k = 0; i < count; ++i, ++k) {
    last_before[k] = before[i];
    last_after[k] = after[i];
  }
  for (std::size_t k = 0; k < kVectors; ++k) f(k, load(last_before + k * kWidth), load(last_after + k * kWidth));
}

/// One of the sums while a block is added. Not fused with the product: a machine without fused multiply-add rounds the same.
struct Lanes {
  explicit HWY_INLINE Lanes(const double* from) {
    for (std::size_t k = 0; k < kVectors; ++k) vector[k] = hn::LoadU(D(), from + k * kWidth);
  }
  HWY_INLINE void add(std::size_t k, V value) { vector[k] = hn::Add(vector[k], value); }
  HWY_INLINE void store(double* to) const {
    for (std::size_t k = 0; k < kVectors; ++k) hn::StoreU(vector[k], D(), to + k * kWidth);
  }

  V vector[kVectors];
};

template <class T>
HWY_INLINE void add_finite_block(const T* before, const T* after, std::size_t count, ChangeSums& sums) {
  const V one = hn::Set(D(), 1.0);
  Lanes difference(sums.difference), whole(sums.before), of_changed(sums.of_changed), changed(sums.changed);
  for_each_vector(before, after, count, [&](std::size_t k, V x, V y) HWY_ATTR {
    const V d = hn::Sub(y, x);
    const V square = hn::Mul(x, x);
    const auto differs = hn::Ne(x, y);
    difference.add(k, hn::Mul(d, d));
    whole.add(k, square);
    of_changed.add(k, hn::IfThenElseZero(differs, square));
    changed.add(k, hn::IfThenElseZero(differs, one));
  });
  difference.store(sums.difference);
  whole.store(sums.before);
  of_changed.store(sums.of_changed);
  changed.store(sums.changed);
}

void add_finite_floats(const float* before, const float* after, std::size_t count, ChangeSums& sums) {
  add_finite_block(before, after, count, sums);
}
void add_finite_doubles(const double* before, const double* after, std::size_t count, ChangeSums& sums) {
  add_finite_block(before, after, count, sums);
}

void add_scaled_doubles(const double* before, const double* after, std::size_t count, double scale, ChangeSums& sums) {
  const V one = hn::Set(D(), 1.0);
  const V factor = hn::Set(D(), scale);
  Lanes difference(sums.difference), whole(sums.before), of_changed(sums.of_changed), changed(sums.changed),
      not_finite(sums.not_finite);
  for_each_vector(before, after, count, [&](std::size_t k, V x, V y) HWY_ATTR {
    const auto finite = hn::And(hn::IsFinite(x), hn::IsFinite(y));
    const V own = hn::IfThenElseZero(finite, hn::Mul(x, factor));
    const V d = hn::Sub(hn::IfThenElseZero(finite, hn::Mul(y, factor)), own);
    const V square = hn::Mul(own, own);
    const auto differs = hn::And(finite, hn::Ne(x, y));
    difference.add(k, hn::Mul(d, d));
    whole.add(k, square);
    of_changed.add(k, hn::IfThenElseZero(differs, square));
    changed.add(k, hn::IfThenElseZero(differs, one));
    not_finite.add(k, hn::IfThenZeroElse(finite, one));
  });
  difference.store(sums.difference);
  whole.store(sums.before);
  of_changed.store(sums.of_changed);
  changed.store(sums.changed);
  not_finite.store(sums.not_finite);
}

template <class T>
HWY_INLINE double largest_relative_block(const T* before, const T* after, std::size_t count, double floor) {
  const V least = hn::Set(D(), floor);
  const V infinite = hn::Inf(D());
  V largest[kVectors];
  for (V& vector : largest) vector = hn::Zero(D());
  for_each_vector(before, after, count, [&](std::size_t k, V x, V y) HWY_ATTR {
    const V ratio = hn::Div(hn::Abs(hn::Sub(y, x)), hn::Max(hn::Abs(x), least));
    const auto same = hn::Or(hn::Eq(x, y), hn::And(hn::IsNaN(x), hn::IsNaN(y)));
    const V relative = hn::IfThenZeroElse(same, hn::IfThenElse(hn::IsNaN(ratio), infinite, ratio));
    largest[k] = hn::Max(largest[k], relative);
  });
  double lanes[kChangeLanes];
  for (std::size_t k = 0; k < kVectors; ++k) hn::StoreU(largest[k], D(), lanes + k * kWidth);
  double out = 0;
  for (const double lane : lanes) out = lane > out ? lane : out;
  return out;
}

double largest_relative_floats(const float* before, const float* after, std::size_t count, double floor) {
  return largest_relative_block(before, after, count, floor);
}
double largest_relative_doubles(const double* before, const double* after, std::size_t count, double floor) {
  return largest_relative_block(before, after, count, floor);
}

}  // namespace assay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assay {

HWY_EXPORT(add_finite_floats);
HWY_EXPORT(add_finite_doubles);
HWY_EXPORT(add_scaled_doubles);
HWY_EXPORT(largest_relative_floats);
HWY_EXPORT(largest_relative_doubles);

void add_finite(const float* before, const float* after, std::size_t count, ChangeSums& sums) {
  HWY_DYNAMIC_DISPATCH(add_finite_floats)(before, after, count, sums);
}
void add_finite(const double* before, const double* after, std::size_t count, ChangeSums& sums) {
  HWY_DYNAMIC_DISPATCH(add_finite_doubles)(before, after, count, sums);
}
void add_scaled(const double* before, const double* after, std::size_t count, double scale, ChangeSums& sums) {
  HWY_DYNAMIC_DISPATCH(add_scaled_doubles)(before, after, count, scale, sums);
}
double largest_relative(const float* before, const float* after, std::size_t count, double floor) {
  return HWY_DYNAMIC_DISPATCH(largest_relative_floats)(before, after, count, floor);
}
double largest_relative(const double* before, const double* after, std::size_t count, double floor) {
  return HWY_DYNAMIC_DISPATCH(largest_relative_doubles)(before, after, count, floor);
}

}  // namespace assay
#endif
