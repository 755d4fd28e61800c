#include "keep_mask.hpp"

namespace assay::operators {

KeepMask::KeepMask(const std::optional<TensorView>& mask, double keep_prob, std::int64_t scores) {
  if (!(keep_prob >= 0 && keep_prob <= 1))
    throw Error(ASSAY_INVALID_ARGUMENT, "keep_prob " + std::to_string(keep_prob) + " is not between 0 and 1");
  factor_ = keep_prob == 0 ? 0 : 1 / keep_prob;
  if (keep_prob == 0 || keep_prob == 1) return;
  if (!mask) throw Error(ASSAY_UNSUPPORTED, "keep_prob below 1: which probabilities were dropped is not recorded");
  const Array given = to_array(*mask);
  const bool one_each = given.numel() == scores;
  if (!one_each && given.numel() != (scores + 7) / 8) {
    throw Error(ASSAY_INVALID_ARGUMENT, "a keep mask of shape " + text(given.shape) + " does not fit " + std::to_string(scores) +
                                            " scores, nor an eighth of them");
  }
  has_mask_ = true;
  kept_.resize(static_cast<std::size_t>(scores));
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    kept_[i] = one_each ? given.data[i] != 0 : (static_cast<unsigned>(static_cast<int>(given.data[i / 8])) >> (i % 8) & 1u) != 0;
  }
}

double KeepMask::factor(std::int64_t score) const { return has_mask_ && !kept_[static_cast<std::size_t>(score)] ? 0 : factor_; }

}  // namespace assay::operators
