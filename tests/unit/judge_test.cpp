// Pairing, kinds of values, messages and overrides, by the default standard.
#include "judge/judge.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <thread>

#include "judge_support.hpp"

namespace assay {
namespace {

using judge_testing::Case;
using judge_testing::complex_row;
using judge_testing::filled;
using judge_testing::has_verdict;
using judge_testing::judge_all;
using judge_testing::judge_by;
using judge_testing::judge_one;
using judge_testing::row;
using judge_testing::tensor;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

const Judge& assay_judge() {
  static const Judge judge = judge_by("assay");
  return judge;
}

TEST(Judge, PairsOutputsByPosition) {
  const auto rows = judge_all(assay_judge(), {.api = "Torch.split",
                                              .actual = {Value(List{{row(kFloat32, {1}), Value(None{}), row(kFloat32, {2})}})},
                                              .expected = {row(kFloat64, {1}), Value(None{}), row(kFloat64, {2})}});
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].path, "0.0");
  EXPECT_TRUE(has_verdict(rows[0].verdict, Verdict::kPass));
  EXPECT_TRUE(has_verdict(rows[1].verdict, Verdict::kNone));
  EXPECT_TRUE(has_verdict(rows[2].verdict, Verdict::kPass));
}

TEST(Judge, NamesItemsOfDictionariesByTheirKeys) {
  const Dict dict{{{"values", row(kFloat32, {1})}, {"indices", row(kInt64, {0})}}};
  const auto rows = judge_all(assay_judge(), {.api = "Torch.some_api", .actual = {dict}, .expected = {dict}});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].path, "0.indices");
  EXPECT_TRUE(has_verdict(rows[1].verdict, Verdict::kPass));
}

TEST(Judge, AMissingOutputIsAnError) {
  const auto rows = judge_all(
      assay_judge(), {.api = "Torch.split", .actual = {row(kFloat32, {1})}, .expected = {row(kFloat64, {1}), row(kFloat64, {2})}});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_TRUE(has_verdict(rows[0].verdict, Verdict::kPass));
  EXPECT_TRUE(has_verdict(rows[1].verdict, Verdict::kError));
  EXPECT_EQ(rows[1].verdict.reason, "ASSAY-CMP-001");
  EXPECT_EQ(rows[1].actual, nullptr);
}

TEST(Judge, AnOutputTooManyIsAnError) {
  const auto rows = judge_all(
      assay_judge(), {.api = "Torch.split", .actual = {row(kFloat32, {1}), row(kFloat32, {2})}, .expected = {row(kFloat64, {1})}});
  EXPECT_EQ(rows.at(1).verdict.reason, "ASSAY-CMP-002");
}

TEST(Judge, OtherShapesAndTypesAreErrors) {
  const auto code = [&](const Tensor& actual, const Tensor& expected) {
    const auto v = judge_one(assay_judge(), {.api = "Torch.some_api", .actual = {actual}, .expected = {expected}});
    return v.verdict == Verdict::kError ? v.reason : std::string(verdict_name(v.verdict));
  };
  EXPECT_EQ(code(row(kFloat32, {1, 2}), tensor(kFloat64, {2, 1}, {1, 2})), "ASSAY-CMP-004");
  EXPECT_EQ(code(row(kFloat32, {1}), row(kFloat16, {1})), "ASSAY-CMP-005") << "a narrower reference can't be rounded";
  EXPECT_EQ(code(row(kFloat16, {1}), row(kBFloat16, {1})), "ASSAY-CMP-005");
  EXPECT_EQ(code(row(kInt32, {1}), row(kInt64, {1})), "ASSAY-CMP-005");
  EXPECT_EQ(code(row(kFloat32, {1}), row(kInt64, {1})), "ASSAY-CMP-005");
  EXPECT_EQ(code(row(kFloat32, {1}), complex_row(kComplex128, {1})), "ASSAY-CMP-005");
  EXPECT_EQ(code(row(kFloat16, {1}), row(kFloat32, {1})), "pass");
  EXPECT_EQ(code(complex_row(kComplex64, {{1, 2}}), complex_row(kComplex128, {{1, 2}})), "pass");
}

TEST(Judge, ATensorAgainstANumberIsAnError) {
  const auto v = judge_one(assay_judge(), {.api = "Tensor.item", .actual = {Value(1.0)}, .expected = {tensor(kFloat64, {}, {1})}});
  EXPECT_EQ(v.reason, "ASSAY-CMP-003") << v.message;
}

TEST(Judge, PythonValuesAreComparedByEquality) {
  const auto judged = [&](Value actual, Value expected) {
    return judge_one(assay_judge(), {.api = "Tensor.size", .actual = {std::move(actual)}, .expected = {std::move(expected)}});
  };
  EXPECT_TRUE(has_verdict(judged(std::int64_t{3}, std::int64_t{3}), Verdict::kPass));
  EXPECT_EQ(judged(std::int64_t{3}, std::int64_t{4}).reason, "ASSAY-CMP-006");
  EXPECT_EQ(judged(true, std::int64_t{1}).reason, "ASSAY-CMP-003");
  EXPECT_TRUE(has_verdict(judged(std::string("torch.FloatTensor"), std::string("torch.FloatTensor")), Verdict::kPass));
  EXPECT_TRUE(has_verdict(judged(kFloat32, kFloat32), Verdict::kPass));
  EXPECT_TRUE(has_verdict(judged(kFloat32, kFloat64), Verdict::kError));
  EXPECT_TRUE(has_verdict(judged(kNan, kNan), Verdict::kPass));
}

TEST(Judge, PythonNumbersHaveThePrecisionOfTheTensorsTheyCameFrom) {
  Case c{.api = "Tensor.norm", .actual = {Value(0.1f * 3.0)}, .expected = {Value(0.3)}, .args = {row(kFloat32, {1})}};
  EXPECT_TRUE(has_verdict(judge_one(assay_judge(), c), Verdict::kPass));
  c.args = {row(kFloat64, {1})};
  EXPECT_TRUE(has_verdict(judge_one(assay_judge(), c), Verdict::kError));
}

TEST(Judge, EmptyTensorsPassByTheirShape) {
  EXPECT_TRUE(has_verdict(
      judge_one(assay_judge(),
                {.api = "Torch.sum", .actual = {tensor(kFloat32, {0, 3}, {})}, .expected = {tensor(kFloat64, {0, 3}, {})}}),
      Verdict::kPass));
}

TEST(Judge, AnOutputThatNoComparisonTakesIsASkipWithTheReason) {
  assay_dtype odd = kInt8;
  odd.bits = 4;
  Tensor packed = Tensor::allocate(kInt8, {2});
  packed.abi().dl.dtype = odd;
  const auto v = judge_one(assay_judge(), {.api = "Torch.some_api", .actual = {packed}, .expected = {packed}});
  EXPECT_TRUE(has_verdict(v, Verdict::kSkip));
  EXPECT_EQ(v.reason, "ASSAY-CMP-010");
}

TEST(Judge, AFailingRowSaysMetricLimitToleranceAndWorstElement) {
  const auto v = judge_one(assay_judge(), {.api = "Torch.exp",
                                           .actual = {tensor(kFloat32, {2, 2}, {1, 2, 3, 4.5})},
                                           .expected = {tensor(kFloat64, {2, 2}, {1, 2, 3, 4})}});
  ASSERT_TRUE(v.decision);
  EXPECT_EQ(v.decision->metric, "max_scaled_error");
  EXPECT_NEAR(v.decision->value, 0.125, 1e-6);
  EXPECT_EQ(v.decision->limit, 8 * 0x1p-23);
  EXPECT_EQ(v.judged_as, "elementwise");
  ASSERT_TRUE(v.worst);
  EXPECT_EQ(v.worst->index, (std::vector<std::int64_t>{1, 1}));
  EXPECT_EQ(v.worst->actual, "4.5");
  EXPECT_EQ(v.worst->expected, "4.0");
  EXPECT_EQ(v.worst->ulp, 1048576.0);
  for (const char* part : {"max_scaled_error 0.125", "9.537e-07", "rtol 0.125", "1/4 elements", "(1, 1)"}) {
    EXPECT_NE(v.message.find(part), std::string::npos) << part << " in: " << v.message;
  }
}

TEST(Judge, HalfPrecisionNeighboursPass) {
  for (const assay_dtype dtype : {kFloat16, kBFloat16, kFloat8E4M3FN, kFloat8E5M2}) {
    const double eps = dtype == kFloat16 ? 0x1p-10 : dtype == kBFloat16 ? 0x1p-7 : dtype == kFloat8E5M2 ? 0x1p-2 : 0x1p-3;
    for (const char* api : {"Torch.mul", "Torch.exp", "Torch.sum", "Torch.matmul", "Torch.some_api"}) {
      const auto v =
          judge_one(assay_judge(), {.api = api, .actual = {row(dtype, {1 + eps, 2})}, .expected = {row(kFloat64, {1, 2})}});
      EXPECT_TRUE(has_verdict(v, Verdict::kPass)) << api << " " << dtype_name(dtype);
    }
  }
}

TEST(Judge, ExactOperatorsMustBeExact) {
  const auto v = judge_one(assay_judge(),
                           {.api = "Torch.cat", .actual = {row(kFloat32, {1, 2.0000005})}, .expected = {row(kFloat32, {1, 2})}});
  EXPECT_TRUE(has_verdict(v, Verdict::kError));
  EXPECT_EQ(v.reason, "ASSAY-CMP-023");
  const auto neighbour = judge_one(
      assay_judge(), {.api = "Torch.cat", .actual = {row(kFloat32, {1, 2.0000003})}, .expected = {row(kFloat32, {1, 2})}});
  EXPECT_TRUE(has_verdict(neighbour, Verdict::kWarning));
}

TEST(Judge, CancellingSumsAreJudgedByTheSizeOfTheirTerms) {
  const std::vector<Value> args{row(kFloat32, std::vector<double>(1000, 1e3))};
  const auto sum = [&](double actual) {
    return judge_one(assay_judge(), {.api = "Torch.sum",
                                     .actual = {tensor(kFloat32, {}, {actual})},
                                     .expected = {tensor(kFloat64, {}, {0.001})},
                                     .args = args});
  };
  EXPECT_TRUE(has_verdict(sum(0.002), Verdict::kPass));
  EXPECT_TRUE(has_verdict(sum(50), Verdict::kError));
}

TEST(Judge, LostSmallElementsOfExactProductsAreAWarning) {
  const auto v = judge_one(assay_judge(),
                           {.api = "Torch.mul", .actual = {row(kFloat32, {1, 1.1e-8})}, .expected = {row(kFloat64, {1, 1e-8})}});
  EXPECT_TRUE(has_verdict(v, Verdict::kWarning));
  EXPECT_EQ(v.reason, "ASSAY-CMP-042");
}

TEST(Judge, OverridesSetToleranceAndOutputsOfAnApi) {
  const Judge judge =
      judge_by("assay", R"({"apis": [{"match": ["Torch.exp", "fft.*"], "rtol": 0.1, "atol": 0.01, "outputs": [0]}]})");
  const auto rows = judge_all(judge, {.api = "Torch.exp",
                                      .actual = {row(kFloat32, {1.05, 0.005}), row(kFloat32, {7})},
                                      .expected = {row(kFloat64, {1, 0}), row(kFloat64, {1})}});
  EXPECT_TRUE(has_verdict(rows.at(0).verdict, Verdict::kPass));
  EXPECT_TRUE(has_verdict(rows.at(1).verdict, Verdict::kSkip));
  EXPECT_EQ(rows.at(1).verdict.reason, "ASSAY-CMP-011");
  const auto outside = judge_one(judge, {.api = "Torch.exp", .actual = {row(kFloat32, {1.2})}, .expected = {row(kFloat64, {1})}});
  EXPECT_EQ(outside.reason, "ASSAY-CMP-012") << outside.message;
  const auto nan = judge_one(judge, {.api = "Torch.exp", .actual = {row(kFloat32, {kNan})}, .expected = {row(kFloat64, {1})}});
  EXPECT_TRUE(has_verdict(nan, Verdict::kError));
  const auto other = judge_one(judge, {.api = "Torch.sin", .actual = {row(kFloat32, {1.05})}, .expected = {row(kFloat64, {1})}});
  EXPECT_TRUE(has_verdict(other, Verdict::kError)) << "other APIs keep their limits";
}

TEST(Judge, AnArgumentMaySayHowManyRowsCount) {
  const Judge judge = judge_by("assay", R"({"apis": [{"match": ["npu_grouped_matmul"], "class": "contraction",
      "region": {"dim": 0, "stop": {"position": 1, "name": "group_list"}}}]})");
  const Tensor garbage = tensor(kFloat32, {4, 2}, {1, 2, 3, 4, 77, kNan, -9, 0});
  const Tensor expected = tensor(kFloat64, {4, 2}, {1, 2, 3, 4, 0, 0, 0, 0});
  Case c{.api = "NPU.npu_grouped_matmul",
         .actual = {garbage},
         .expected = {expected},
         .args = {filled(kFloat32, {4, 2}, 1), row(kInt64, {1, 1})}};
  EXPECT_TRUE(has_verdict(judge_one(judge, c), Verdict::kPass));
  EXPECT_TRUE(has_verdict(judge_one(judge_by("assay"), c), Verdict::kError)) << "without the override every row counts";
  c.args[1] = row(kInt64, {2, 1});
  const auto one_more = judge_one(judge, c);
  EXPECT_TRUE(has_verdict(one_more, Verdict::kError));
  ASSERT_TRUE(one_more.worst);
  EXPECT_EQ(one_more.worst->index, (std::vector<std::int64_t>{2, 1}));
  c.args.resize(1);
  c.kwargs = {{"group_list", List{{Value(std::int64_t{1}), Value(std::int64_t{1})}}}};
  EXPECT_TRUE(has_verdict(judge_one(judge, c), Verdict::kPass));
  c.kwargs = {{"group_list", std::int64_t{0}}};
  EXPECT_TRUE(has_verdict(judge_one(judge, c), Verdict::kPass)) << "no row counts";
  for (Value wrong : {Value(row(kInt64, {3, 2})), Value(row(kFloat32, {1, 1})), Value(None{}), Value(std::int64_t{-1})}) {
    c.kwargs = {{"group_list", wrong}};
    EXPECT_TRUE(has_verdict(judge_one(judge, c), Verdict::kError));
  }
}

TEST(Judge, AMaskMaySayWhichElementsCount) {
  const auto masked = [](const char* more) {
    return judge_by("assay", std::string(R"({"apis": [{"match": ["masked_op"], "mask": {"name": "mask")") + more + "}}]}");
  };
  Case c{.api = "Torch.masked_op",
         .actual = {tensor(kFloat32, {2, 3}, {1, 2, kNan, 4, 5, kInf})},
         .expected = {tensor(kFloat64, {2, 3}, {1, 2, 3, 4, 5, 6})},
         .kwargs = {{"mask", row(kBool, {1, 1, 0})}}};
  EXPECT_TRUE(has_verdict(judge_one(masked(""), c), Verdict::kPass)) << "one row of the mask is for both";
  const auto elsewhere = judge_one(masked(R"(, "elsewhere": "exact")"), c);
  EXPECT_TRUE(has_verdict(elsewhere, Verdict::kError));
  EXPECT_EQ(elsewhere.reason, "ASSAY-CMP-013");
  const auto opposite = judge_one(masked(R"(, "keep": "zero")"), c);
  EXPECT_TRUE(has_verdict(opposite, Verdict::kError));
  ASSERT_TRUE(opposite.worst);
  EXPECT_EQ(opposite.worst->index, (std::vector<std::int64_t>{0, 2}));
  c.kwargs = {{"mask", tensor(kInt32, {2, 3}, {1, 1, 0, 1, 0, 0})}};
  EXPECT_TRUE(has_verdict(judge_one(masked(""), c), Verdict::kPass));
  c.kwargs = {{"mask", filled(kBool, {2, 3}, 0)}};
  EXPECT_TRUE(has_verdict(judge_one(masked(""), c), Verdict::kPass)) << "nothing counts";
  c.kwargs = {{"mask", row(kBool, {1, 1})}};
  EXPECT_TRUE(has_verdict(judge_one(masked(""), c), Verdict::kError)) << "doesn't stretch";
  c.kwargs = {};
  EXPECT_TRUE(has_verdict(judge_one(masked(""), c), Verdict::kError)) << "not there";
}

TEST(Judge, TheTolerancesWorstElementKeepsItsPlace) {
  const Judge judge =
      judge_by("assay", R"({"apis": [{"match": ["Torch.exp"], "rtol": 0.01, "region": {"dim": 1, "start": 1, "stop": 3}}]})");
  const auto v = judge_one(judge, {.api = "Torch.exp",
                                   .actual = {tensor(kFloat32, {2, 4}, {9, 1, 1, 9, 9, 1, 1.5, 9})},
                                   .expected = {filled(kFloat64, {2, 4}, 1)}});
  EXPECT_EQ(v.reason, "ASSAY-CMP-012");
  ASSERT_TRUE(v.worst);
  EXPECT_EQ(v.worst->index, (std::vector<std::int64_t>{1, 2}));
  EXPECT_NE(v.message.find("1/4 elements of those that count"), std::string::npos) << v.message;
}

TEST(Judge, OverridingRulesComeFirst) {
  const Judge judge = judge_by(
      "assay",
      R"({"rules": [{"code": "ASSAY-CMP-051", "metric": "max_abs_error", "accept": {"at_most": 0.5}}], "empty": "error"})");
  EXPECT_TRUE(has_verdict(
      judge_one(judge, {.api = "Torch.exp", .actual = {row(kFloat32, {1.4})}, .expected = {row(kFloat64, {1})}}), Verdict::kPass));
  EXPECT_TRUE(has_verdict(judge_one(judge, {.api = "Torch.exp", .actual = {row(kFloat32, {})}, .expected = {row(kFloat64, {})}}),
                          Verdict::kError));
}

TEST(Judge, SeveralThreadsMayJudgeAtOnce) {
  const Judge judge = judge_by("assay");
  std::vector<std::thread> threads;
  std::vector<int> passed(4, 0);
  for (std::size_t t = 0; t < passed.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        const auto v = judge_one(
            judge,
            {.api = "Torch.api" + std::to_string(i), .actual = {row(kFloat32, {1, 2})}, .expected = {row(kFloat64, {1, 2})}});
        passed[t] += v.verdict == Verdict::kPass ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(passed, std::vector<int>(4, 50));
}

TEST(Judge, RefusesAStandardWhoseMetricsNoComparisonGives) {
  auto standard = Standard::load(judge_testing::standards_dir() / "assay.json",
                                 R"({"rules": [{"code": "X", "metric": "max_scaled_eror", "pass": {"at_most": 1}}]})");
  ASSERT_TRUE(standard) << standard.failure().message;
  const auto judge = Judge::create(*standard, {});
  ASSERT_FALSE(judge);
  EXPECT_NE(judge.failure().message.find("max_scaled_eror"), std::string::npos);
}

}  // namespace
}  // namespace assay
