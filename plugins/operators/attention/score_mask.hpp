// plugins/operators/attention/score_mask.hpp: which keys a query may see.
#pragma once

#include <optional>
#include <vector>

#include "array.hpp"

namespace assay::operators {

/// sparse_mode 0 (mask and band from the upper left corner), 1 (mask), 2 (causal from the upper left corner), 3 (causal from the
/// lower right corner), 4 (band from the lower right corner). Without a mask every key is seen, whatever the mode.
class ScoreMask {
 public:
  /// Throws Error(ASSAY_UNSUPPORTED) for another mode.
  ScoreMask(std::optional<Array> mask, std::int64_t mode, std::int64_t pre_tokens, std::int64_t next_tokens);

  /// Throws Error(ASSAY_INVALID_ARGUMENT) where a mask that is read (modes 0 and 1) does not cover these scores.
  void require_fit(std::int64_t sequences, std::int64_t heads, std::int64_t queries, std::int64_t keys) const;

  /// The part of a row of scores that may be seen: keys in [first, last) whose `masked` is not set.
  struct Row {
    std::int64_t first;
    std::int64_t last;
    const double* masked;  ///< null: none is
  };
  [[nodiscard]] Row row(std::int64_t sequence, std::int64_t head, std::int64_t query, std::int64_t queries,
                        std::int64_t keys) const;

 private:
  [[nodiscard]] bool reads_mask() const { return mask_.has_value() && mode_ <= 1; }

  std::optional<Array> mask_;
  std::int64_t mode_;
  std::int64_t pre_tokens_;
  std::int64_t next_tokens_;
  Shape sizes_;  ///< of the mask: sequences, heads, queries, keys
};

}  // namespace assay::operators
