#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

#include "assay/sdk/parallel.hpp"
#include "loader/host_table.hpp"

namespace assay {
namespace {

std::atomic<int> runs{0};

/// Threads of a host: parts run here, the last first.
const assay_parallel kBackwards = {sizeof(assay_parallel), 0,
                                   [](std::uint64_t count, void (*body)(void*, std::uint64_t), void* context) {
                                     ++runs;
                                     for (std::uint64_t part = count; part-- > 0;) body(context, part);
                                   }};

/// How often each number of a range was visited.
std::vector<int> visits(std::uint64_t count, std::uint64_t grain, std::uint32_t threads) {
  std::vector<int> out(count);
  parallel_ranges(count, grain, threads, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; ++i) ++out[i];
  });
  return out;
}

class ParallelRanges : public ::testing::TestWithParam<const assay_parallel*> {
 protected:
  void SetUp() override { offer_threads(GetParam()); }
  void TearDown() override { offer_threads(nullptr); }
};

TEST_P(ParallelRanges, VisitEverythingOnce) {
  for (const std::uint64_t count : {1u, 7u, 64u, 1000u}) {
    for (const std::uint32_t threads : {1u, 2u, 5u}) EXPECT_EQ(visits(count, 10, threads), std::vector<int>(count, 1)) << count;
  }
}

TEST_P(ParallelRanges, ThrowWhatABodyThrows) {
  EXPECT_THROW(parallel_ranges(100, 10, 4,
                               [](std::uint64_t first, std::uint64_t) {
                                 if (first != 0) throw std::runtime_error("no");
                               }),
               std::runtime_error);
}

INSTANTIATE_TEST_SUITE_P(OnThreads, ParallelRanges, ::testing::Values(nullptr, &kBackwards),
                         [](const auto& item) { return item.param == nullptr ? "OfItsOwn" : "OfTheHost"; });

TEST(HostTable, OffersThreadsOnlyByTheWholeId) {
  EXPECT_EQ(host_table()->get_extension(host_table(), ASSAY_EXT_PARALLEL), nullptr);
  offer_threads(&kBackwards);
  EXPECT_EQ(host_table()->get_extension(host_table(), ASSAY_EXT_PARALLEL), &kBackwards);
  EXPECT_EQ(host_table()->get_extension(host_table(), "assay.parallel/10"), nullptr);
  runs = 0;
  EXPECT_EQ(visits(100, 10, 3), std::vector<int>(100, 1));
  EXPECT_EQ(runs, 1);
  offer_threads(nullptr);
}

}  // namespace
}  // namespace assay
