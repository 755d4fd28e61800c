#include "perturb/change.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "assay/sdk/float_format.hpp"
#include "assay/sdk/parallel.hpp"
#include "perturb/change_kernels.hpp"
#include "perturb/number_blocks.hpp"

namespace assay {

namespace {

constexpr double kFloorShare = 1.0 / 1024;
/// Components that a thread takes at a time.
constexpr std::size_t kStretch = 64 * kNumberBlock;
/// usual_change() looks at one block of this many.
constexpr std::size_t kUsual = 16;

bool same(double before, double after) { return before == after || (std::isnan(before) && std::isnan(after)); }

/// Calls f(first, count, before, after) for blocks that cover the components [from, to): floats where both tensors have no finer
/// type, else doubles.
template <class F>
void for_each_block(const NumberReader& before, const NumberReader& after, std::size_t from, std::size_t to, F&& f) {
  if (!before.gives_floats() || !after.gives_floats()) return for_each_pair(before, after, from, to, f);
  float left[kNumberBlock];
  float right[kNumberBlock];
  for (std::size_t first = from; first < to; first += kNumberBlock) {
    const std::size_t count = std::min(kNumberBlock, to - first);
    f(first, count, before.floats(first, count, left), after.floats(first, count, right));
  }
}

/// The sums of stretches of the components, added in their order: add(from, to, sums) fills those of one.
template <class Add>
ChangeSums sums_of_stretches(std::size_t total, std::uint32_t max_threads, const Add& add) {
  const std::size_t count = (total + kStretch - 1) / kStretch;
  if (count == 1) {
    ChangeSums sums;
    add(std::size_t{0}, total, sums);
    return sums;
  }
  std::vector<ChangeSums> parts(count);
  parallel_ranges(count, 1, max_threads, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; ++i) add(i * kStretch, std::min(total, (i + 1) * kStretch), parts[i]);
  });
  for (std::size_t i = 1; i < count; ++i) parts[0].add(parts[i]);
  return parts[0];
}

ChangeSums sums_over(const NumberReader& before, const NumberReader& after, std::size_t total, double scale,
                     std::uint32_t max_threads) {
  return sums_of_stretches(total, max_threads, [&](std::size_t from, std::size_t to, ChangeSums& sums) {
    for_each_pair(before, after, from, to, [&](std::size_t, std::size_t count, const double* left, const double* right) {
      add_scaled(left, right, count, scale, sums);
    });
  });
}

/// The first look: takes every number for finite until the sums say otherwise.
ChangeSums sums_over(const NumberReader& before, const NumberReader& after, std::size_t total, std::uint32_t max_threads) {
  const ChangeSums sums = sums_of_stretches(total, max_threads, [&](std::size_t from, std::size_t to, ChangeSums& part) {
    for_each_block(before, after, from, to, [&](std::size_t, std::size_t count, const auto* left, const auto* right) {
      add_finite(left, right, count, part);
    });
  });
  const bool finite = std::isfinite(ChangeSums::sum(sums.before)) && std::isfinite(ChangeSums::sum(sums.difference));
  return finite ? sums : sums_over(before, after, total, 1, max_threads);
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
  std::size_t block = 0;
  for_each_block(before, after, 0, total, [&](std::size_t first, std::size_t count, const auto* left, const auto* right) {
    const double largest = largest_relative(left, right, count, floor);
    if (largest <= worst) return;
    worst = largest;
    block = first;
  });
  out.worst_relative = worst;
  for_each_pair(before, after, block, std::min(total, block + kNumberBlock),
                [&](std::size_t first, std::size_t count, const double* left, const double* right) {
                  // The part of the block that holds it, then the number.
                  constexpr std::size_t kPart = 32;
                  const auto holds = [&](std::size_t i, std::size_t n) {
                    return largest_relative(left + i, right + i, std::min(n, count - i), floor) == worst;
                  };
                  std::size_t i = 0;
                  while (i + kPart < count && !holds(i, kPart)) i += kPart;
                  while (i + 1 < count && !holds(i, 1)) ++i;
                  out.worst = static_cast<std::int64_t>((first + i) / before.components());
                });
}

}  // namespace

Change change_of(const TensorView& before, const TensorView& after, bool with_worst, std::uint32_t max_threads) {
  Change out;
  out.count = before.numel();
  out.discrete = !is_floating(before.dtype()) && !is_complex(before.dtype());
  if (out.count == 0) return out;
  const NumberReader left(before);
  const NumberReader right(after);
  const std::size_t total = static_cast<std::size_t>(out.count) * left.components();
  ChangeSums sums = sums_over(left, right, total, max_threads);
  out.not_finite = static_cast<std::int64_t>(ChangeSums::sum(sums.not_finite));
  if (left.components() == 1 && out.not_finite == 0) {
    out.changed = static_cast<std::int64_t>(ChangeSums::sum(sums.changed));
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
  if (!usable(ChangeSums::sum(sums.before)) || !usable(ChangeSums::sum(sums.difference))) {
    // Squares of very large or very small numbers leave the range: measured by the largest one.
    const double largest = largest_finite(left, right, total);
    if (largest > 0) scale = 1 / std::max(largest, 1e-300);
    sums = sums_over(left, right, total, scale, max_threads);
  }
  const double difference = ChangeSums::sum(sums.difference);
  const auto share_of = [&](double whole) {
    if (difference == 0) return 0.0;
    return whole > 0 ? std::sqrt(difference / whole) : HUGE_VAL;
  };
  out.relative = share_of(ChangeSums::sum(sums.before));
  out.relative_of_changed = share_of(ChangeSums::sum(sums.of_changed));
  if (with_worst) {
    const double rms = std::sqrt(ChangeSums::sum(sums.before) / static_cast<double>(total)) / scale;
    find_worst(left, right, total, rms * kFloorShare, out);
  }
  return out;
}

double usual_change(const TensorView& before, const TensorView& after) {
  const NumberReader left(before);
  const NumberReader right(after);
  const std::size_t total = static_cast<std::size_t>(before.numel()) * left.components();
  if (total < kUsual * kStretch) return change_of(before, after, false).relative_of_changed;
  ChangeSums sums;
  for (std::size_t from = 0; from < total; from += kUsual * kNumberBlock) {
    for_each_block(left, right, from, std::min(total, from + kNumberBlock),
                   [&](std::size_t, std::size_t count, const auto* x, const auto* y) { add_finite(x, y, count, sums); });
  }
  const double difference = ChangeSums::sum(sums.difference);
  const double whole = ChangeSums::sum(sums.of_changed);
  if (!std::isfinite(whole) || !std::isfinite(difference) || !(whole > 1e-280) || !(difference > 1e-280)) {
    return change_of(before, after, false).relative_of_changed;
  }
  return std::sqrt(difference / whole);
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
