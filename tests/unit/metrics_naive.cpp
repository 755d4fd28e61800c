// Every metric from its definition, one plain loop each, in long double.
#include <algorithm>
#include <cmath>
#include <limits>

#include "metrics_support.hpp"

namespace assay::test {
namespace {

using Real = long double;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

struct Part {
  Real a, e, rounded;
};
struct Element {
  std::vector<Part> parts;
  Real d = 0, magnitude = 0, ulp = 0;
  [[nodiscard]] bool finite() const {
    return std::all_of(parts.begin(), parts.end(), [](const Part& p) { return std::isfinite(p.a) && std::isfinite(p.e); });
  }
  [[nodiscard]] bool same_class() const {
    return std::all_of(parts.begin(), parts.end(), [](const Part& p) {
      if (std::isfinite(p.a) || std::isfinite(p.e)) return std::isfinite(p.a) && std::isfinite(p.e);
      return std::isnan(p.a) ? std::isnan(p.e) : p.a == p.e;
    });
  }
  [[nodiscard]] bool same_value() const {
    return std::all_of(parts.begin(), parts.end(),
                       [](const Part& p) { return p.a == p.e || (std::isnan(p.a) && std::isnan(p.e)); });
  }
  [[nodiscard]] Real relative() const { return d == 0 ? 0 : (magnitude == 0 ? Real(kInf) : d / magnitude); }
};

struct Limits {
  int fraction_bits;  // of the significand, without the hidden bit
  int min_exponent;
};

Limits limits_of(assay_dtype dtype) {
  if (dtype == kFloat8E4M3FN) return {3, -6};
  if (dtype == kFloat8E5M2) return {2, -14};
  if (dtype == kBFloat16) return {7, -126};
  switch (is_complex(dtype) ? dtype.bits / 2 : dtype.bits) {
    case 16: return {10, -14};
    case 32: return {23, -126};
    default: return {52, -1022};
  }
}

bool is_float_family(assay_dtype dtype) { return is_floating(dtype) || is_complex(dtype); }

// A number's rank: how many spacings of its format lie between 0 and it.
Real rank(assay_dtype dtype, Real value) {
  if (!is_float_family(dtype)) return value;
  const Limits limits = limits_of(dtype);
  const Real magnitude = std::fabs(value);
  if (magnitude == 0) return 0;
  const int exponent = std::max(std::ilogb(magnitude), limits.min_exponent);
  const Real units = std::ldexp(magnitude, limits.fraction_bits - exponent);
  const Real binades = static_cast<Real>(exponent - limits.min_exponent) * std::ldexp(Real(1), limits.fraction_bits);
  return std::copysign(binades + units, value);
}

std::vector<Element> elements_of(const Tensor& actual, const Tensor& expected) {
  const std::vector<double> a = numbers_of(actual);
  const std::vector<double> e = numbers_of(expected);
  const std::size_t parts = is_complex(actual.dtype()) ? 2 : 1;
  const assay_dtype part = is_complex(actual.dtype()) ? make_dtype(ASSAY_DTYPE_FLOAT, actual.dtype().bits / 2) : actual.dtype();
  const std::vector<double> rounded = is_float_family(part) ? numbers_of(make_tensor(part, e)) : e;
  std::vector<Element> elements(a.size() / parts);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    Element& element = elements[i];
    Real d2 = 0;
    Real m2 = 0;
    for (std::size_t k = i * parts; k < (i + 1) * parts; ++k) {
      element.parts.push_back({a[k], e[k], rounded[k]});
      d2 += (Real(a[k]) - e[k]) * (Real(a[k]) - e[k]);
      m2 += Real(e[k]) * e[k];
      element.ulp = std::max(element.ulp, std::fabs(rank(part, a[k]) - rank(part, rounded[k])));
    }
    element.d = parts == 1 ? std::fabs(Real(a[i]) - e[i]) : std::sqrt(d2);
    element.magnitude = parts == 1 ? std::fabs(Real(e[i])) : std::sqrt(m2);
  }
  return elements;
}

std::size_t octave_bin(Real relative) {
  if (relative == 0) return 0;
  if (relative >= 2) return 63;
  return static_cast<std::size_t>(std::max(1, std::ilogb(relative) + 62));
}

std::size_t ulp_bin(Real ulp) {
  std::size_t bin = 0;
  for (Real limit = 0; ulp > limit && bin < 63; limit = limit == 0 ? 1 : limit * 2) ++bin;
  return bin;
}

double count(const std::vector<Element>& all, auto&& predicate) {
  return static_cast<double>(std::count_if(all.begin(), all.end(), predicate));
}

double first(const std::vector<Element>& all, auto&& predicate) {
  const auto found = std::find_if(all.begin(), all.end(), predicate);
  return found == all.end() ? -1.0 : static_cast<double>(found - all.begin());
}

// Of a complex number: NaN if a part is; +inf or -inf by its first infinite part.
double class_count(const std::vector<Element>& all, bool of_actual, double wanted) {
  return count(all, [&](const Element& element) {
    std::vector<Real> parts;
    for (const Part& p : element.parts) parts.push_back(of_actual ? p.a : p.e);
    const bool nan = std::any_of(parts.begin(), parts.end(), [](Real x) { return std::isnan(x); });
    if (std::isnan(wanted)) return nan;
    const auto infinite = std::find_if(parts.begin(), parts.end(), [](Real x) { return std::isinf(x); });
    return !nan && infinite != parts.end() && *infinite == Real(wanted);
  });
}

// By what worst_indices is ordered: class mismatches before everything else.
Real worst_key(const Element& element, Real floor) {
  if (!element.same_class()) return std::numeric_limits<Real>::infinity();
  return element.finite() ? element.d / std::max(element.magnitude, floor) : 0;
}

Real worst_floor(const std::vector<Element>& all) {
  Real square = 0;
  Real finite = 0;
  for (const Element& element : all) {
    if (!element.finite()) continue;
    square += element.magnitude * element.magnitude;
    ++finite;
  }
  const Real rms = finite == 0 ? 0 : std::sqrt(square / finite);
  return rms > 0 ? rms : 1;
}

std::vector<double> worst(const std::vector<Element>& all) {
  const Real floor = worst_floor(all);
  std::vector<std::pair<Real, double>> order;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Real key = worst_key(all[i], floor);
    if (key > 0) order.emplace_back(key, static_cast<double>(i));
  }
  std::stable_sort(order.begin(), order.end(), [](const auto& l, const auto& r) { return l.first > r.first; });
  std::vector<double> out(8, -1.0);
  for (std::size_t i = 0; i < std::min<std::size_t>(8, order.size()); ++i) out[i] = order[i].second;
  return out;
}

double to_double(Real value) { return static_cast<double>(value); }

void add_own(const std::vector<Element>& all, assay_dtype dtype, double atol_option, Numbers& out) {
  const bool floats = is_float_family(dtype);
  const Real smallest = floats ? std::ldexp(Real(1), limits_of(dtype).min_exponent) : 1;
  const Real atol = atol_option >= 0 ? atol_option : (floats ? smallest : 0);
  const int precision =
      floats ? limits_of(dtype).fraction_bits + 1 : (dtype == kBool ? 1 : dtype.bits - (dtype.code == ASSAY_DTYPE_INT ? 1 : 0));
  Real aa = 0, ee = 0, ae = 0, dd = 0, sum_d = 0, sum_r = 0, sum_ulp = 0;
  Real max_d = 0, max_r = 0, max_e = 0, max_ulp = 0, rtol = 0;
  double finite = 0, finite_r = 0;
  std::vector<double> ulps(64), errors(64);
  std::vector<Real> bits;
  for (const Element& element : all) {
    if (!element.finite()) continue;
    ++finite;
    for (const Part& p : element.parts) {
      aa += p.a * p.a;
      ee += p.e * p.e;
      ae += p.a * p.e;
      dd += (p.a - p.e) * (p.a - p.e);
    }
    const Real r = element.relative();
    sum_d += element.d;
    max_d = std::max(max_d, element.d);
    max_e = std::max(max_e, element.magnitude);
    max_r = std::max(max_r, r);
    if (std::isfinite(static_cast<double>(r))) {
      sum_r += r;
      ++finite_r;
    }
    if (element.d > atol) rtol = std::max(rtol, element.magnitude == 0 ? Real(kInf) : (element.d - atol) / element.magnitude);
    max_ulp = std::max(max_ulp, element.ulp);
    sum_ulp += element.ulp;
    ++ulps[ulp_bin(element.ulp)];
    ++errors[octave_bin(static_cast<double>(r))];
    bits.push_back(std::clamp<Real>(-std::log2(r), 0, precision));
  }
  const auto if_any = [&](Real value) { return finite == 0 ? std::vector<double>() : std::vector<double>{to_double(value)}; };
  const Real rms = std::sqrt(ee / finite);
  Real scaled = 0;
  for (const Element& element : all) {
    if (element.finite() && element.d != 0) scaled = std::max(scaled, element.d / std::max(element.magnitude, rms));
  }
  std::sort(bits.begin(), bits.end(), std::greater<>());

  const double class_mismatch = count(all, [](const Element& x) { return !x.same_class(); });
  const Real norms = std::sqrt(aa) * std::sqrt(ee);
  out["numel"] = {static_cast<double>(all.size())};
  out["cosine"] = {class_mismatch != 0 ? kNan : to_double(aa == 0 && ee == 0 ? 1 : (norms == 0 ? 0 : ae / norms))};
  out["max_abs_error"] = if_any(max_d);
  out["mean_abs_error"] = if_any(sum_d / finite);
  out["max_rel_error"] = if_any(max_r);
  out["mean_rel_error"] = finite_r == 0 ? std::vector<double>() : std::vector<double>{to_double(sum_r / finite_r)};
  out["rel_l2_error"] = if_any(dd == 0 ? 0 : std::sqrt(dd) / std::sqrt(ee));
  out["max_abs_expected"] = if_any(max_e);
  out["rms_expected"] = if_any(rms);
  out["max_ulp"] = if_any(max_ulp);
  out["mean_ulp"] = if_any(sum_ulp / finite);
  out["ulp_histogram"] = ulps;
  out["significant_bits_worst"] = if_any(bits.empty() ? 0 : bits.back());
  out["significant_bits_median"] = if_any(bits.empty() ? 0 : bits[(bits.size() - 1) / 2]);
  out["mismatch_count"] = {count(all, [](const Element& x) { return !x.same_value(); })};
  out["mismatch_first"] = {first(all, [](const Element& x) { return !x.same_value(); })};
  out["nan_actual"] = {class_count(all, true, kNan)};
  out["nan_expected"] = {class_count(all, false, kNan)};
  out["pos_inf_actual"] = {class_count(all, true, kInf)};
  out["pos_inf_expected"] = {class_count(all, false, kInf)};
  out["neg_inf_actual"] = {class_count(all, true, -kInf)};
  out["neg_inf_expected"] = {class_count(all, false, -kInf)};
  out["class_mismatch_count"] = {class_mismatch};
  out["class_mismatch_first"] = {first(all, [](const Element& x) { return !x.same_class(); })};
  out["rtol_to_pass"] = if_any(rtol);
  out["worst_indices"] = worst(all);
  out["worst_index"] = {out["worst_indices"][0]};
  out["error_histogram"] = errors;
  out["max_scaled_error"] = if_any(scaled);
  out["zero_count_actual"] = {count(
      all, [](const Element& x) { return std::all_of(x.parts.begin(), x.parts.end(), [](const Part& p) { return p.a == 0; }); })};
}

void add_mint(const std::vector<Element>& all, Numbers& out) {
  const char* const names[] = {"msprobe_mint_cosine", "msprobe_mint_max_abs_error", "msprobe_mint_max_rel_error"};
  for (const char* name : names) out[name] = {};
  if (all.empty() || all[0].parts.size() == 2) return;
  Real product = 0, a_square = 0, e_square = 0, max_abs = 0, max_rel = 0;
  const auto numpy_max = [](Real& largest, Real value) { largest = std::isnan(largest) || value < largest ? largest : value; };
  for (const Element& element : all) {
    const Real a = element.parts[0].a;
    const Real e = element.parts[0].e;
    product += a * e;
    a_square += a * a;
    e_square += e * e;
    numpy_max(max_abs, std::fabs(e - a));
    numpy_max(max_rel, std::fabs(e - a) / (std::fabs(e) + (e == 0 ? 1e-8L : 0.0L)));
  }
  out[names[0]] = {to_double((1e-8L + product) / (1e-8L + std::sqrt(e_square) * std::sqrt(a_square)))};
  out[names[1]] = {to_double(max_abs)};
  out[names[2]] = {to_double(max_rel)};
}

}  // namespace

std::vector<double> worst_keys(const Tensor& actual, const Tensor& expected, const std::vector<double>& indices) {
  const std::vector<Element> all = elements_of(actual, expected);
  const Real floor = worst_floor(all);
  std::vector<double> keys;
  for (const double index : indices)
    keys.push_back(index < 0 ? -1.0 : to_double(worst_key(all.at(static_cast<std::size_t>(index)), floor)));
  return keys;
}

void add_torch(const Tensor& actual, const Tensor& expected, Numbers& out);

Numbers naive_metrics(const Tensor& actual, const Tensor& expected, double atol) {
  const std::vector<Element> all = elements_of(actual, expected);
  Numbers out;
  add_own(all, actual.dtype(), atol, out);
  add_mint(all, out);
  add_torch(actual, expected, out);
  return out;
}

}  // namespace assay::test
