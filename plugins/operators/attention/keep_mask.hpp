// plugins/operators/attention/keep_mask.hpp: which probabilities dropout keeps.
#pragma once

#include <optional>
#include <vector>

#include "array.hpp"

namespace assay::operators {

/// Scores are numbered in order of sequence, head, query and key; 8 a byte, the lowest bit first, or one an element.
class KeepMask {
 public:
  /// mask  absent: everything is kept if keep_prob is 1, nothing if it is 0
  /// Throws Error(ASSAY_UNSUPPORTED) where a mask is needed and was not recorded, Error(ASSAY_INVALID_ARGUMENT) where it has
  /// another size.
  KeepMask(const std::optional<TensorView>& mask, double keep_prob, std::int64_t scores);

  /// What the probability of a score is multiplied with: 0, or 1 / keep_prob.
  [[nodiscard]] double factor(std::int64_t score) const;
  [[nodiscard]] bool keeps_all() const { return !has_mask_ && factor_ == 1; }

 private:
  double factor_ = 1;
  bool has_mask_ = false;
  std::vector<bool> kept_;
};

}  // namespace assay::operators
