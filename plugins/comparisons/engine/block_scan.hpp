// plugins/comparisons/engine/block_scan.hpp: reading single blocks again, those with the best bounds first.
#pragma once

#include <algorithm>
#include <vector>

#include "classes.hpp"
#include "walk.hpp"

namespace assay::engine {

inline bool is_class_mismatch(const Tile& tile, int i) {
  return !same_class(tile.actual + i * tile.parts, tile.expected + i * tile.parts, tile.parts);
}

inline bool is_mismatch(const Tile& tile, int i) {
  if (std::isfinite(tile.difference[i])) return tile.difference[i] != 0;
  return !same_value(tile.actual + i * tile.parts, tile.expected + i * tile.parts, tile.parts);
}

/// Reads blocks tile by tile, without ulp distances. The last tile is kept: a pair of one tile is decoded once, whoever asks.
class BlockReader {
 public:
  explicit BlockReader(const PairReader& pair) : pair_(pair) {}  ///< borrowed

  [[nodiscard]] const PairReader& pair() const { return pair_; }
  [[nodiscard]] std::int64_t numel() const { return pair_.actual().numel(); }

  /// Calls f(first index, tile) for the tiles of one block until it returns false.
  template <class F>
  void for_each_tile(std::size_t block, F&& f) {
    std::int64_t at = static_cast<std::int64_t>(block) * kBlockSize;
    const std::int64_t end = std::min(numel(), at + kBlockSize);
    for (; at < end; at += Tile::kSize) {
      if (at != held_)
        pair_.read(at, static_cast<int>(std::min<std::int64_t>(Tile::kSize, end - at)), tile_, PairReader::kWithoutUlp);
      held_ = at;
      if (!f(at, static_cast<const Tile&>(tile_))) return;
    }
  }

 private:
  const PairReader& pair_;
  Tile tile_;
  std::int64_t held_ = -1;
};

/// Blocks by falling bound; among equal bounds the earlier block first.
class BlockQueue {
 public:
  /// bound(const BlockBounds&) -> double; blocks with a bound of 0 are left out.
  template <class Bound>
  BlockQueue(const std::vector<BlockBounds>& blocks, Bound bound) {
    entries_.reserve(blocks.size());
    for (std::size_t k = 0; k < blocks.size(); ++k) {
      const double value = bound(blocks[k]);
      if (value > 0) entries_.push_back({value, k});
    }
    std::make_heap(entries_.begin(), entries_.end(), later);
  }

  struct Entry {
    double bound;
    std::size_t block;
  };

  [[nodiscard]] bool empty() const { return entries_.empty(); }
  Entry pop() {
    std::pop_heap(entries_.begin(), entries_.end(), later);
    const Entry entry = entries_.back();
    entries_.pop_back();
    return entry;
  }

 private:
  static bool later(const Entry& l, const Entry& r) { return l.bound < r.bound || (l.bound == r.bound && l.block > r.block); }
  std::vector<Entry> entries_;
};

}  // namespace assay::engine
