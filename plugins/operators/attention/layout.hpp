// plugins/operators/attention/layout.hpp: where the rows of a head lie in each input layout.
//
//   BSH [B, S, N D]   SBH [S, B, N D]   BSND [B, S, N, D]   BNSD [B, N, S, D]   TND [T, N, D], sequences one after the other
#pragma once

#include <string>
#include <vector>

#include "array.hpp"

namespace assay::operators {

/// The sizes of query, key or value, and the way from (sequence, head, position) to an offset.
class Layout {
 public:
  /// heads  0: find it from `head_size` (key and value may have fewer heads than the query)
  /// ends   TND: where each sequence ends, cumulative; else empty
  /// Throws Error(ASSAY_INVALID_ARGUMENT) where the shape does not fit, ASSAY_UNSUPPORTED for another layout.
  Layout(const std::string& name, const Shape& shape, std::int64_t heads, std::int64_t head_size,
         const std::vector<std::int64_t>& ends, const char* what);

  [[nodiscard]] std::int64_t sequences() const { return static_cast<std::int64_t>(lengths_.size()); }
  [[nodiscard]] std::int64_t heads() const { return heads_; }
  [[nodiscard]] std::int64_t head_size() const { return head_size_; }
  [[nodiscard]] std::int64_t length(std::int64_t sequence) const { return lengths_[static_cast<std::size_t>(sequence)]; }
  /// The first position of a sequence among all of TND; 0 in the other layouts.
  [[nodiscard]] std::int64_t start(std::int64_t sequence) const { return starts_[static_cast<std::size_t>(sequence)]; }

  /// Of the first element of a head's first row.
  [[nodiscard]] std::int64_t offset(std::int64_t sequence, std::int64_t head) const;
  [[nodiscard]] std::int64_t row_stride() const { return position_stride_; }

 private:
  std::int64_t heads_ = 0;
  std::int64_t head_size_ = 0;
  std::int64_t sequence_stride_ = 0;
  std::int64_t head_stride_ = 0;
  std::int64_t position_stride_ = 0;
  std::vector<std::int64_t> lengths_;
  std::vector<std::int64_t> starts_;
};

}  // namespace assay::operators
