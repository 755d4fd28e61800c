#include "report/status_line.hpp"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(DisplayWidth, CountsColumnsAndNotBytes) {
  EXPECT_EQ(display_width("Mint.add"), 8u);
  EXPECT_EQ(display_width("算子"), 4u);
  EXPECT_EQ(display_width("e\xcc\x81"), 1u);  // a combining accent
  EXPECT_EQ(display_width("\xff\xfe"), 2u);   // no UTF-8
}

TEST(FitWidth, CutsBetweenCharacters) {
  EXPECT_EQ(fit_width("Mint.add", 8), "Mint.add");
  EXPECT_EQ(fit_width("Mint.add", 5), "Mint…");
  EXPECT_EQ(fit_width("算子名字", 5), "算子…");
  EXPECT_EQ(fit_width("算子名字", 4), "算…");
  EXPECT_EQ(fit_width("算子", 0), "");
  for (std::size_t columns = 0; columns < 12; ++columns) EXPECT_LE(display_width(fit_width("a算b子c名d", columns)), columns);
}

TEST(DurationText, UsesTheUnitsOfPeople) {
  EXPECT_EQ(duration_text(0.34), "340 ms");
  EXPECT_EQ(duration_text(12.4), "12 s");
  EXPECT_EQ(duration_text(200), "3 min 20 s");
  EXPECT_EQ(duration_text(7500), "2 h 5 min");
}

TEST(StatusLine, SaysHowFarHowFastAndHowLong) {
  const StatusLine line(stderr, "APIs", 1000, false);
  EXPECT_EQ(line.text(250, 10, "3 errors"), "250/1000 APIs, 25/s, 30 s left, 3 errors");
  EXPECT_EQ(line.text(0, 0, ""), "0/1000 APIs");
  EXPECT_EQ(line.text(1000, 10, ""), "1000/1000 APIs, 100/s");
  EXPECT_EQ(StatusLine(stderr, "rows", 0, false).text(5, 10, ""), "5 rows, 0.5/s");
}

TEST(StatusLine, NeverIsWiderThanTheTerminal) {
  char text[512] = {};
  std::FILE* file = ::fmemopen(text, sizeof text, "w");
  ASSERT_NE(file, nullptr);
  StatusLine line(file, "APIs", 10, true);
  line.update(1, std::string(300, 'x') + "\x1b[31m");
  std::fclose(file);
  const std::string drawn(text);
  ASSERT_EQ(drawn.substr(0, 4), "\r\x1b[K");
  EXPECT_EQ(display_width(drawn.substr(4)), 79u);
  EXPECT_EQ(drawn.find('\x1b', 4), std::string::npos);
}

}  // namespace
}  // namespace assay
