// plugins/operators/common/formulas.hpp: scalar and row formulas that several operators share.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace assay::operators {

/// Without overflow for any x.
inline double sigmoid(double x) {
  if (x >= 0) return 1 / (1 + std::exp(-x));
  const double e = std::exp(x);
  return e / (1 + e);
}

/// Derivative of the sigmoid; keeps its digits where the sigmoid is near 1.
inline double sigmoid_slope(double x) {
  const double e = std::exp(-std::fabs(x));
  return e / ((1 + e) * (1 + e));
}

inline double silu(double x) { return x * sigmoid(x); }
inline double silu_slope(double x) { return sigmoid(x) + x * sigmoid_slope(x); }

struct SoftmaxRow {
  double max;  ///< -infinity for a row without entries
  double sum;  ///< of exp(x - max)
};

/// Softmax of a row in place. Entries of -infinity become 0; a row of nothing else becomes all 0.
inline SoftmaxRow softmax(double* row, std::int64_t size) {
  double max = -std::numeric_limits<double>::infinity();
  for (std::int64_t j = 0; j < size; ++j) {
    // Not std::max: NaN must win.
    if (!(row[j] <= max)) max = row[j];
    if (std::isnan(max)) break;
  }
  if (max == -std::numeric_limits<double>::infinity()) {
    for (std::int64_t j = 0; j < size; ++j) row[j] = 0;
    return {max, 0};
  }
  long double sum = 0;
  for (std::int64_t j = 0; j < size; ++j) {
    row[j] = std::exp(row[j] - max);
    sum += row[j];
  }
  for (std::int64_t j = 0; j < size; ++j) row[j] = static_cast<double>(row[j] / sum);
  return {max, static_cast<double>(sum)};
}

/// Sum of a[i] * b[i].
inline double dot(const double* a, const double* b, std::int64_t size) {
  long double sum = 0;
  for (std::int64_t i = 0; i < size; ++i) sum += static_cast<long double>(a[i]) * b[i];
  return static_cast<double>(sum);
}

/// out[i] += factor * x[i]
inline void add_scaled(double* out, double factor, const double* x, std::int64_t size) {
  for (std::int64_t i = 0; i < size; ++i) out[i] += factor * x[i];
}

}  // namespace assay::operators
