#include "rebuild/growing_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <vector>

namespace assay {
namespace {

class GrowingFileTest : public testing::Test {
 protected:
  void SetUp() override {
    path_ = std::filesystem::temp_directory_path() / ("growing_file_test." + std::to_string(::getpid()));
    std::filesystem::remove(path_);
  }
  void TearDown() override { std::filesystem::remove(path_); }

  void append(const std::string& text) { std::ofstream(path_, std::ios::app) << text; }

  std::vector<std::string> look() {
    std::vector<std::string> lines;
    const Status read = file_.read([&] { ++restarts_; },
                                   [&](std::string_view line) -> Status {
                                     lines.emplace_back(line);
                                     return Done{};
                                   });
    EXPECT_TRUE(read);
    return lines;
  }

  std::filesystem::path path_;
  GrowingFile file_{std::filesystem::temp_directory_path() / ("growing_file_test." + std::to_string(::getpid()))};
  int restarts_ = 0;
};

using Lines = std::vector<std::string>;

TEST_F(GrowingFileTest, HandsOverEachWholeLineOnce) {
  append("one\ntw");
  EXPECT_EQ(look(), Lines{"one"});
  EXPECT_EQ(look(), Lines{});
  append("o\n\nthree\n");
  EXPECT_EQ(look(), (Lines{"two", "", "three"}));
  EXPECT_EQ(restarts_, 1);
}

TEST_F(GrowingFileTest, StartsAgainWithAnotherFile) {
  append("one\ntwo\n");
  look();
  std::ofstream(path_, std::ios::trunc) << "new\n";
  EXPECT_EQ(look(), Lines{"new"});
  EXPECT_EQ(restarts_, 2);
}

TEST_F(GrowingFileTest, SaysThatThereIsNone) {
  const Status read = file_.read([] {}, [](std::string_view) -> Status { return Done{}; });
  ASSERT_FALSE(read);
  EXPECT_NE(read.failure().message.find("No such file"), std::string::npos);
}

}  // namespace
}  // namespace assay
