#include "judge/standard_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.hpp"

namespace assay {

namespace {

bool is_half(assay_dtype dtype) { return (is_floating(dtype) && dtype.bits <= 16) || dtype == kComplex32; }

bool group_contains(std::string_view name, assay_dtype dtype) {
  if (name == "float") return is_floating(dtype);
  if (name == "half") return is_half(dtype);
  if (name == "integer") return is_integer(dtype);
  if (name == "complex") return is_complex(dtype);
  return dtype_name(dtype) == name;
}

std::string_view without_in_place_mark(std::string_view name) {
  const bool dunder = name.size() > 2 && name.substr(name.size() - 2) == "__";
  if (!dunder && name.size() > 1 && name.back() == '_') name.remove_suffix(1);
  return name;
}

}  // namespace

bool DTypeSet::contains(assay_dtype dtype) const {
  return names.empty() || std::any_of(names.begin(), names.end(), [&](const auto& name) { return group_contains(name, dtype); });
}

double dtype_epsilon(assay_dtype dtype) {
  if (is_complex(dtype)) return dtype_epsilon(make_dtype(ASSAY_DTYPE_FLOAT, dtype.bits / 2));
  switch (dtype.code) {
    case ASSAY_DTYPE_FLOAT: return dtype.bits == 16 ? 0x1p-10 : dtype.bits == 32 ? 0x1p-23 : 0x1p-52;
    case ASSAY_DTYPE_BFLOAT: return 0x1p-7;
    case ASSAY_DTYPE_FLOAT8_E4M3FN: return 0x1p-3;
    case ASSAY_DTYPE_FLOAT8_E5M2: return 0x1p-2;
    default: return 0;
  }
}

double evaluate(const Limit& limit, assay_dtype dtype, assay_dtype accumulator, double length, double growth) {
  for (const Limit::Entry& entry : limit.entries) {
    if (!entry.dtypes.contains(dtype)) continue;
    const double eps = dtype_epsilon(dtype);
    const double accumulator_eps = std::min(eps, dtype_epsilon(accumulator));
    const Formula& f = entry.formula;
    return f.constant + f.eps * eps + f.accumulated_eps * accumulator_eps * std::pow(std::max(length, 1.0), growth);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

bool holds(Relation relation, double value, double limit) {
  switch (relation) {
    case Relation::kAbove: return value > limit;
    case Relation::kAtLeast: return value >= limit;
    case Relation::kBelow: return value < limit;
    case Relation::kAtMost: return value <= limit;
  }
  return false;
}

std::string_view relation_name(Relation relation) {
  switch (relation) {
    case Relation::kAbove: return "above";
    case Relation::kAtLeast: return "at_least";
    case Relation::kBelow: return "below";
    case Relation::kAtMost: return "at_most";
  }
  return "";
}

bool names_api(std::string_view pattern, std::string_view api) {
  const auto matches = [&](std::string_view name) {
    return glob_match(pattern, name) || glob_match(pattern, without_in_place_mark(name));
  };
  if (matches(api)) return true;
  const std::size_t type_end = api.find('.');
  if (type_end == std::string_view::npos) return false;
  const std::string_view name = api.substr(type_end + 1);
  const std::size_t last = name.rfind('.');
  return matches(name) || (last != std::string_view::npos && matches(name.substr(last + 1)));
}

bool names_api(const std::vector<std::string>& patterns, std::string_view api) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const auto& pattern) { return names_api(pattern, api); });
}

const Override* find_override(const Standard::Body& standard, std::string_view api, std::string_view direction) {
  for (const Override& entry : standard.overrides) {
    if ((entry.direction.empty() || entry.direction == direction) && names_api(entry.apis, api)) return &entry;
  }
  return nullptr;
}

}  // namespace assay
