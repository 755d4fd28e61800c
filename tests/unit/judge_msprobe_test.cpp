// The standards that follow MindStudio Probe: verdicts to the letter, and where its plain defects are left out.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "judge_support.hpp"

namespace assay {
namespace {

using judge_testing::filled;
using judge_testing::has_verdict;
using judge_testing::judge_by;
using judge_testing::judge_one;
using judge_testing::row;
using judge_testing::tensor;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

struct Pair {
  const char* what;
  assay_dtype dtype;
  std::vector<double> actual;
  std::vector<double> expected;
  Verdict wanted;
};

void expect_table(const char* standard, const std::vector<Pair>& table) {
  const Judge judge = judge_by(standard);
  for (const Pair& p : table) {
    const bool real = p.dtype != kInt32 && p.dtype != kBool && p.dtype != kInt16;
    const Tensor expected = row(real ? kFloat64 : p.dtype, p.expected);
    EXPECT_TRUE(
        has_verdict(judge_one(judge, {.api = "Torch.exp", .actual = {row(p.dtype, p.actual)}, .expected = {expected}}), p.wanted))
        << standard << ": " << p.what;
  }
}

/// n elements of `value`, the first `off` of them larger by the relative error.
std::vector<double> with_errors(std::size_t n, std::size_t off, double value, double relative) {
  std::vector<double> out(n, value);
  for (std::size_t i = 0; i < off; ++i) out[i] *= 1 + relative;
  return out;
}

TEST(MsprobeMint, JudgesByCosineAndAbsoluteErrorAlone) {
  expect_table("msprobe-mint", {
                                   {"equal", kFloat32, {1, 2}, {1, 2}, Verdict::kPass},
                                   {"0.0009 off", kFloat32, {1.0009, 2}, {1, 2}, Verdict::kPass},
                                   {"0.0011 off", kFloat32, {1.0011, 2}, {1, 2}, Verdict::kError},
                                   {"large relative error of small values", kFloat32, {2e-4, 1}, {1e-4, 1}, Verdict::kPass},
                                   {"wrong signs below 7e-6", kFloat32, {-1e-6, -1e-6}, {1e-6, 1e-6}, Verdict::kPass},
                                   {"wrong signs above", kFloat32, {-1e-4, -1e-4}, {1e-4, 1e-4}, Verdict::kError},
                                   {"one half-precision step", kFloat16, {2.001953125}, {2}, Verdict::kError},
                                   {"nan at the same place", kFloat32, {kNan, 1}, {kNan, 1}, Verdict::kError},
                                   {"infinity at the same place", kFloat32, {kInf, 1}, {kInf, 1}, Verdict::kError},
                                   {"all zero", kFloat32, {0, 0}, {0, 0}, Verdict::kPass},
                                   {"one zero side", kFloat32, {0, 0}, {5e-4, 0}, Verdict::kPass},
                                   {"integers", kInt32, {1, 2}, {1, 2}, Verdict::kPass},
                                   {"integers off by one", kInt32, {1, 3}, {1, 2}, Verdict::kError},
                                   {"booleans", kBool, {1, 0}, {1, 1}, Verdict::kError},
                               });
}

TEST(MsprobeMint, PythonNumbersAndOtherShapesAreErrors) {
  const Judge judge = judge_by("msprobe-mint");
  EXPECT_TRUE(has_verdict(judge_one(judge, {.api = "Tensor.numel", .actual = {std::int64_t{3}}, .expected = {std::int64_t{3}}}),
                          Verdict::kError));
  EXPECT_TRUE(has_verdict(
      judge_one(judge, {.api = "Mint.add", .actual = {row(kFloat32, {1, 2})}, .expected = {row(kFloat32, {1})}}), Verdict::kError));
  EXPECT_TRUE(has_verdict(judge_one(judge, {.api = "Mint.add", .actual = {row(kFloat32, {1})}, .expected = {row(kFloat16, {1})}}),
                          Verdict::kPass))
      << "types are not compared";
  EXPECT_TRUE(has_verdict(judge_one(judge, {.api = "Mint.add", .actual = {row(kFloat32, {})}, .expected = {row(kFloat32, {})}}),
                          Verdict::kSkip));
  EXPECT_TRUE(has_verdict(
      judge_one(judge, {.api = "Mint.add", .actual = {tensor(kFloat32, {}, {1})}, .expected = {tensor(kFloat32, {}, {1})}}),
      Verdict::kPass));
}

TEST(MsprobeTorch, DecidesInTheOrderOfItsChecks) {
  const std::vector<Pair> common{
      {"equal", kFloat32, {1, 2, 3}, {1, 2, 3}, Verdict::kPass},
      {"cosine too low", kFloat32, {1, -2, 3}, {1, 2, 3}, Verdict::kError},
      {"small absolute error ends it", kFloat32, {1e-5, 1}, {9e-4, 1}, Verdict::kPass},
      {"one side zero", kFloat32, {0, 0}, {1e-5, 1e-5}, Verdict::kError},
      {"one element skips the cosine", kFloat32, {-1e-4}, {1e-4}, Verdict::kPass},
      {"few elements off by 5e-4", kFloat32, with_errors(20000, 1, 100, 5e-4), with_errors(20000, 0, 100, 0), Verdict::kPass},
      {"many off by 5e-4", kFloat32, with_errors(20000, 20, 100, 5e-4), with_errors(20000, 0, 100, 0), Verdict::kWarning},
      {"many off by 5e-3", kFloat32, with_errors(20000, 30, 100, 5e-3), with_errors(20000, 0, 100, 0), Verdict::kError},
      {"half: many off by 5e-3", kFloat16, with_errors(20000, 30, 1, 5e-3), with_errors(20000, 0, 1, 0), Verdict::kWarning},
      {"half: many off by 5e-2", kFloat16, with_errors(20000, 300, 1, 5e-2), with_errors(20000, 0, 1, 0), Verdict::kError},
      {"bfloat: one step", kBFloat16, with_errors(20000, 300, 1, 0x1p-7), with_errors(20000, 0, 1, 0), Verdict::kWarning},
      {"integers", kInt32, {1, 2}, {1, 2}, Verdict::kPass},
      {"integers off by one", kInt32, {1, 3}, {1, 2}, Verdict::kError},
      {"int16, which the tool refuses", kInt16, {1, 2}, {1, 2}, Verdict::kPass},
      {"booleans", kBool, {1, 0}, {1, 1}, Verdict::kError},
  };
  expect_table("msprobe-torch-2026-04", common);
  expect_table("msprobe-torch-2026-08", common);
}

TEST(MsprobeTorch, TheTwoVersionsTreatNanDifferently) {
  expect_table("msprobe-torch-2026-04", {{"nan on both sides", kFloat32, {kNan, 1, 2}, {kNan, 1, 2}, Verdict::kError}});
  std::vector<double> with_nan(20001, 1.0);
  with_nan[7] = kNan;
  expect_table("msprobe-torch-2026-08", {{"nan on one side of many: the tool passes it", kFloat32, with_nan,
                                          std::vector<double>(20001, 1.0), Verdict::kError},
                                         {"nan on both sides of many", kFloat32, with_nan, with_nan, Verdict::kPass}});
}

TEST(MsprobeTorch, TheTwoVersionsTreatEmptyTensorsDifferently) {
  const auto judged = [](const char* standard) {
    return judge_one(judge_by(standard), {.api = "Torch.exp", .actual = {row(kFloat32, {})}, .expected = {row(kFloat32, {})}});
  };
  EXPECT_TRUE(has_verdict(judged("msprobe-torch-2026-04"), Verdict::kError));
  EXPECT_TRUE(has_verdict(judged("msprobe-torch-2026-08"), Verdict::kSkip));
}

TEST(MsprobeTorch, TypesMustBeOfOneFamily) {
  const Judge judge = judge_by("msprobe-torch-2026-04");
  const auto judged = [&](const Tensor& actual, const Tensor& expected) {
    return judge_one(judge, {.api = "Torch.exp", .actual = {actual}, .expected = {expected}}).verdict;
  };
  EXPECT_EQ(judged(row(kFloat16, {1}), row(kFloat32, {1})), Verdict::kPass);
  EXPECT_EQ(judged(row(kInt32, {1}), row(kInt64, {1})), Verdict::kPass);
  EXPECT_EQ(judged(row(kBool, {1}), row(kUInt8, {1})), Verdict::kPass);
  EXPECT_EQ(judged(row(kInt32, {1}), row(kFloat32, {1})), Verdict::kError);
  EXPECT_EQ(judged(row(kBool, {1}), row(kInt32, {1})), Verdict::kError);
}

TEST(MsprobeTorch, QuantisedValuesMayBeOffByOneInAugust) {
  const judge_testing::Case c{.api = "NPU.npu_quantize", .actual = {row(kInt8, {1, 3})}, .expected = {row(kInt8, {1, 2})}};
  EXPECT_TRUE(has_verdict(judge_one(judge_by("msprobe-torch-2026-04"), c), Verdict::kError));
  EXPECT_TRUE(has_verdict(judge_one(judge_by("msprobe-torch-2026-08"), c), Verdict::kPass));
}

TEST(MsprobeTorch, DropoutIsJudgedByTheNumberOfZeros) {
  const Judge judge = judge_by("msprobe-torch-2026-08");
  const auto judged = [&](std::size_t n, std::size_t zeros) {
    std::vector<double> values(n, 2.0);
    for (std::size_t i = 0; i < zeros; ++i) values[i] = 0;
    return judge_one(judge, {.api = "Functional.feature_alpha_dropout",
                             .actual = {row(kFloat32, values)},
                             .expected = {filled(kFloat64, {static_cast<std::int64_t>(n)}, 2)}})
        .verdict;
  };
  EXPECT_EQ(judged(1000, 99), Verdict::kPass);
  EXPECT_EQ(judged(1000, 100), Verdict::kError);
  EXPECT_EQ(judged(99, 99), Verdict::kPass);
}

}  // namespace
}  // namespace assay
