// The peer's float metrics as array formulas: errors in float32 where neither side is wider, everything else in long double.
#include <algorithm>
#include <cmath>
#include <limits>

#include "metrics_support.hpp"

namespace assay::test {

void add_torch(const Tensor& actual, const Tensor& expected, Numbers& out);

namespace {

using Real = long double;
using Array = std::vector<Real>;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Column {
  Real small_value, atol_absolute, atol_benchmark, rtol;
};

Column column_of(assay_dtype dtype) {
  if (dtype == kFloat16) return {0x1p-10L, 0x1p-16L, 1e-16L, 0x1p-10L};
  if (dtype == kBFloat16) return {0x1p-10L, 1e-16L, 1e-16L, 0x1p-8L};
  return {0x1p-20L, 0x1p-30L, 0x1p-30L, 0x1p-20L};
}

Real machine_epsilon(assay_dtype actual, assay_dtype expected) {
  if (actual == kBFloat16) return 0x1p-8L;
  if (expected == kFloat64) return 0x1p-52L;
  if (expected == kFloat16) return 0x1p-10L;
  if (expected == kFloat8E4M3FN) return 0x1p-3L;
  return expected == kFloat8E5M2 ? 0x1p-2L : 0x1p-23L;
}

Real largest_finite(assay_dtype dtype) {
  if (dtype == kFloat16) return 65504;
  if (dtype == kBFloat16) return 0x1.fep127L;
  if (dtype == kFloat8E4M3FN) return 448;
  if (dtype == kFloat8E5M2) return 57344;
  return dtype == kFloat32 ? Real(std::numeric_limits<float>::max()) : Real(std::numeric_limits<double>::max());
}

// |a - e| and |a - e| / (|e| + epsilon) in the arithmetic of the pair's dtypes.
struct Errors {
  bool single;
  Real epsilon;

  [[nodiscard]] Real absolute(Real a, Real e) const {
    return single ? Real(std::fabs(static_cast<float>(a) - static_cast<float>(e)))
                  : Real(std::fabs(static_cast<double>(a) - static_cast<double>(e)));
  }
  [[nodiscard]] Real relative(Real a, Real e) const {
    if (!single) return static_cast<Real>(static_cast<double>(absolute(a, e)) / static_cast<double>(std::fabs(e) + epsilon));
    return static_cast<float>(absolute(a, e)) / (std::fabs(static_cast<float>(e)) + static_cast<float>(epsilon));
  }
};

double share(const Array& values, auto&& predicate) {
  return static_cast<double>(std::count_if(values.begin(), values.end(), predicate)) / static_cast<double>(values.size());
}

double maximum(const Array& values) {
  for (const Real v : values) {
    if (std::isnan(v)) return kNan;
  }
  return static_cast<double>(*std::max_element(values.begin(), values.end()));
}

double mean(const Array& values) {
  Real sum = 0;
  for (const Real v : values) sum += v;
  return static_cast<double>(sum / static_cast<Real>(values.size()));
}

std::vector<double> cosine(Array a, Array e) {
  const auto scale = [](Array& values) {
    Real largest = 0;
    for (const Real v : values) largest = std::isnan(v) ? v : std::max(largest, std::fabs(v));
    for (Real& v : values) v /= largest;
    return largest;
  };
  if (a.size() == 1 && std::isfinite(a[0]) && std::isfinite(e[0])) return {};
  const Real max_a = scale(a);
  const Real max_e = scale(e);
  if (max_a <= 0x1p-52L && max_e <= 0x1p-52L) return {};
  if (max_a <= 0x1p-52L || max_e <= 0x1p-52L) return {0.0};
  Real ae = 0, aa = 0, ee = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ae += a[i] * e[i];
    aa += a[i] * a[i];
    ee += e[i] * e[i];
  }
  const Real value = ae / (std::sqrt(aa) * std::sqrt(ee));
  return {static_cast<double>(std::isnan(value) ? value : std::clamp<Real>(value, -1, 1))};
}

Real float_ulp(assay_dtype dtype, Real a, Real e) {
  const int bits = dtype == kFloat16 ? 10 : (dtype == kBFloat16 ? 7 : 23);
  const Real floor = dtype == kFloat16 ? -14 : -126;
  const Real exponent = e == 0 ? std::max<Real>(0, floor) : std::max(std::floor(std::log2(std::fabs(e))), floor);
  return std::fabs(a - e) * std::exp2(bits - exponent);
}

Real float8_ulp(Real h, Real x) {
  const auto sign = [](Real v) { return static_cast<Real>((v > 0) - (v < 0)); };
  const Real ex = std::max<Real>(std::log2(std::fabs(x) + std::exp2(-1000.0L)), -22);
  const Real rounded = std::floor(ex);
  const Real size = std::fabs(rounded);
  const int width = size <= 3 ? 3 : (size <= 7 ? 2 : (size <= 15 ? 1 : 0));
  if (width > 0) return (h - x) * std::exp2(width - rounded);
  return sign(h) * std::log2(std::fabs(h) + std::exp2(-1000.0L)) - sign(x) * ex;
}

void add_ulp(assay_dtype dtype, const Array& a, const Array& e, Numbers& out) {
  const bool eight = dtype == kFloat8E4M3FN || dtype == kFloat8E5M2;
  if (!eight && dtype != kFloat16 && dtype != kBFloat16 && dtype != kFloat32) return;
  Array ulp;
  for (std::size_t i = 0; i < a.size(); ++i) ulp.push_back(eight ? float8_ulp(a[i], e[i]) : float_ulp(dtype, a[i], e[i]));
  const Real limit = dtype == kFloat32 ? 32 : 1;
  out["msprobe_ulp_max"] = {maximum(ulp)};
  out["msprobe_ulp_mean"] = {mean(ulp)};
  out["msprobe_ulp_share"] = {share(ulp, [&](Real u) { return u > limit; })};
}

void add_standards(assay_dtype dtype, const Errors& errors, const Array& a, const Array& e, const Array& rounded, Numbers& out) {
  const Column column = column_of(dtype);
  const Real largest = largest_finite(dtype);
  const Real overflow = dtype == kFloat16 ? largest : std::max(largest, Real(std::numeric_limits<float>::max()));
  const auto in_arithmetic = [&](Real limit) { return errors.single ? Real(static_cast<float>(limit)) : limit; };
  const auto n = static_cast<Real>(a.size());
  Array small, normal;
  Real square = 0, special = 0, wrong = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Real ae = errors.absolute(a[i], e[i]);
    if (!std::isfinite(a[i]) || !std::isfinite(rounded[i])) {
      ++special;
      if (std::isnan(a[i]) && std::isnan(rounded[i])) continue;
      Real d = std::fabs(std::clamp(a[i], -largest, largest) - std::clamp(rounded[i], -largest, largest));
      if (d > overflow) d = std::numeric_limits<Real>::infinity();
      if (!(d / (std::fabs(rounded[i]) + errors.epsilon) <= column.rtol)) ++wrong;
    } else if (std::fabs(e[i]) <= column.small_value) {
      small.push_back(ae);
    } else {
      normal.push_back(errors.relative(a[i], e[i]));
      square += ae * ae;
    }
  }
  const auto masked = special + static_cast<Real>(small.size());
  out["msprobe_rmse"] = {static_cast<double>(std::sqrt(square / n * (n / (n - masked + 0.0001L) + 0.0001L)))};
  out["msprobe_inf_nan_error_ratio"] = {special == 0 ? 0.0 : static_cast<double>(wrong / special)};
  out["msprobe_max_rel_error"] = {normal.empty() ? 0.0 : maximum(normal)};
  out["msprobe_mean_rel_error"] = {normal.empty() ? 0.0 : mean(normal)};
  out["msprobe_relative_error_ratio"] = {normal.empty() ? 0.0 : share(normal, [&](Real r) { return r > column.rtol; })};
  out["msprobe_small_value_error_ratio"] = {
      small.empty() ? 0.0 : share(small, [&](Real d) { return d > in_arithmetic(column.atol_benchmark); })};
  out["msprobe_absolute_error_ratio"] = {
      small.empty() ? 0.0 : share(small, [&](Real d) { return d > in_arithmetic(column.atol_absolute); })};
}

}  // namespace

void add_torch(const Tensor& actual, const Tensor& expected, Numbers& out) {
  for (const char* name :
       {"cosine", "max_abs_error", "hundredth_ratio", "thousandth_ratio", "ten_thousandth_ratio", "error_rate", "error_balance",
        "rmse", "small_value_error_ratio", "max_rel_error", "mean_rel_error", "inf_nan_error_ratio", "relative_error_ratio",
        "absolute_error_ratio", "ulp_max", "ulp_mean", "ulp_share"}) {
    out[std::string("msprobe_") + name] = {};
  }
  const bool floats = is_floating(actual.dtype()) && is_floating(expected.dtype());
  if (floats && actual.numel() == 0) {
    for (const char* name : {"msprobe_hundredth_ratio", "msprobe_thousandth_ratio", "msprobe_ten_thousandth_ratio"})
      out[name] = {1.0};
  }
  if (actual.numel() == 0) return;

  const std::vector<double> a_numbers = numbers_of(actual);
  const std::vector<double> e_numbers = numbers_of(expected);
  const std::size_t parts = a_numbers.size() / static_cast<std::size_t>(actual.numel());
  double unequal = 0;
  for (std::size_t i = 0; i < a_numbers.size(); i += parts) {
    unequal += a_numbers[i] != e_numbers[i] || a_numbers[i + parts - 1] != e_numbers[i + parts - 1] ? 1 : 0;
  }
  out["msprobe_error_rate"] = {unequal / static_cast<double>(actual.numel())};
  if (!floats) return;

  const std::vector<double> rounded_numbers = numbers_of(make_tensor(actual.dtype(), e_numbers));
  const Array a(a_numbers.begin(), a_numbers.end());
  const Array e(e_numbers.begin(), e_numbers.end());
  const Array rounded(rounded_numbers.begin(), rounded_numbers.end());
  const Errors errors{actual.dtype().bits <= 32 && expected.dtype().bits <= 32, machine_epsilon(actual.dtype(), expected.dtype())};
  Array ae, re, signs;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ae.push_back(std::fabs(a[i] - e[i]));
    re.push_back(errors.relative(a[i], e[i]));
    signs.push_back(static_cast<Real>((a[i] > rounded[i]) - (a[i] < rounded[i])));
  }
  const auto below = [&](double limit) {
    return [limit = errors.single ? Real(static_cast<float>(limit)) : Real(limit)](Real r) { return r < limit; };
  };
  out["msprobe_cosine"] = cosine(a, e);
  out["msprobe_max_abs_error"] = {maximum(ae)};
  out["msprobe_hundredth_ratio"] = {share(re, below(1e-2))};
  out["msprobe_thousandth_ratio"] = {share(re, below(1e-3))};
  out["msprobe_ten_thousandth_ratio"] = {share(re, below(1e-4))};
  out["msprobe_error_balance"] = {std::fabs(mean(signs))};
  add_standards(actual.dtype(), errors, a, e, rounded, out);
  add_ulp(actual.dtype(), a, e, out);
}

}  // namespace assay::test
