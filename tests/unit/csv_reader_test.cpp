#include "base/csv_reader.hpp"

#include "compare_fixture.hpp"

namespace assay {
namespace {

using Records = std::vector<std::vector<std::string>>;

class CsvReaderTest : public ::testing::Test {
 protected:
  /// Every record of the text; the last failure or fault in `said_`.
  Records read(const std::string& text) {
    Records out;
    said_.clear();
    Result<CsvReader> reader = CsvReader::open(folder_.write("table.csv", text));
    if (!reader) throw std::runtime_error(reader.failure().message);
    CsvRecord record;
    while (true) {
      Result<bool> more = reader->next(record);
      if (!more) {
        said_ = more.failure().message;
        return out;
      }
      if (!*more) return out;
      if (!record.fault.empty()) said_ = record.fault;
      lines_.push_back(record.line);
      out.push_back(record.cells);
    }
  }

  ScratchFolder folder_;
  std::string said_;
  std::vector<std::size_t> lines_;
};

TEST_F(CsvReaderTest, TakesEveryLineEndAndAByteOrderMark) {
  const Records expected = {{"a", "b"}, {"1", "2"}};
  EXPECT_EQ(read("a,b\n1,2\n"), expected);
  EXPECT_EQ(read("a,b\r\n1,2\r\n"), expected);
  EXPECT_EQ(read("a,b\r1,2"), expected);
  EXPECT_EQ(read("\xef\xbb\xbf"
                 "a,b\r\n\r\n\n1,2"),
            expected);
  EXPECT_EQ(said_, "");
  EXPECT_EQ(read(""), Records{});
  EXPECT_EQ(read("\xef\xbb\xbf\r\n"), Records{});
}

TEST_F(CsvReaderTest, KeepsWhatIsInQuotes) {
  EXPECT_EQ(read("\"a,\"\"b\"\"\r\nc\",,\"\"\r\nd"), (Records{{"a,\"b\"\r\nc", "", ""}, {"d"}}));
  EXPECT_EQ(lines_, (std::vector<std::size_t>{1, 3}));
  EXPECT_EQ(said_, "");
}

TEST_F(CsvReaderTest, SaysWhatBreaksTheRulesAndGoesOn) {
  EXPECT_EQ(read("\"a\"b,c\nd"), (Records{{"ab", "c"}, {"d"}}));
  EXPECT_EQ(said_, "text follows a closing quote");
  EXPECT_EQ(read("a\nb,\"c\nd"), (Records{{"a"}, {"b", "c\nd"}}));
  EXPECT_EQ(said_, "the quote opened in line 2 is never closed");
}

TEST_F(CsvReaderTest, ShowsBytesThatAreNoText) {
  EXPECT_EQ(read("\xff"
                 "a\xe4\xb8,\xe4\xb8\xad,\xed\xa0\x80,\xc0\xaf,\xf0\x9f\x98\x80"),
            (Records{{"\\xffa\\xe4\\xb8", "\xe4\xb8\xad", "\\xed\\xa0\\x80", "\\xc0\\xaf", "\xf0\x9f\x98\x80"}}));
}

TEST_F(CsvReaderTest, RefusesWhatIsNoTableInBoundedMemory) {
  EXPECT_EQ(read(std::string("a,b\n1,\0", 7)), (Records{{"a", "b"}}));
  EXPECT_NE(said_.find("line 2: a zero byte"), std::string::npos) << said_;
  read("\"" + std::string(CsvReader::kMaxRecordBytes + 1, 'x'));
  EXPECT_NE(said_.find("longer than 4 MiB"), std::string::npos) << said_;
  read(std::string(CsvReader::kMaxCells, ','));
  EXPECT_NE(said_.find("more than 4096 cells"), std::string::npos) << said_;
  EXPECT_NE(CsvReader::open(folder_.path()).failure().message.find("a folder"), std::string::npos);
  EXPECT_NE(CsvReader::open(folder_.path() / "none.csv").failure().message.find("No such file"), std::string::npos);
}

TEST_F(CsvReaderTest, ReadsTheSameOverBlockBorders) {
  const std::string cell(1021, 'x');
  std::string text;
  for (int i = 0; i < 300; ++i) text += "\"" + cell + "\"\"\",b\r\n";
  const Records records = read(text);
  ASSERT_EQ(records.size(), 300u);
  for (const auto& record : records) EXPECT_EQ(record, (std::vector<std::string>{cell + "\"", "b"}));
  EXPECT_EQ(lines_.back(), 300u);
}

}  // namespace
}  // namespace assay
