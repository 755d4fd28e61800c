#include "base/journal.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "base/files.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

class JournalTest : public testing::Test {
 protected:
  JournalTest() {
    std::string name = (fs::temp_directory_path() / "journal-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    path_ = folder_ / "journal.jsonl";
  }
  ~JournalTest() override { fs::remove_all(folder_); }

  void fill(std::size_t rows) const {
    Result<Journal> journal = Journal::open(path_);
    ASSERT_TRUE(journal);
    ASSERT_TRUE(journal->begin("{\"run\": 1}"));
    for (std::size_t i = 0; i < rows; ++i) ASSERT_TRUE(journal->append(i, row(i)));
    ASSERT_TRUE(journal->sync());
  }

  static std::string row(std::size_t i) { return "{\"position\": " + std::to_string(i) + "}"; }

  void write(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }

  fs::path folder_;
  fs::path path_;
};

TEST_F(JournalTest, GivesBackWhatWasKept) {
  fill(3);
  Result<Journal> again = Journal::open(path_);
  ASSERT_TRUE(again) << again.failure().message;
  EXPECT_EQ(again->header(), "{\"run\": 1}");
  EXPECT_EQ(again->size(), 3u);
  EXPECT_EQ(again->repaired_bytes(), 0u);
  EXPECT_FALSE(again->has(3));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(*again->read(i), row(i));
  ASSERT_TRUE(again->append(7, row(7)));
  EXPECT_EQ(again->pending(), 1u);
  ASSERT_TRUE(again->sync());
  EXPECT_EQ(again->pending(), 0u);
  EXPECT_EQ(*again->read(7), row(7));
}

TEST_F(JournalTest, KeepsEveryWholeLineWhereverTheFileIsTorn) {
  fill(4);
  const std::string whole = *read_text(path_);
  std::vector<std::size_t> line_ends;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (whole[i] == '\n') line_ends.push_back(i + 1);
  }
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    write(whole.substr(0, size));
    Result<Journal> journal = Journal::open(path_);
    ASSERT_TRUE(journal) << size << ": " << journal.failure().message;
    std::size_t lines = 0;
    while (lines < line_ends.size() && line_ends[lines] <= size) ++lines;
    EXPECT_EQ(journal->size(), lines == 0 ? 0 : lines - 1) << size;
    EXPECT_EQ(journal->header().empty(), lines == 0);
    EXPECT_EQ(fs::file_size(path_), lines == 0 ? 0 : line_ends[lines - 1]);
    if (lines == 0) continue;
    ASSERT_TRUE(journal->append(9, row(9)));
    ASSERT_TRUE(journal->sync());
    EXPECT_EQ(*journal->read(9), row(9));
  }
}

TEST_F(JournalTest, DropsLinesFromTheFirstDamagedOneOn) {
  fill(4);
  std::string text = *read_text(path_);
  text[text.find("{\"position\": 2}") + 5] ^= 1;
  write(text);
  Result<Journal> journal = Journal::open(path_);
  ASSERT_TRUE(journal);
  EXPECT_TRUE(journal->has(1));
  EXPECT_FALSE(journal->has(2));
  EXPECT_FALSE(journal->has(3));
  EXPECT_GT(journal->repaired_bytes(), 0u);
}

TEST_F(JournalTest, LeavesAForeignFileAlone) {
  write("something else\nentirely\n");
  Result<Journal> journal = Journal::open(path_);
  ASSERT_FALSE(journal);
  EXPECT_NE(journal.failure().message.find("not a journal"), std::string::npos);
  EXPECT_EQ(*read_text(path_), "something else\nentirely\n");
}

TEST_F(JournalTest, IsHeldByOneProcess) {
  Result<Journal> first = Journal::open(path_);
  ASSERT_TRUE(first);
  const Result<Journal> second = Journal::open(path_);
  ASSERT_FALSE(second);
  EXPECT_NE(second.failure().message.find("another run is writing to it"), std::string::npos);
  *first = std::move(*Journal::temporary());
  EXPECT_TRUE(Journal::open(path_));
}

TEST_F(JournalTest, FollowsNoLinkAndWaitsForNoPipe) {
  const fs::path elsewhere = folder_ / "elsewhere";
  std::ofstream(elsewhere) << "precious\n";
  fs::create_symlink(elsewhere, path_);
  Result<Journal> journal = Journal::open(path_);
  ASSERT_FALSE(journal);
  EXPECT_NE(journal.failure().message.find("symbolic link"), std::string::npos);
  EXPECT_EQ(*read_text(elsewhere), "precious\n");
  fs::remove(path_);
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  journal = Journal::open(path_);
  ASSERT_FALSE(journal);
  EXPECT_NE(journal.failure().message.find("not a regular file"), std::string::npos);
}

TEST_F(JournalTest, SaysThatItWasRemoved) {
  Result<Journal> journal = Journal::open(path_);
  ASSERT_TRUE(journal);
  ASSERT_TRUE(journal->begin("{}"));
  fs::remove(path_);
  ASSERT_TRUE(journal->append(0, row(0)));
  const Status synced = journal->sync();
  ASSERT_FALSE(synced);
  EXPECT_NE(synced.failure().message.find("was removed"), std::string::npos);
}

TEST_F(JournalTest, LeavesNothingBehindWithoutAName) {
  Result<Journal> journal = Journal::temporary();
  ASSERT_TRUE(journal);
  ASSERT_TRUE(journal->begin("{}"));
  ASSERT_TRUE(journal->append(5, row(5)));
  ASSERT_TRUE(journal->sync());
  EXPECT_EQ(*journal->read(5), row(5));
}

}  // namespace
}  // namespace assay
