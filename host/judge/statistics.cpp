#include "judge/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace assay {

double two_sided_tail(double sigma) { return std::erfc(sigma / std::sqrt(2.0)); }

double binomial_p_value(double n, double count, double p) {
  if (n <= 0) return 1;
  // The far side of the mean mirrored, so that only lower tails are summed.
  const bool upper = count > n * p;
  const double k = upper ? n - count : count;
  const double q = upper ? 1 - p : p;
  double term =
      std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + k * std::log(q) + (n - k) * std::log1p(-q));
  double sum = 0;
  for (double j = k; j >= 0 && term > sum * 1e-17; --j) {
    sum += term;
    term *= j / (n - j + 1) * (1 - q) / q;
  }
  return std::min(1.0, 2 * sum);
}

double same_distribution_p_value(std::vector<double>& left, std::vector<double>& right) {
  if (left.empty() || right.empty()) return left.size() == right.size() ? 1 : 0;
  std::sort(left.begin(), left.end());
  std::sort(right.begin(), right.end());
  const auto n = static_cast<double>(left.size());
  const auto m = static_cast<double>(right.size());
  double distance = 0;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < left.size() && j < right.size()) {
    const double x = std::min(left[i], right[j]);
    while (i < left.size() && left[i] <= x) ++i;
    while (j < right.size() && right[j] <= x) ++j;
    distance = std::max(distance, std::fabs(static_cast<double>(i) / n - static_cast<double>(j) / m));
  }
  return std::min(1.0, 2 * std::exp(-2 * distance * distance * n * m / (n + m)));
}

}  // namespace assay
