// plugins/comparisons/engine/vector_sums-inl.hpp: the walk over a block's numbers in double: sums and the largest difference.
// Included once for each instruction set.
#if defined(ASSAY_VECTOR_SUMS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ASSAY_VECTOR_SUMS_INL
#undef ASSAY_VECTOR_SUMS_INL
#else
#define ASSAY_VECTOR_SUMS_INL
#endif

#include "float_kernel.hpp"
#include "hwy/highway.h"
#include "vector_fetch-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace assay::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Eight doubles whatever the width of a vector: element i is added in lane i mod 8, so that every machine adds in the same order.
struct EightLanes {
  using D = hn::CappedTag<double, 8>;
  using V = hn::Vec<D>;
  static constexpr int kWidth = static_cast<int>(hn::MaxLanes(D()));
  static constexpr int kVectors = 8 / kWidth;

  V v[kVectors];

  HWY_INLINE EightLanes() {
    for (V& each : v) each = hn::Zero(D());
  }
  HWY_INLINE void lanes(double* out) const {
    for (int k = 0; k < kVectors; ++k) hn::StoreU(v[k], D(), out + k * kWidth);
  }
  [[nodiscard]] HWY_INLINE double sum() const {
    double lane[8];
    lanes(lane);
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
  }
};

struct SumsResult {
  double actual_square = 0, expected_square = 0, product = 0, square = 0, difference = 0;
  double max_difference = 0;
};

HWY_INLINE SumsResult walk_sums(const FloatBlock& block) {
  using D = EightLanes::D;
  using V = EightLanes::V;
  const D d;
  const hn::Rebind<float, D> narrow;
  EightLanes actual_square, expected_square, product, square, difference;
  V largest = hn::Zero(d);
  for (int i = 0; i < block.n; i += 8) {
    if (i % kVectorPadding == 0) fetch_next(block, i, kFetchInSums);
    for (int k = 0; k < EightLanes::kVectors; ++k) {
      const int at = i + k * EightLanes::kWidth;
      const V a = hn::PromoteTo(d, hn::LoadU(narrow, block.actual + at));
      const V e = hn::PromoteTo(d, hn::LoadU(narrow, block.expected + at));
      // Products of float32 numbers are exact in double: fused or not, these sums round the same.
      actual_square.v[k] = hn::MulAdd(a, a, actual_square.v[k]);
      expected_square.v[k] = hn::MulAdd(e, e, expected_square.v[k]);
      product.v[k] = hn::MulAdd(a, e, product.v[k]);
      const V signed_difference = hn::Sub(a, e);
      square.v[k] = hn::Add(square.v[k], hn::Mul(signed_difference, signed_difference));
      const V absolute = hn::Abs(signed_difference);
      difference.v[k] = hn::Add(difference.v[k], absolute);
      largest = hn::Max(largest, absolute);
    }
  }
  SumsResult out;
  out.actual_square = actual_square.sum();
  out.expected_square = expected_square.sum();
  out.product = product.sum();
  out.square = square.sum();
  out.difference = difference.sum();
  out.max_difference = hn::GetLane(hn::MaxOfLanes(d, largest));
  return out;
}

}  // namespace assay::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
