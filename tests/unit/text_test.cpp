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

TEST(EscapeControl, KeepsUtf8AndShowsControls) {
  EXPECT_EQ(escape_control("a\x1b[31m\n中é😀"), "a\\x1b[31m\\x0a中é😀");
  EXPECT_EQ(escape_control("\xc2\x9b"
                           "31m"),
            "\\u009b31m");
}

TEST(EscapeControl, ShowsWhatTurnsTheDirectionOfText) {
  EXPECT_EQ(escape_control("add\xe2\x80\xae"
                           "dda"),
            "add\\u202edda");
  EXPECT_EQ(escape_control("a\xe2\x80\xa8"
                           "b"),
            "a\\u2028b");
}

TEST(EscapeControl, ShowsBytesThatAreNotUtf8) {
  EXPECT_EQ(escape_control("a\xff"
                           "b"),
            "a\\xffb");
  EXPECT_EQ(escape_control("\xc0\xaf"), "\\xc0\\xaf");           // longer than it needs to be
  EXPECT_EQ(escape_control("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half of a pair
  EXPECT_EQ(escape_control("中\xe4\xb8"), "中\\xe4\\xb8");       // cut off
  EXPECT_EQ(escape_control("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

TEST(ShellWord, QuotesWhatAShellWouldRead) {
  EXPECT_EQ(shell_word("Functional.linear.3"), "Functional.linear.3");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("$(id)"), "'$(id)'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
}

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
