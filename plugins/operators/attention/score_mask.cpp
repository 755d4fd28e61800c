#include "score_mask.hpp"

#include <algorithm>

namespace assay::operators {

namespace {

/// Larger than any sequence, and safe to add to a position.
constexpr std::int64_t kNoLimit = std::int64_t{1} << 40;

}  // namespace

ScoreMask::ScoreMask(std::optional<Array> mask, std::int64_t mode, std::int64_t pre_tokens, std::int64_t next_tokens)
    : mask_(std::move(mask)),
      mode_(mode),
      pre_tokens_(std::clamp(pre_tokens, -kNoLimit, kNoLimit)),
      next_tokens_(std::clamp(next_tokens, -kNoLimit, kNoLimit)) {
  if (mode < 0 || mode > 4) throw Error(ASSAY_UNSUPPORTED, "sparse_mode " + std::to_string(mode) + " is not supported");
  if (!reads_mask()) return;
  sizes_ = mask_->shape;
  if (sizes_.size() == 2) sizes_.insert(sizes_.begin(), 2, 1);
  if (sizes_.size() != 4)
    throw Error(ASSAY_INVALID_ARGUMENT, "a mask of shape " + text(mask_->shape) + " has not 2 or 4 dimensions");
}

void ScoreMask::require_fit(std::int64_t sequences, std::int64_t heads, std::int64_t queries, std::int64_t keys) const {
  if (!reads_mask()) return;
  const bool fits = (sizes_[0] == 1 || sizes_[0] == sequences) && (sizes_[1] == 1 || sizes_[1] == heads) && sizes_[2] >= queries &&
                    sizes_[3] >= keys;
  if (!fits) {
    throw Error(ASSAY_INVALID_ARGUMENT,
                "a mask of shape " + text(mask_->shape) + " does not cover scores of " + text({sequences, heads, queries, keys}));
  }
}

ScoreMask::Row ScoreMask::row(std::int64_t sequence, std::int64_t head, std::int64_t query, std::int64_t queries,
                              std::int64_t keys) const {
  if (!mask_) return {0, keys, nullptr};
  // Where the diagonal passes: through the first corner, or through the last.
  const std::int64_t diagonal = mode_ == 3 || mode_ == 4 ? query + keys - queries : query;
  std::int64_t first = 0;
  std::int64_t last = keys;
  if (mode_ == 0 || mode_ == 4) {
    first = std::clamp<std::int64_t>(diagonal - pre_tokens_, 0, keys);
    last = std::clamp<std::int64_t>(diagonal + next_tokens_ + 1, 0, keys);
  } else if (mode_ == 2 || mode_ == 3) {
    last = std::clamp<std::int64_t>(diagonal + 1, 0, keys);
  }
  const double* masked = nullptr;
  if (reads_mask()) {
    const std::int64_t s = sizes_[0] == 1 ? 0 : sequence;
    const std::int64_t h = sizes_[1] == 1 ? 0 : head;
    masked = mask_->at(((s * sizes_[1] + h) * sizes_[2] + query) * sizes_[3]);
  }
  return {first, std::max(first, last), masked};
}

}  // namespace assay::operators
