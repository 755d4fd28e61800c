#include "report/csv.hpp"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(CsvCell, QuotesWhereItMust) {
  EXPECT_EQ(csv_cell("plain"), "plain");
  EXPECT_EQ(csv_cell("(2, 3)"), "\"(2, 3)\"");
  EXPECT_EQ(csv_cell("say \"hi\""), "\"say \"\"hi\"\"\"");
  EXPECT_EQ(csv_cell("two\nlines"), "\"two\nlines\"");
}

TEST(CsvCell, NeutralisesFormulasAndKeepsNumbers) {
  EXPECT_EQ(csv_cell("=1+1"), "'=1+1");
  EXPECT_EQ(csv_cell("@SUM(A1)"), "'@SUM(A1)");
  EXPECT_EQ(csv_cell("＝1"), "'＝1");
  EXPECT_EQ(csv_cell("-1.5e-07"), "-1.5e-07");
  EXPECT_EQ(csv_cell("-inf"), "-inf");
  EXPECT_EQ(csv_cell("-cmd"), "'-cmd");
  EXPECT_EQ(csv_cell("-cmd", false), "-cmd");
}

}  // namespace
}  // namespace assay
