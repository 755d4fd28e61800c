// plugins/comparisons/engine/worst_list.hpp: the few elements with the largest keys.
#pragma once

#include <array>
#include <cstdint>

#include "metrics.hpp"

namespace assay::engine {

/// Larger key first, then lower index; keys above 0 only.
class WorstList {
 public:
  void add(double key, std::int64_t index) {
    if (!takes(key, index)) return;
    std::size_t at = full() ? count_ - 1 : count_++;
    for (; at > 0 && before(key, index, entries_[at - 1]); --at) entries_[at] = entries_[at - 1];
    entries_[at] = {key, index};
  }
  /// Whether an element with this key at this index enters.
  [[nodiscard]] bool takes(double key, std::int64_t index) const {
    return key > 0 && (!full() || before(key, index, entries_[count_ - 1]));
  }
  /// The key to reach; 0 while there is room.
  [[nodiscard]] double least() const { return full() ? entries_[count_ - 1].key : 0; }
  [[nodiscard]] double key(std::size_t rank) const { return rank < count_ ? entries_[rank].key : 0; }
  [[nodiscard]] std::int64_t index(std::size_t rank) const { return rank < count_ ? entries_[rank].index : -1; }

 private:
  struct Entry {
    double key = 0;
    std::int64_t index = -1;
  };
  static bool before(double key, std::int64_t index, const Entry& entry) {
    return key > entry.key || (key == entry.key && index < entry.index);
  }
  [[nodiscard]] bool full() const { return count_ == entries_.size(); }

  std::array<Entry, kWorstCount> entries_{};
  std::size_t count_ = 0;
};

}  // namespace assay::engine
