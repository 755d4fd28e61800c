#include "walk.hpp"

#include <algorithm>
#include <atomic>

#include "assay/sdk/parallel.hpp"

namespace assay::engine {
namespace {

/// Starting a thread costs as much as this many elements.
constexpr std::int64_t kElementsPerThread = 128 * 1024;

Totals gather_chunk(const BlockGatherer& gatherer, std::int64_t begin, std::int64_t end, BlockBounds* bounds,
                    Histograms& histograms) {
  Totals chunk;
  for (std::int64_t at = begin; at < end; at += kBlockSize, ++bounds) {
    Totals block;
    gatherer.gather(at, static_cast<int>(std::min<std::int64_t>(kBlockSize, end - at)), block, histograms);
    *bounds = {block.bounds, block.mismatch != 0, block.class_mismatch != 0};
    chunk.merge(block);
  }
  return chunk;
}

}  // namespace

Walk walk_pair(const PairReader& reader, const Plan& plan, unsigned max_threads) {
  const std::int64_t numel = reader.actual().numel();
  const auto chunk_count = static_cast<std::size_t>((numel + kChunkSize - 1) / kChunkSize);
  Walk walk;
  walk.blocks.resize(static_cast<std::size_t>((numel + kBlockSize - 1) / kBlockSize));
  std::vector<Totals> chunks(chunk_count);
  const BlockGatherer gatherer(reader, plan);
  std::atomic<std::size_t> next{0};
  const auto useful = static_cast<std::size_t>(1 + numel / kElementsPerThread);
  const std::size_t thread_count =
      std::min<std::size_t>({std::max(1u, max_threads), useful, std::max<std::size_t>(1, chunk_count)});
  std::vector<Histograms> histograms(thread_count - 1);
  // As many parts as threads; each takes chunks as long as there are some.
  parallel_ranges(thread_count, 1, static_cast<std::uint32_t>(thread_count), [&](std::uint64_t part, std::uint64_t) {
    Histograms& own = part == 0 ? walk.histograms : histograms[part - 1];
    for (std::size_t k = next.fetch_add(1); k < chunk_count; k = next.fetch_add(1)) {
      const std::int64_t begin = static_cast<std::int64_t>(k) * kChunkSize;
      chunks[k] = gather_chunk(gatherer, begin, std::min(numel, begin + kChunkSize), &walk.blocks[k * kBlocksInChunk], own);
    }
  });
  for (const Histograms& own : histograms) walk.histograms.merge(own);
  walk.totals = merge_pairwise(chunks.data(), chunks.size());
  return walk;
}

}  // namespace assay::engine
