#include "kernels/special.hpp"

#include <cmath>
#include <limits>
#include <numbers>

namespace assay::emulator {

double erfinv(double x) {
  if (std::isnan(x) || std::fabs(x) > 1.0) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (std::fabs(x) == 1.0) {
    return std::copysign(std::numeric_limits<double>::infinity(), x);
  }
  // Winitzki's approximation, then Newton's steps on erf, or on erfc where erf has lost its digits.
  constexpr double kA = 0.147;
  const double logarithm = std::log1p(-x * x);
  const double first = 2.0 / (std::numbers::pi * kA) + logarithm / 2.0;
  double y = std::copysign(std::sqrt(std::sqrt(first * first - logarithm / kA) - first), x);
  for (int step = 0; step < 4; ++step) {
    const double miss =
        std::fabs(y) < 1.0 ? std::erf(y) - x : std::copysign(1.0, x) * ((1.0 - std::fabs(x)) - std::erfc(std::fabs(y)));
    y -= miss / (2.0 / std::sqrt(std::numbers::pi) * std::exp(-y * y));
  }
  return y;
}

double digamma(double x) {
  if (x == 0.0) {
    return std::copysign(std::numeric_limits<double>::infinity(), -x);
  }
  if (x < 0.0) {
    if (x == std::floor(x)) {
      return std::numeric_limits<double>::quiet_NaN();
    }
    return digamma(1.0 - x) - std::numbers::pi / std::tan(std::numbers::pi * (x - std::floor(x)));
  }
  double result = 0.0;
  while (x < 10.0) {
    result -= 1.0 / x;
    x += 1.0;
  }
  const double square = 1.0 / (x * x);
  // The asymptotic series with the Bernoulli numbers.
  const double series =
      square * (1.0 / 12 - square * (1.0 / 120 - square * (1.0 / 252 - square * (1.0 / 240 - square * (1.0 / 132)))));
  return result + std::log(x) - 0.5 / x - series;
}

double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }

double softplus(double x) { return std::fmax(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }

double log_sigmoid(double x) { return std::isnan(x) ? x : -softplus(-x); }

namespace {

constexpr double kTanhScale = 0.7978845608028654;  // sqrt(2 / pi)
constexpr double kTanhCubic = 0.044715;

double normal_share(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

}  // namespace

double gelu_erf(double x) { return x * normal_share(x); }

double gelu_tanh(double x) { return 0.5 * x * (1.0 + std::tanh(kTanhScale * (x + kTanhCubic * x * x * x))); }

double gelu_erf_slope(double x) { return normal_share(x) + x * std::exp(-0.5 * x * x) / std::sqrt(2.0 * std::numbers::pi); }

double gelu_tanh_slope(double x) {
  const double t = std::tanh(kTanhScale * (x + kTanhCubic * x * x * x));
  return 0.5 * (1.0 + t) + 0.5 * x * (1.0 - t * t) * kTanhScale * (1.0 + 3.0 * kTanhCubic * x * x);
}

}  // namespace assay::emulator
