// A sample of many values that grows no further: every value up to a few thousand, then every second, every fourth and so on, with
// the least and the largest of all of them. Good for quartiles.
//
//   ThinnedValues ulps;
//   ulps.add(1.5);
//   ulps.values();      // {1.5}
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace assay::html {

class ThinnedValues {
 public:
  static constexpr std::size_t kMost = 8192;

  /// Not a number counts as the largest.
  void add(double value) {
    if (std::isnan(value)) value = INFINITY;
    least_ = count_ == 0 ? value : std::min(least_, value);
    largest_ = count_ == 0 ? value : std::max(largest_, value);
    if (count_++ % step_ != 0) return;
    if (kept_.size() == kMost) {
      for (std::size_t i = 0; i < kMost / 2; ++i) kept_[i] = kept_[2 * i];
      kept_.resize(kMost / 2);
      step_ *= 2;
    }
    kept_.push_back(value);
  }

  [[nodiscard]] std::vector<double> values() const {
    std::vector<double> all = kept_;
    if (step_ > 1) all.insert(all.end(), {least_, largest_});
    return all;
  }

  /// How many were added.
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  std::vector<double> kept_;
  std::size_t step_ = 1;  ///< one of so many is kept
  std::size_t count_ = 0;
  double least_ = 0, largest_ = 0;
};

}  // namespace assay::html
