#include "perturb/peer_compare.hpp"

#include <algorithm>
#include <cmath>

#include "assay/sdk/float_format.hpp"
#include "base/text.hpp"
#include "judge/scalars.hpp"
#include "perturb/number_blocks.hpp"

namespace assay {

namespace {

constexpr double kMindSporeSignFlip = 8.0;
constexpr double kBackwardTolerance = 1e-3;

/// Square root of the noise that the peer adds in a dtype.
double tolerance(assay_dtype dtype) {
  if (dtype == kBFloat16) return 1e-2;
  if (dtype == kFloat16) return 1e-3;
  if (dtype == kFloat64) return 1e-8;
  return 1e-4;
}

/// Arithmetic in the type of the perturbed result, as the peer's tensors have it.
struct OwnArithmetic {
  double (*round)(double);
  double (*divide)(double, double);
  double largest;
};

template <class Format>
OwnArithmetic arithmetic_of() {
  using Wide = typename Format::Wide;
  OwnArithmetic own{};
  own.round = [](double x) { return static_cast<double>(Format::widen(Format::narrow(static_cast<Wide>(x)))); };
  own.divide = [](double x, double y) {
    return static_cast<double>(Format::widen(Format::narrow(static_cast<Wide>(static_cast<Wide>(x) / static_cast<Wide>(y)))));
  };
  own.largest = static_cast<double>(Format::widen(static_cast<typename Format::Storage>(Format::kEnd - 1)));
  return own;
}

OwnArithmetic arithmetic_of(assay_dtype dtype) {
  return visit_format(dtype, [](auto format) { return arithmetic_of<decltype(format)>(); });
}

/// The peer splits outputs of 32 MiB and more; an element that isn't finite can hide something within its part only.
std::size_t part_count(const Tensor& original) {
  const double mebibytes = static_cast<double>(original.nbytes()) / (1 << 20);
  if (original.shape().empty() || mebibytes < 1) return 1;
  const int exponent = static_cast<int>(std::log2(mebibytes)) - 4;
  return std::size_t{1} << std::clamp(exponent, 0, 7);
}

struct Extremes {
  double smallest_product = HUGE_VAL;
  double largest_ratio = 0;
  double smallest_ratio = HUGE_VAL;
  bool nan_product = false;
};

PeerVerdict torch_ratio(const Tensor& original, const Tensor& perturbed, const PeerRule& rule) {
  PeerVerdict verdict;
  verdict.ratio = 1.0;
  const std::size_t total = static_cast<std::size_t>(original.numel());
  if (total == 0) return verdict;
  const OwnArithmetic own = arithmetic_of(perturbed.dtype());
  const double limit = rule.backward ? kBackwardTolerance : tolerance(perturbed.dtype());
  const double floor = own.round(limit);
  const NumberReader left(original.view());
  const NumberReader right(perturbed.view());
  const std::size_t parts = std::min(part_count(original), total);
  double ratio = 1.0;
  for (std::size_t part = 0; part < parts; ++part) {
    Extremes seen;
    for_each_pair(left, right, total * part / parts, total * (part + 1) / parts,
                  [&](std::size_t, std::size_t count, const double* before, const double* after) {
                    for (std::size_t i = 0; i < count; ++i) {
                      const double o = own.round(before[i]);
                      const double p = after[i];
                      const double product = o * p;
                      seen.nan_product = seen.nan_product || std::isnan(product);
                      if (product < seen.smallest_product) seen.smallest_product = product;
                      double r = own.divide(std::max(std::fabs(o), floor), std::max(std::fabs(p), floor));
                      if (std::isnan(o) || std::isnan(p) || std::isnan(r)) r = 1;
                      if (std::isinf(r)) r = own.largest;
                      seen.largest_ratio = std::max(seen.largest_ratio, r);
                      seen.smallest_ratio = std::min(seen.smallest_ratio, r);
                    }
                  });
    const bool hidden = rule.letter && seen.nan_product;
    if (!hidden && seen.smallest_product < -limit * limit) {
      verdict.sign_flipped = true;
      verdict.consistent = false;
      verdict.ratio.reset();
      return verdict;
    }
    const double inverse = seen.smallest_ratio == 0 ? HUGE_VAL : 1 / seen.smallest_ratio;
    ratio = std::max({ratio, seen.largest_ratio, inverse});
  }
  verdict.ratio = ratio;
  return verdict;
}

PeerVerdict mindspore_ratio(const Tensor& original, const Tensor& perturbed, const PeerRule& rule) {
  PeerVerdict verdict;
  verdict.ratio = 1.0;
  const std::size_t total = static_cast<std::size_t>(original.numel());
  if (total == 0) return verdict;
  const OwnArithmetic own = arithmetic_of(perturbed.dtype() == kBFloat16 ? kFloat32 : perturbed.dtype());
  const double limit = own.round(tolerance(perturbed.dtype()));
  double extremes[3] = {HUGE_VAL, -HUGE_VAL, -HUGE_VAL};  // least o/p, largest o/p, largest p/o
  bool hidden = false;
  for_each_pair(NumberReader(original.view()), NumberReader(perturbed.view()), 0, total,
                [&](std::size_t, std::size_t count, const double* before, const double* after) {
                  for (std::size_t i = 0; i < count; ++i) {
                    const double o = own.round(before[i]);
                    const double p = after[i];
                    double forth = std::fabs(p) > limit ? own.divide(o, p) : 1;
                    double back = std::fabs(o) > limit ? own.divide(p, o) : 1;
                    hidden = hidden || std::isnan(forth) || std::isnan(back);
                    if (!std::isfinite(forth) && !rule.letter) forth = 1;
                    if (!std::isfinite(back) && !rule.letter) back = 1;
                    extremes[0] = std::min(extremes[0], forth);
                    extremes[1] = std::max(extremes[1], forth);
                    extremes[2] = std::max(extremes[2], back);
                  }
                });
  for (double& extreme : extremes) {
    if (!std::isfinite(extreme) || (rule.letter && hidden)) extreme = 1;
  }
  verdict.sign_flipped = extremes[0] < 0;
  verdict.ratio = verdict.sign_flipped ? kMindSporeSignFlip : std::max(extremes[1], extremes[2]);
  return verdict;
}

/// The repeated call as a reference in double precision. What isn't finite on the reference's side can't judge.
PeerVerdict reference_limits(const Tensor& original, const Tensor& perturbed, const PeerRule& rule) {
  PeerVerdict verdict;
  const assay_dtype dtype = original.dtype();
  const double limit = std::ldexp(1.0, dtype == kBFloat16 ? -8 : dtype == kFloat16 ? -11 : -14);
  const std::size_t total = static_cast<std::size_t>(original.numel());
  bool judgeable = true;
  double absolute = 0;
  double relative = 0;
  double balance = 0;
  for_each_pair(NumberReader(original.view()), NumberReader(perturbed.view()), 0, total,
                [&](std::size_t, std::size_t count, const double* before, const double* after) {
                  for (std::size_t i = 0; i < count; ++i) {
                    const double golden = after[i];
                    const double actual = std::isfinite(before[i]) ? before[i] : 1.0;
                    judgeable = judgeable && std::isfinite(golden);
                    const double error = actual - golden;
                    if (std::fabs(actual) < 1) {
                      absolute = std::max(absolute, std::fabs(error));
                    } else {
                      relative = std::max(relative, std::fabs(error) / std::fabs(golden));
                    }
                    balance += error / std::max(std::fabs(golden), 1.0);
                  }
                });
  if (total == 0 || !judgeable) return verdict;
  balance /= static_cast<double>(total);
  if (!rule.letter) balance = std::fabs(balance);
  verdict.consistent = absolute <= limit && relative <= limit && balance <= 1e-4;
  return verdict;
}

PeerVerdict compare_tensors(const Tensor& original, const Tensor& perturbed, const PeerRule& rule) {
  PeerVerdict verdict;
  if (original.shape() != perturbed.shape()) {
    verdict.consistent = false;
    return verdict;
  }
  if (!is_floating(original.dtype()) || !is_floating(perturbed.dtype())) {
    std::size_t differing = 0;
    const NumberReader left(original.view());
    for_each_pair(left, NumberReader(perturbed.view()), 0, static_cast<std::size_t>(original.numel()) * left.components(),
                  [&](std::size_t, std::size_t count, const double* before, const double* after) {
                    for (std::size_t i = 0; i < count; ++i) differing += before[i] != after[i] ? 1u : 0u;
                  });
    verdict.consistent = differing == 0;
    return verdict;
  }
  if (rule.on_cpu) return reference_limits(original, perturbed, rule);
  verdict = rule.mindspore ? mindspore_ratio(original, perturbed, rule) : torch_ratio(original, perturbed, rule);
  if (!verdict.ratio) return verdict;
  const double largest = rule.no_change ? 1.0 : rule.threshold.value_or(peer_threshold(original.dtype()));
  verdict.consistent = *verdict.ratio <= largest && *verdict.ratio >= 1 / largest;
  return verdict;
}

bool has_floating_tensor(const Value& value) {
  if (const auto* tensor = value.get_if<Tensor>()) return is_floating(tensor->dtype());
  const auto any = [](const std::vector<Value>& items) { return std::any_of(items.begin(), items.end(), has_floating_tensor); };
  if (const auto* list = value.get_if<List>()) return any(list->items);
  if (const auto* tuple = value.get_if<Tuple>()) return any(tuple->items);
  return false;
}

PeerDifference difference_of(const Value& original, const PeerVerdict& verdict, std::optional<std::size_t> index,
                             const PeerRule& rule) {
  PeerDifference out;
  out.index = index;
  out.cell = verdict.cell(rule.mindspore);
  const auto* tensor = original.get_if<Tensor>();
  if (tensor == nullptr) {
    out.dtype = std::string(value_kind(original));
    return out;
  }
  const std::string shape = format_shape(tensor->shape());
  std::vector<std::string> sizes;
  for (const std::int64_t size : tensor->shape()) sizes.push_back(std::to_string(size));
  std::string dtype(dtype_name(tensor->dtype()));
  if (rule.mindspore) {
    dtype = dtype == "bfloat16" ? "BFloat16" : static_cast<char>(dtype[0] - 'a' + 'A') + dtype.substr(1);
    out.shape = shape;
  } else {
    dtype = "torch." + dtype;
    out.shape = "torch.Size([" + join(sizes, ", ") + "])";
  }
  out.dtype = dtype;
  return out;
}

}  // namespace

std::string PeerVerdict::cell(bool mindspore) const {
  if (sign_flipped && !mindspore) return "symbol_flipping";
  return ratio ? format_number(*ratio - 1) : "";
}

double peer_threshold(assay_dtype original) {
  if (original == kFloat16) return 1.002;
  if (original == kBFloat16) return 1.004;
  return 1.0002;
}

PeerVerdict peer_compare(const Value& original, const Value& perturbed, const PeerRule& rule) {
  PeerVerdict verdict;
  const auto* left = original.get_if<Tensor>();
  const auto* right = perturbed.get_if<Tensor>();
  if (left != nullptr && right != nullptr) return compare_tensors(*left, *right, rule);
  if (original.is<std::int64_t>() && perturbed.is<std::int64_t>()) {
    verdict.consistent = original.as<std::int64_t>() == perturbed.as<std::int64_t>();
  } else if (original.is<double>() && perturbed.is<double>()) {
    double x = original.as<double>();
    double y = perturbed.as<double>();
    if (y == 0) {
      x += 1e-8;
      y += 1e-8;
    }
    verdict.consistent = std::fabs(x - y) <= 1e-9 * std::fabs(y);
  }
  return verdict;
}

PeerComparison peer_compare_outputs(const std::vector<Value>& original, const std::vector<Value>& perturbed, const PeerRule& rule) {
  PeerComparison out;
  out.compared = std::any_of(perturbed.begin(), perturbed.end(), has_floating_tensor);
  if (!out.compared) return out;
  const bool single = original.size() == 1;
  for (std::size_t i = 0; i < std::min(original.size(), perturbed.size()); ++i) {
    if (rule.mindspore && !has_floating_tensor(perturbed[i])) continue;
    const PeerVerdict verdict = peer_compare(original[i], perturbed[i], rule);
    if (verdict.ratio) out.largest_ratio = std::max(out.largest_ratio, *verdict.ratio);
    if (verdict.consistent) continue;
    out.differences.push_back(difference_of(original[i], verdict, single ? std::nullopt : std::optional<std::size_t>(i), rule));
  }
  return out;
}

PeerComparison peer_compare_gradients(const std::vector<Value>& original, const std::vector<Value>& perturbed,
                                      const PeerRule& rule) {
  PeerComparison out;
  const std::size_t count = std::min(original.size(), perturbed.size());
  for (std::size_t i = 0; i < count; ++i) {
    if (!has_floating_tensor(perturbed[i])) continue;
    out.compared = true;
    const PeerVerdict verdict = peer_compare(original[i], perturbed[i], rule);
    if (verdict.ratio) out.largest_ratio = std::max(out.largest_ratio, *verdict.ratio);
    if (verdict.consistent) continue;
    out.differences.push_back(difference_of(original[i], verdict, std::nullopt, rule));
    for (std::size_t k = 0; k < count; ++k) {
      const PeerVerdict again = peer_compare(original[k], perturbed[k], rule);
      if (!again.consistent) out.differences.push_back(difference_of(original[k], again, k, rule));
    }
    return out;
  }
  return out;
}

}  // namespace assay
