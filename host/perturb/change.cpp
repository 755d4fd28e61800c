#include "perturb/change.hpp"

#include <algorithm>
#include <cmath>

#include "assay/sdk/float_format.hpp"
#include "assay/sdk/simd.hpp"
#include "perturb/number_blocks.hpp"

namespace assay {

namespace {

constexpr double kFloorShare = 1.0 / 1024;

bool same(double before, double after) { return before == after || (std::isnan(before) && std::isnan(after)); }

constexpr std::size_t kLanes = 8;

/// What one walk over both tensors finds. The sums have several lanes, which the compiler keeps in vector registers.
struct Walk {
  double difference[kLanes] = {};
  double before[kLanes] = {};
  double of_changed[kLanes] = {};
  double not_finite[kLanes] = {};
  double changed[kLanes] = {};

  static double sum(const double (&lanes)[kLanes]) {
    double total = 0;
    for (const double lane : lanes) total += lane;
    return total;
  }
};

/// Adds the squares of numbers times `scale`; count is a multiple of the lanes.
ASSAY_MULTIVERSION void add_block(const double* left, const double* right, std::size_t count, double scale, Walk& walk) {
  Walk sums = walk;
  for (std::size_t i = 0; i < count; i += kLanes) {
    for (std::size_t k = 0; k < kLanes; ++k) {
      const double l = left[i + k];
      const double r = right[i + k];
      // x - x is 0 for numbers and NaN for the rest.
      const double finite = (l - l == 0 ? 1.0 : 0.0) * (r - r == 0 ? 1.0 : 0.0);
      const double x = finite != 0 ? l * scale : 0.0;
      const double d = finite != 0 ? r * scale - x : 0.0;
      const double differs = l != r ? finite : 0.0;
      sums.difference[k] += d * d;
      sums.before[k] += x * x;
      sums.of_changed[k] += differs * (x * x);
      sums.changed[k] += differs;
      sums.not_finite[k] += 1.0 - finite;
    }
  }
  walk = sums;
}

/// The largest relative change of a block; infinite where a number is no longer one or came from nothing. count as above.
ASSAY_MULTIVERSION double largest_change(const double* left, const double* right, std::size_t count, double floor) {
  double largest[kLanes] = {};
  for (std::size_t i = 0; i < count; i += kLanes) {
    for (std::size_t k = 0; k < kLanes; ++k) {
      const double l = left[i + k];
      const double r = right[i + k];
      const double magnitude = std::fabs(l);
      const double scale = magnitude > floor ? magnitude : floor;
      const double ratio = std::fabs(r - l) / scale;
      const bool same_kind = (l == r) | ((l != l) & (r != r));
      const double relative = same_kind ? 0.0 : (ratio == ratio ? ratio : HUGE_VAL);
      largest[k] = relative > largest[k] ? relative : largest[k];
    }
  }
  return *std::max_element(largest, largest + kLanes);
}

/// Calls f(first, count, before, after) for all blocks, the last one filled up with zeros to a multiple of the lanes.
template <class F>
void for_each_padded(const NumberReader& before, const NumberReader& after, std::size_t total, F&& f) {
  for_each_pair(before, after, 0, total, [&](std::size_t first, std::size_t count, const double* left, const double* right) {
    const std::size_t whole = count / kLanes * kLanes;
    if (whole != 0) f(first, whole, left, right);
    if (whole == count) return;
    double last_left[kLanes] = {};
    double last_right[kLanes] = {};
    std::copy(left + whole, left + count, last_left);
    std::copy(right + whole, right + count, last_right);
    f(first + whole, kLanes, static_cast<const double*>(last_left), static_cast<const double*>(last_right));
  });
}

Walk walk_over(const NumberReader& before, const NumberReader& after, std::size_t total, double scale) {
  Walk walk;
  for_each_padded(before, after, total, [&](std::size_t, std::size_t count, const double* left, const double* right) {
    add_block(left, right, count, scale, walk);
  });
  return walk;
}

/// The exact counts, where numbers that are not finite or elements of two parts make them more than a sum.
void count_elements(const NumberReader& before, const NumberReader& after, std::size_t total, Change& out) {
  const std::size_t components = before.components();
  for_each_pair(before, after, 0, total, [&](std::size_t, std::size_t count, const double* x, const double* y) {
    for (std::size_t i = 0; i < count; i += components) {
      bool changed = false;
      for (std::size_t c = i; c < i + components; ++c) {
        if (same(x[c], y[c])) continue;
        changed = true;
        if (std::isfinite(x[c]) && std::isnan(y[c])) ++out.became_nan;
        if (std::isfinite(x[c]) && std::isinf(y[c])) ++out.overflowed;
        if (!std::isfinite(x[c]) && std::isfinite(y[c])) ++out.became_finite;
      }
      out.changed += changed ? 1 : 0;
    }
  });
}

double largest_finite(const NumberReader& before, const NumberReader& after, std::size_t total) {
  double largest = 0;
  for_each_pair(before, after, 0, total, [&](std::size_t, std::size_t count, const double* left, const double* right) {
    for (std::size_t i = 0; i < count; ++i) {
      if (std::isfinite(left[i])) largest = std::max(largest, std::fabs(left[i]));
      if (std::isfinite(right[i])) largest = std::max(largest, std::fabs(right[i]));
    }
  });
  return largest;
}

void find_worst(const NumberReader& before, const NumberReader& after, std::size_t total, double floor, Change& out) {
  double worst = 0;
  for_each_padded(before, after, total, [&](std::size_t first, std::size_t count, const double* left, const double* right) {
    const double largest = largest_change(left, right, count, floor);
    if (largest <= worst) return;
    worst = largest;
    for (std::size_t i = 0; i < count; ++i) {
      double one_left[kLanes] = {left[i]};
      double one_right[kLanes] = {right[i]};
      if (largest_change(one_left, one_right, kLanes, floor) != largest) continue;
      out.worst = static_cast<std::int64_t>((first + i) / before.components());
      break;
    }
  });
  out.worst_relative = worst;
}

}  // namespace

Change change_of(const TensorView& before, const TensorView& after, bool with_worst) {
  Change out;
  out.count = before.numel();
  out.discrete = !is_floating(before.dtype()) && !is_complex(before.dtype());
  if (out.count == 0) return out;
  const NumberReader left(before);
  const NumberReader right(after);
  const std::size_t total = static_cast<std::size_t>(out.count) * left.components();
  Walk walk = walk_over(left, right, total, 1);
  if (left.components() == 1 && Walk::sum(walk.not_finite) == 0) {
    out.changed = static_cast<std::int64_t>(Walk::sum(walk.changed));
  } else {
    count_elements(left, right, total, out);
  }
  if (out.changed == 0) return out;
  if (out.discrete) {
    out.relative = static_cast<double>(out.changed) / static_cast<double>(out.count);
    out.relative_of_changed = 1;
    if (with_worst) find_worst(left, right, total, 0, out);
    return out;
  }
  const auto usable = [](double sum) { return std::isfinite(sum) && sum > 1e-280; };
  double scale = 1;
  if (!usable(Walk::sum(walk.before)) || !usable(Walk::sum(walk.difference))) {
    // Squares of very large or very small numbers leave the range: measured by the largest one.
    const double largest = largest_finite(left, right, total);
    if (largest > 0) scale = 1 / std::max(largest, 1e-300);
    walk = walk_over(left, right, total, scale);
  }
  const double difference = Walk::sum(walk.difference);
  const auto share_of = [&](double whole) {
    if (difference == 0) return 0.0;
    return whole > 0 ? std::sqrt(difference / whole) : HUGE_VAL;
  };
  out.relative = share_of(Walk::sum(walk.before));
  out.relative_of_changed = share_of(Walk::sum(walk.of_changed));
  if (with_worst) {
    const double rms = std::sqrt(Walk::sum(walk.before) / static_cast<double>(total)) / scale;
    find_worst(left, right, total, rms * kFloorShare, out);
  }
  return out;
}

double significant_bits(double relative_change) {
  if (!(relative_change < 1)) return 0;
  return relative_change > 0 ? -std::log2(relative_change) : 1074;
}

double unit_roundoff(assay_dtype dtype) {
  if (!is_floating(dtype) && !is_complex(dtype)) return 0;
  return visit_format(dtype, [](auto format) { return std::ldexp(1.0, -decltype(format)::kFractionBits - 1); });
}

}  // namespace assay
