// The loops of change_of, vectorised. Every machine adds in the same order, so it finds the same numbers.
#pragma once

#include <cstddef>

namespace assay {

inline constexpr std::size_t kChangeLanes = 8;

/// Sums over pairs of numbers, each in lanes: number i of a block goes to lane i % kChangeLanes.
struct ChangeSums {
  double difference[kChangeLanes] = {};  ///< squares of after - before
  double before[kChangeLanes] = {};      ///< squares of before
  double of_changed[kChangeLanes] = {};  ///< the same of the numbers that changed
  double changed[kChangeLanes] = {};     ///< how many changed
  double not_finite[kChangeLanes] = {};  ///< pairs that were left out

  void add(const ChangeSums& other) {
    for (std::size_t i = 0; i < kChangeLanes; ++i) {
      difference[i] += other.difference[i];
      before[i] += other.before[i];
      of_changed[i] += other.of_changed[i];
      changed[i] += other.changed[i];
      not_finite[i] += other.not_finite[i];
    }
  }
  static double sum(const double (&lanes)[kChangeLanes]) {
    double total = 0;
    for (const double lane : lanes) total += lane;
    return total;
  }
};

/// Adds a block of finite numbers; if one isn't, the sums aren't either.
void add_finite(const float* before, const float* after, std::size_t count, ChangeSums& sums);
void add_finite(const double* before, const double* after, std::size_t count, ChangeSums& sums);

/// Adds a block of any numbers times `scale`; pairs with one that isn't finite are left out.
void add_scaled(const double* before, const double* after, std::size_t count, double scale, ChangeSums& sums);

/// The largest |after - before| / max(|before|, floor) of a block: 0 for equal numbers and two NaNs, infinite where a number is no
/// longer one or came from nothing.
double largest_relative(const float* before, const float* after, std::size_t count, double floor);
double largest_relative(const double* before, const double* after, std::size_t count, double floor);

}  // namespace assay
