#include "base/text.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace assay {
namespace {

TEST(FormatNumber, WritesWhatPythonWrites) {
  EXPECT_EQ(format_number(0.0), "0.0");
  EXPECT_EQ(format_number(1.0), "1.0");
  EXPECT_EQ(format_number(0.9999999999999999), "0.9999999999999999");
  EXPECT_EQ(format_number(1.1920928955078125e-07), "1.1920928955078125e-07");
  EXPECT_EQ(format_number(0.0001), "0.0001");
  EXPECT_EQ(format_number(1e-5), "1e-05");
  EXPECT_EQ(format_number(1e15), "1000000000000000.0");
  EXPECT_EQ(format_number(1e16), "1e+16");
  EXPECT_EQ(format_number(-2.5), "-2.5");
  EXPECT_EQ(format_number(std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(format_number(-std::numeric_limits<double>::infinity()), "-inf");
}

TEST(FormatShape, WritesPythonTuples) {
  EXPECT_EQ(format_shape({}), "()");
  EXPECT_EQ(format_shape({4}), "(4,)");
  EXPECT_EQ(format_shape({2, 3}), "(2, 3)");
}

TEST(EscapeControl, KeepsUtf8AndShowsControls) { EXPECT_EQ(escape_control("a\x1b[31m\n中"), "a\\x1b[31m\\x0a中"); }

TEST(GlobMatch, KnowsStarAndQuestionMark) {
  EXPECT_TRUE(glob_match("Functional.lin*", "Functional.linear"));
  EXPECT_TRUE(glob_match("Tensor.add?", "Tensor.add_"));
  EXPECT_FALSE(glob_match("Torch.*", "Tensor.add"));
}

TEST(SimilarNames, FindsTypingErrors) {
  EXPECT_EQ(similar_names("Torch.matmull", {"Torch.mul", "Torch.matmul"}).front(), "Torch.matmul");
}

}  // namespace
}  // namespace assay
