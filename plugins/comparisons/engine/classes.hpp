// plugins/comparisons/engine/classes.hpp: the class of a number: finite, NaN, +inf, -inf.
#pragma once

#include <cmath>

#include "tile.hpp"

namespace assay::engine {

enum class NumberClass { kFinite, kNan, kPosInf, kNegInf };

inline NumberClass class_of(double value) {
  if (std::isfinite(value)) return NumberClass::kFinite;
  if (std::isnan(value)) return NumberClass::kNan;
  return value > 0 ? NumberClass::kPosInf : NumberClass::kNegInf;
}

/// Of a complex number: NaN if a part is, else that of the first infinite part.
inline NumberClass class_of(const double* parts, int count) {
  const NumberClass real = class_of(parts[0]);
  if (count == 1 || real == NumberClass::kNan) return real;
  const NumberClass imaginary = class_of(parts[1]);
  if (imaginary == NumberClass::kNan) return imaginary;
  return real != NumberClass::kFinite ? real : imaginary;
}

/// Whether every part of the two numbers has the same class.
inline bool same_class(const double* actual, const double* expected, int count) {
  for (int i = 0; i < count; ++i) {
    if (class_of(actual[i]) != class_of(expected[i])) return false;
  }
  return true;
}

/// Equal in value, where NaN equals NaN and -0 equals 0.
inline bool same_value(const double* actual, const double* expected, int count) {
  for (int i = 0; i < count; ++i) {
    if (actual[i] != expected[i] && !(std::isnan(actual[i]) && std::isnan(expected[i]))) return false;
  }
  return true;
}

/// Whether both numbers of pair i are finite in every part.
inline bool is_finite_pair(const Tile& tile, int i) {
  return class_of(tile.actual + i * tile.parts, tile.parts) == NumberClass::kFinite &&
         class_of(tile.expected + i * tile.parts, tile.parts) == NumberClass::kFinite;
}

}  // namespace assay::engine
