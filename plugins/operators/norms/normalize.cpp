#include "normalize.hpp"

#include <cmath>

#include "formulas.hpp"

namespace assay::operators {

RowStatistics normalize(const double* x, std::int64_t size, double epsilon, double* normalized) {
  long double sum = 0;
  for (std::int64_t i = 0; i < size; ++i) sum += x[i];
  const long double mean = sum / static_cast<long double>(size);
  long double squares = 0;
  for (std::int64_t i = 0; i < size; ++i) squares += (x[i] - mean) * (x[i] - mean);
  const long double rstd = 1 / std::sqrt(squares / static_cast<long double>(size) + epsilon);
  for (std::int64_t i = 0; i < size; ++i) normalized[i] = static_cast<double>((x[i] - mean) * rstd);
  return {static_cast<double>(mean), static_cast<double>(rstd)};
}

void normalize_backward(const double* d_normalized, const double* normalized, double rstd, std::int64_t size, double* dx) {
  long double sum = 0;
  for (std::int64_t i = 0; i < size; ++i) sum += d_normalized[i];
  const long double mean = sum / static_cast<long double>(size);
  const long double along = dot(d_normalized, normalized, size) / static_cast<long double>(size);
  for (std::int64_t i = 0; i < size; ++i) dx[i] = static_cast<double>(rstd * (d_normalized[i] - mean - normalized[i] * along));
}

std::optional<Array> sums_like(const std::optional<Array>& parameter, const std::vector<long double>& sums) {
  if (!parameter) return std::nullopt;
  return from_sums(parameter->shape, sums);
}

}  // namespace assay::operators
