// plugins/comparisons/engine/lane_sum.hpp: a sum in eight lanes, element i in lane i mod 8: the order of additions of vector code.
#pragma once

namespace assay::engine {

struct LaneSum {
  double lanes[8] = {};

  void add(int lane, double value) { lanes[lane] += value; }

  /// values[0] goes to lane 0.
  void add(const double* values, int n) {
    int i = 0;
    for (; i + 8 <= n; i += 8) {
      for (int k = 0; k < 8; ++k) lanes[k] += values[i + k];
    }
    for (int k = 0; i < n; ++i, ++k) lanes[k] += values[i];
  }

  [[nodiscard]] double total() const {
    return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
  }
};

}  // namespace assay::engine
