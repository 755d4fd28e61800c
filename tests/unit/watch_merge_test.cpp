#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "watch/merge_ranks.hpp"

namespace assay {
namespace {

class WatchMerge : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "/watch-merge-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    std::filesystem::create_directories(folder_ / "out");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& rank, const std::string& rows, const std::string& steps) {
    std::filesystem::create_directories(folder_ / "in" / rank);
    std::ofstream(folder_ / "in" / rank / "rows.csv") << rows;
    std::ofstream(folder_ / "in" / rank / "steps.csv") << steps;
  }
  std::string read(const char* name) const {
    std::ifstream file(folder_ / "out" / name);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

  std::filesystem::path folder_;
};

TEST_F(WatchMerge, RowsAreOrderedByStepAndRank) {
  write("rank0", "rank,step,name\n0,0,a\n0,0,b\n0,2,c\n", "rank,step,ms\n0,0,1\n0,1,1\n0,2,1\n");
  write("rank10", "rank,step,name\n10,0,d\n10,1,\"x, y\"\n10,2,", "rank,step,ms\n10,0,2\n10,1,2\n");
  EXPECT_TRUE(holds_ranks(folder_ / "in"));
  ASSERT_TRUE(merge_ranks({folder_ / "in"}, folder_ / "out"));
  // The last line of rank 10 was cut off.
  EXPECT_EQ(read("rows.csv"), "rank,step,name\n0,0,a\n0,0,b\n10,0,d\n10,1,\"x, y\"\n0,2,c\n");
  EXPECT_EQ(read("steps.csv"), "rank,step,ms\n0,0,1\n10,0,2\n0,1,1\n10,1,2\n0,2,1\n");
}

TEST_F(WatchMerge, FilesThatAreNotTheWatchsAreNamed) {
  write("rank0", "something,else\n", "rank,step,ms\n");
  const Status merged = merge_ranks({folder_ / "in"}, folder_ / "out");
  ASSERT_FALSE(merged);
  EXPECT_NE(merged.failure().message.find("rows.csv"), std::string::npos);
  EXPECT_FALSE(holds_ranks(folder_ / "out"));
  EXPECT_FALSE(merge_ranks({folder_ / "out"}, folder_ / "out"));
}

TEST_F(WatchMerge, ARankInTwoFoldersIsRefused) {
  write("rank0", "rank,step,name\n", "rank,step,ms\n");
  EXPECT_FALSE(merge_ranks({folder_ / "in", folder_ / "in"}, folder_ / "out"));
}

}  // namespace
}  // namespace assay
