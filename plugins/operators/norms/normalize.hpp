// plugins/operators/norms/normalize.hpp: what layer and group normalisation share: a row with mean 0 and variance 1.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "array.hpp"

namespace assay::operators {

struct RowStatistics {
  double mean;
  double rstd;  ///< 1 / sqrt(variance + epsilon); the variance is that of the whole row, not of a sample
};

/// `normalized` = (x - mean) * rstd. Sums in extended precision.
RowStatistics normalize(const double* x, std::int64_t size, double epsilon, double* normalized);

/// The gradient of normalize: from d loss / d normalized to d loss / d x.
void normalize_backward(const double* d_normalized, const double* normalized, double rstd, std::int64_t size, double* dx);

/// The gradient of an optional weight or bias from its sums; none where there is no such parameter.
std::optional<Array> sums_like(const std::optional<Array>& parameter, const std::vector<long double>& sums);

}  // namespace assay::operators
