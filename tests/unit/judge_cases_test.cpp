// Cases that people who check operator accuracy ran into: what the default standard says about each. A test's name begins with the
// numbers of its cases: T of the checkers themselves, N and M of operators of PyTorch and MindSpore, A of other devices. T11 is in
// precision_compare_test.cpp, T13 in judge_kinds_test.cpp.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "judge_support.hpp"

namespace assay {
namespace {

using judge_testing::Case;
using judge_testing::complex_row;
using judge_testing::filled;
using judge_testing::has_verdict;
using judge_testing::judge_by;
using judge_testing::judge_one;
using judge_testing::metric;
using judge_testing::row;
using judge_testing::tensor;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

const Judge& assay_judge() {
  static const Judge judge = judge_by("assay");
  return judge;
}

OutputVerdict verdict_on(const Case& c, std::size_t output = 0) { return judge_one(assay_judge(), c, output); }

/// One tensor output: float64 reference, result in `dtype`.
OutputVerdict verdict_on(const char* api, assay_dtype dtype, const std::vector<double>& actual,
                         const std::vector<double>& expected) {
  return verdict_on({.api = api, .actual = {row(dtype, actual)}, .expected = {row(kFloat64, expected)}});
}

TEST(JudgeCases, T01SameNanOnBothSidesPassesAndIsCounted) {
  const auto same = verdict_on("Torch.sqrt", kFloat32, {kNan, 1, 2}, {kNan, 1, 2});
  EXPECT_TRUE(has_verdict(same, Verdict::kPass));
  EXPECT_NE(same.message.find("1 nan"), std::string::npos) << same.message;
  const auto one_sided = verdict_on("Torch.sqrt", kFloat32, {kNan, 1, 2}, {0, 1, 2});
  EXPECT_TRUE(has_verdict(one_sided, Verdict::kError));
  EXPECT_EQ(one_sided.reason, "ASSAY-CMP-020");
}

TEST(JudgeCases, T03TinyOutputsOfTheOppositeSignFail) {
  for (const char* api : {"Torch.tanh", "Torch.sum", "Torch.matmul", "Torch.some_unknown_operator"}) {
    EXPECT_TRUE(has_verdict(verdict_on(api, kFloat32, {-1e-6, -1e-6, -1e-6, -1e-6}, {1e-6, 1e-6, 1e-6, 1e-6}), Verdict::kError));
  }
}

TEST(JudgeCases, T06T07RelativeErrorOfSharedZerosIsZero) {
  const auto halves = verdict_on("Torch.relu", kFloat16, {0, 1}, {0, 1});
  EXPECT_EQ(metric(halves, "max_rel_error"), 0);
  EXPECT_TRUE(has_verdict(halves, Verdict::kPass));
  EXPECT_EQ(metric(verdict_on("Torch.relu", kFloat32, {0, 1}, {0, 2}), "max_rel_error"), 0.5);
}

TEST(JudgeCases, T09SmallIntegersAreComparedExactly) {
  std::vector<double> values(5 * 1024);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 255) - 127;
  const Tensor expected = tensor(kInt8, {5, 1024}, values);
  EXPECT_TRUE(has_verdict(verdict_on({.api = "NPU.npu_scatter_nd", .actual = {expected}, .expected = {expected}}), Verdict::kPass));
  values[700] += 1;
  const Tensor off_by_one = tensor(kInt8, {5, 1024}, values);
  const auto failed = verdict_on({.api = "NPU.npu_scatter_nd", .actual = {off_by_one}, .expected = {expected}});
  EXPECT_TRUE(has_verdict(failed, Verdict::kError));
  EXPECT_NE(failed.message.find("1/5120"), std::string::npos) << failed.message;
  EXPECT_TRUE(has_verdict(verdict_on({.api = "Torch.quantize_per_tensor", .actual = {off_by_one}, .expected = {expected}}),
                          Verdict::kPass));
  values[701] += 2;
  EXPECT_TRUE(has_verdict(
      verdict_on({.api = "Torch.quantize_per_tensor", .actual = {tensor(kInt8, {5, 1024}, values)}, .expected = {expected}}),
      Verdict::kError));
}

TEST(JudgeCases, T15SmallValuesAreJudgedByTheScaleOfTheTensor) {
  const auto v = verdict_on("Torch.some_unknown_operator", kFloat32, {1.1e-7, 1}, {1e-7, 1});
  EXPECT_TRUE(has_verdict(v, Verdict::kPass));
  EXPECT_NEAR(metric(v, "max_rel_error"), 0.1, 1e-6);
  EXPECT_NEAR(metric(v, "max_abs_error"), 1e-8, 1e-14);
}

TEST(JudgeCases, T17AGradientThatOnlyOneSideGivesIsSkippedWithAReason) {
  const auto v = verdict_on({.api = "Functional.binary_cross_entropy",
                             .actual = {Value(None{})},
                             .expected = {row(kFloat64, {1, 2})},
                             .direction = "backward"});
  EXPECT_TRUE(has_verdict(v, Verdict::kSkip));
  EXPECT_EQ(v.reason, "ASSAY-CMP-008");
  EXPECT_FALSE(v.message.empty());
}

TEST(JudgeCases, T19AnInfinityThatIsMeantIsNoAlarm) {
  EXPECT_TRUE(has_verdict(verdict_on("Torch.full", kFloat32, {kInf, kInf}, {kInf, kInf}), Verdict::kPass));
  EXPECT_TRUE(has_verdict(verdict_on("Torch.full", kFloat32, {kInf, -kInf}, {kInf, kInf}), Verdict::kError));
  EXPECT_TRUE(has_verdict(verdict_on("Torch.exp", kFloat32, {3e38, kInf}, {kInf, kInf}), Verdict::kError));
}

TEST(JudgeCases, N01NanOfTheVectorPathFails) {
  EXPECT_TRUE(has_verdict(verdict_on("Torch.fmod", kFloat32, std::vector<double>(16, kNan), std::vector<double>(16, 0.0)),
                          Verdict::kError));
}

TEST(JudgeCases, N03NanFromInputsWithoutNanIsSaid) {
  const auto v = verdict_on({.api = "Functional.gelu",
                             .actual = {row(kFloat32, {kNan, kNan, 0.8413447})},
                             .expected = {row(kFloat64, {kNan, kNan, 0.8413447})},
                             .args = {row(kFloat32, {kInf, -kInf, 1})}});
  EXPECT_TRUE(has_verdict(v, Verdict::kPass));
  EXPECT_NE(v.message.find("inputs without nan"), std::string::npos) << v.message;
}

TEST(JudgeCases, N05LayerNormThatLostItsDigitsFails) {
  const std::vector<double> right{-1.341635, -0.447212, 0.447212, 1.341635};
  EXPECT_TRUE(has_verdict(verdict_on("Functional.layer_norm", kFloat32, right, right), Verdict::kPass));
  EXPECT_TRUE(has_verdict(verdict_on("Functional.layer_norm", kFloat32, {-1.7, -0.5, 0.5, 1.7}, right), Verdict::kError));
}

TEST(JudgeCases, N09OneUnitOfHalfPrecisionIsAWarningAtMost) {
  const auto v = verdict_on({.api = "Torch.sum",
                             .actual = {tensor(kFloat16, {}, {4444})},
                             .expected = {tensor(kFloat64, {}, {4449})},
                             .args = {filled(kFloat16, {9, 8}, 61.8)}});
  EXPECT_LE(v.verdict, Verdict::kWarning) << v.message;
}

TEST(JudgeCases, N11SumsThatStopGrowingFail) {
  EXPECT_TRUE(has_verdict(
      verdict_on({.api = "Torch.index_add",
                  .actual = {row(kBFloat16, {256})},
                  .expected = {row(kFloat64, {1000})},
                  .args = {row(kBFloat16, {0}), Value(std::int64_t{0}), filled(kInt64, {1000}, 0), filled(kBFloat16, {1000}, 1)}}),
      Verdict::kError));
}

TEST(JudgeCases, N13HalfPrecisionRunningSumsFollowTheRoundedReference) {
  std::vector<double> sums(5000);
  std::vector<double> stuck(5000);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    sums[i] = static_cast<double>(i + 1);
    stuck[i] = std::min(sums[i], 2048.0);
  }
  const std::vector<Value> ones{filled(kFloat16, {5000}, 1), Value(std::int64_t{0})};
  EXPECT_TRUE(has_verdict(
      verdict_on({.api = "Torch.cumsum", .actual = {row(kFloat16, sums)}, .expected = {row(kFloat64, sums)}, .args = ones}),
      Verdict::kPass));
  EXPECT_TRUE(has_verdict(
      verdict_on({.api = "Torch.cumsum", .actual = {row(kFloat16, stuck)}, .expected = {row(kFloat64, sums)}, .args = ones}),
      Verdict::kError));
}

TEST(JudgeCases, N15AGradientThatDependsOnTheElementsPlaceFails) {
  Case c{.api = "Functional.hardswish",
         .actual = {filled(kBFloat16, {1, 9, 9, 1}, 1.0)},
         .expected = {filled(kFloat64, {1, 9, 9, 1}, 1.0)},
         .args = {filled(kBFloat16, {1, 9, 9, 1}, 3.0)},
         .direction = "backward",
         .grad_outputs = {filled(kBFloat16, {1, 9, 9, 1}, 1.0)}};
  EXPECT_TRUE(has_verdict(verdict_on(c), Verdict::kPass));
  std::vector<double> values(81, 1.0);
  values[80] = 1.5;
  c.actual = {tensor(kBFloat16, {1, 9, 9, 1}, values)};
  EXPECT_TRUE(has_verdict(verdict_on(c), Verdict::kError));
}

TEST(JudgeCases, N17N21NanOnBothSidesOfAttentionAndLogsumexpPasses) {
  EXPECT_TRUE(
      has_verdict(verdict_on("Functional.scaled_dot_product_attention", kFloat32, {kNan, kNan}, {kNan, kNan}), Verdict::kPass));
  EXPECT_TRUE(has_verdict(verdict_on({.api = "Torch.logsumexp",
                                      .actual = {row(kFloat32, {kNan, kNan})},
                                      .expected = {row(kFloat64, {kNan, kNan})},
                                      .direction = "backward"}),
                          Verdict::kPass));
  EXPECT_TRUE(has_verdict(verdict_on("Torch.logsumexp", kFloat32, {-kInf}, {-kInf}), Verdict::kPass));
}

TEST(JudgeCases, N23TheRemainderOfTheExactQuotientIsTheRightOne) {
  const double exact = std::fmod(static_cast<double>(0.84f), static_cast<double>(0.02f));
  EXPECT_TRUE(has_verdict(verdict_on("Torch.fmod", kFloat32, {std::fmod(0.84f, 0.02f)}, {exact}), Verdict::kPass));
  EXPECT_TRUE(has_verdict(verdict_on("Torch.fmod", kFloat32, {0.0}, {exact}), Verdict::kError));
}

TEST(JudgeCases, N25CosineSimilarityOfHugeVectorsMustNotBeZero) {
  EXPECT_TRUE(has_verdict(verdict_on("Functional.cosine_similarity", kFloat32, {0.0}, {0.98316}), Verdict::kError));
  EXPECT_TRUE(has_verdict(verdict_on("Functional.cosine_similarity", kFloat32, {0.98316}, {0.98316}), Verdict::kPass));
}

TEST(JudgeCases, N27CosineOneUnitAboveOnePassesAndOursIsClipped) {
  EXPECT_TRUE(has_verdict(verdict_on("Functional.cosine_similarity", kFloat32, {1.0000001}, {1.0}), Verdict::kPass));
  std::vector<double> values(84);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  EXPECT_LE(metric(verdict_on("Torch.clone", kFloat32, values, values), "cosine"), 1.0);
}

TEST(JudgeCases, N29AGradientOnAnotherPixelFails) {
  std::vector<double> right(16, 0.0);
  std::vector<double> wrong(16, 0.0);
  right[0] = 1;
  wrong[5] = 1;
  EXPECT_TRUE(has_verdict(verdict_on({.api = "Functional.interpolate",
                                      .actual = {tensor(kFloat32, {1, 1, 4, 4}, wrong)},
                                      .expected = {tensor(kFloat64, {1, 1, 4, 4}, right)},
                                      .direction = "backward"}),
                          Verdict::kError));
}

TEST(JudgeCases, N39MagnitudeOfAnInfiniteComplexNumberIsInfinite) {
  EXPECT_TRUE(has_verdict(verdict_on("Torch.abs", kFloat32, {kNan, kInf}, {kInf, kInf}), Verdict::kError));
}

TEST(JudgeCases, N41IndicesOfTiesMayDiffer) {
  const std::vector<Value> input{row(kFloat32, {2, 3, 0, 3, 3})};
  const auto argmax = [&](double index) {
    return verdict_on(
        {.api = "Torch.argmax", .actual = {tensor(kInt64, {}, {index})}, .expected = {tensor(kInt64, {}, {1})}, .args = input});
  };
  EXPECT_TRUE(has_verdict(argmax(1), Verdict::kPass));
  EXPECT_TRUE(has_verdict(argmax(4), Verdict::kPass));
  EXPECT_EQ(argmax(4).reason, "ASSAY-CMP-035");
  EXPECT_TRUE(has_verdict(argmax(0), Verdict::kError));
  EXPECT_TRUE(has_verdict(argmax(5), Verdict::kError));

  const auto topk = [&](const std::vector<double>& indices) {
    return verdict_on({.api = "Tensor.topk",
                       .actual = {row(kFloat32, {5, 5, 4}), row(kInt64, indices)},
                       .expected = {row(kFloat64, {5, 5, 4}), row(kInt64, {2, 4, 3})},
                       .args = {row(kFloat32, {1, 2, 5, 4, 5}), Value(std::int64_t{3})}},
                      1);
  };
  EXPECT_TRUE(has_verdict(topk({4, 2, 3}), Verdict::kPass));
  EXPECT_TRUE(has_verdict(topk({2, 2, 3}), Verdict::kError)) << "one of the fives is named twice";
  EXPECT_TRUE(has_verdict(topk({2, 4, 1}), Verdict::kError));
}

TEST(JudgeCases, N43EigenvaluesOfOneMatrixAndOfABatchMayDifferByTheNormsRounding) {
  const std::vector<Value> matrix{filled(kFloat32, {4, 4}, 1)};
  EXPECT_TRUE(has_verdict(verdict_on({.api = "Torch.linalg.eigvalsh",
                                      .actual = {row(kFloat32, {-3e-7, 1e-7, 2e-7, 4.0000005})},
                                      .expected = {row(kFloat64, {0, 0, 0, 4})},
                                      .args = matrix}),
                          Verdict::kPass));
  EXPECT_TRUE(has_verdict(verdict_on({.api = "Torch.linalg.eigvalsh",
                                      .actual = {row(kFloat32, {0, 0, 0, 4.1})},
                                      .expected = {row(kFloat64, {0, 0, 0, 4})},
                                      .args = matrix}),
                          Verdict::kError));
}

TEST(JudgeCases, N45AGradientOnAKinkIsTheInputsConditioning) {
  Case c{.api = "Functional.margin_ranking_loss",
         .actual = {row(kBFloat16, {-0.5, 0})},
         .expected = {row(kFloat64, {-0.5, -0.5})},
         .direction = "backward"};
  EXPECT_TRUE(has_verdict(verdict_on(c), Verdict::kError));
  c.nudged = {{row(kFloat64, {-0.5, -0.5})}, {row(kFloat64, {-0.5, 0})}};
  const auto excused = verdict_on(c);
  EXPECT_TRUE(has_verdict(excused, Verdict::kPass));
  EXPECT_EQ(excused.reason, "ASSAY-CMP-014");
  // The first element does not sit on a kink: its error stays one.
  c.actual = {row(kBFloat16, {0, 0})};
  EXPECT_TRUE(has_verdict(verdict_on(c), Verdict::kError));
}

TEST(JudgeCases, N47BfloatGradientsOfInterpolationPassWithinTheirRounding) {
  const std::vector<double> exact{0.2519, 0.5013, 0.1247, 0.2504};
  std::vector<double> rounded = exact;
  for (double& value : rounded) value += 5e-4;
  EXPECT_TRUE(has_verdict(verdict_on({.api = "Functional.interpolate",
                                      .actual = {row(kBFloat16, rounded)},
                                      .expected = {row(kFloat64, exact)},
                                      .direction = "backward"}),
                          Verdict::kPass));
}

TEST(JudgeCases, N49ErfinvNearOneMustKeepItsDigits) {
  EXPECT_TRUE(has_verdict(verdict_on("Torch.erfinv", kFloat32, {3.8325071}, {3.832506856900711}), Verdict::kPass));
  EXPECT_TRUE(has_verdict(verdict_on("Torch.erfinv", kFloat32, {3.8035836}, {3.832506856900711}), Verdict::kError));
}

TEST(JudgeCases, N51DigammaNearAPoleIsComparedByWhatOneInputUnitMoves) {
  EXPECT_TRUE(has_verdict(verdict_on("Torch.digamma", kFloat32, {-8388607.0}, {-8388607.07}), Verdict::kPass));
  Case c{.api = "Torch.digamma", .actual = {row(kFloat32, {-6.4e6})}, .expected = {row(kFloat64, {-8388607.07})}};
  EXPECT_TRUE(has_verdict(verdict_on(c), Verdict::kError));
  c.nudged = {{row(kFloat64, {-4194303.6})}, {row(kFloat64, {-1.0e9})}};
  EXPECT_TRUE(has_verdict(verdict_on(c), Verdict::kPass));
}

TEST(JudgeCases, N53A11ProductsInReducedPrecisionAreNamedAsSuch) {
  const Tensor left = tensor(kFloat32, {2, 2}, {.3744, .1656, .4707, .1663});
  const Tensor right = tensor(kFloat32, {2, 2}, {.3946, .1186, .1569, .3145});
  const std::vector<double> exact{.3744 * .3946 + .1656 * .1569, .3744 * .1186 + .1656 * .3145, .4707 * .3946 + .1663 * .1569,
                                  .4707 * .1186 + .1663 * .3145};
  std::vector<double> reduced = exact;
  reduced[0] = 0.1740513;
  const auto v = verdict_on({.api = "Torch.matmul",
                             .actual = {tensor(kFloat32, {2, 2}, reduced)},
                             .expected = {tensor(kFloat64, {2, 2}, exact)},
                             .args = {left, right}});
  EXPECT_TRUE(has_verdict(v, Verdict::kError));
  EXPECT_EQ(v.reason, "ASSAY-CMP-029") << v.message;
  const auto tf32 = verdict_on({.api = "Torch.matmul",
                                .actual = {tensor(kFloat32, {1, 1}, {1025})},
                                .expected = {tensor(kFloat64, {1, 1}, {1024.5})},
                                .args = {tensor(kFloat32, {1, 1}, {1024.5}), tensor(kFloat32, {1, 1}, {1})}});
  EXPECT_EQ(tf32.reason, "ASSAY-CMP-029") << tf32.message;
}

TEST(JudgeCases, N55ALongSumMayErrWithItsLengthAndNoMore) {
  const std::vector<Value> ones{filled(kFloat32, {1 << 20}, 1)};
  const auto sum = [&](double actual, double expected) {
    return verdict_on({.api = "Torch.sum",
                       .actual = {tensor(kFloat32, {}, {actual})},
                       .expected = {tensor(kFloat64, {}, {expected})},
                       .args = ones});
  };
  EXPECT_TRUE(has_verdict(sum(16777216, 16777217), Verdict::kPass));
  EXPECT_TRUE(has_verdict(sum(1048576 * (1 + 1e-4), 1048576), Verdict::kPass));
  EXPECT_TRUE(has_verdict(sum(1048576 * 0.88, 1048576), Verdict::kError));
}

TEST(JudgeCases, M03SoftmaxOfNanAndInfinityIsAllNan) {
  EXPECT_TRUE(has_verdict(
      verdict_on("MintFunctional.softmax", kFloat32, std::vector<double>(5, kNan), std::vector<double>(5, kNan)), Verdict::kPass));
  EXPECT_TRUE(has_verdict(verdict_on("MintFunctional.softmax", kFloat32, {1, 0, 0, kNan, 0}, std::vector<double>(5, kNan)),
                          Verdict::kError));
}

TEST(JudgeCases, M05TanhThatIsOffByHundredsOfUnitsFails) {
  std::vector<double> exact(3000);
  for (std::size_t i = 0; i < exact.size(); ++i) exact[i] = std::tanh(static_cast<double>(i) / 1000 - 1.5);
  std::vector<double> off = exact;
  off[1700] += 4.7e-5;
  EXPECT_TRUE(has_verdict(verdict_on("Mint.tanh", kFloat32, off, exact), Verdict::kError));
  off = exact;
  off[1700] += 6e-8;
  EXPECT_TRUE(has_verdict(verdict_on("Mint.tanh", kFloat32, off, exact), Verdict::kPass));
}

TEST(JudgeCases, M06AMatmulThatIsOffByOneRoundingPasses) {
  const std::vector<double> exact{0.51, -1.32, 2.25, 0.73};
  std::vector<double> off = exact;
  off[2] += 2.4e-7;
  EXPECT_TRUE(has_verdict(verdict_on({.api = "Mint.matmul",
                                      .actual = {tensor(kFloat32, {2, 2}, off)},
                                      .expected = {tensor(kFloat64, {2, 2}, exact)},
                                      .args = {filled(kFloat32, {2, 5}, 0.7), filled(kFloat32, {5, 2}, 0.6)}}),
                          Verdict::kPass));
}

TEST(JudgeCases, M11OverflowOfTheResultsTypeIsNoDifference) {
  EXPECT_TRUE(has_verdict(verdict_on("Mint.reciprocal", kFloat32, {1e3, 1e30}, {1e3, 1e30}), Verdict::kPass));
  EXPECT_TRUE(has_verdict(verdict_on({.api = "Mint.reciprocal",
                                      .actual = {row(kFloat32, {-1e6, -kInf})},
                                      .expected = {row(kFloat64, {-1e6, -1e60})},
                                      .direction = "backward"}),
                          Verdict::kPass));
}

TEST(JudgeCases, A07OnlyTheUpdatedSliceMayDiffer) {
  const char* overrides = R"({"apis": [{"match": ["npu_lora_expand"], "class": "contraction",
                              "region": {"dim": 0, "start": 1, "stop": 3, "elsewhere": "exact"}}]})";
  const Judge judge = judge_by("assay", overrides);
  Case c{.api = "NPU.npu_lora_expand",
         .actual = {tensor(kFloat32, {4, 2}, {1, 2, 3.0000002, 4, 5, 6, 7, 8})},
         .expected = {tensor(kFloat64, {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8})}};
  EXPECT_TRUE(has_verdict(judge_one(judge, c), Verdict::kPass));
  c.actual = {tensor(kFloat32, {4, 2}, {1.0000001, 2, 3, 4, 5, 6, 7, 8})};
  const auto outside = judge_one(judge, c);
  EXPECT_TRUE(has_verdict(outside, Verdict::kError));
  EXPECT_EQ(outside.reason, "ASSAY-CMP-013");
  c.actual = {tensor(kFloat32, {4, 2}, {1, 2, 3, 4, 5, 6.1, 7, 8})};
  EXPECT_TRUE(has_verdict(judge_one(judge, c), Verdict::kError));
}

TEST(JudgeCases, A09AGoodCosineDoesNotHideOneWrongElement) {
  std::vector<double> exact(4096);
  for (std::size_t i = 0; i < exact.size(); ++i) exact[i] = std::sin(static_cast<double>(i)) * 10;
  std::vector<double> off = exact;
  off[1234] += 1.46;
  const auto v = verdict_on({.api = "Functional.conv_transpose2d",
                             .actual = {tensor(kFloat16, {1, 1, 64, 64}, off)},
                             .expected = {tensor(kFloat64, {1, 1, 64, 64}, exact)},
                             .args = {filled(kFloat16, {1, 4, 32, 32}, 1), filled(kFloat16, {4, 1, 2, 2}, 1)}});
  EXPECT_GT(metric(v, "cosine"), 0.99);
  EXPECT_GT(metric(v, "max_ulp"), 100);
  EXPECT_TRUE(has_verdict(v, Verdict::kError));
  ASSERT_TRUE(v.worst);
  EXPECT_EQ(v.worst->index, (std::vector<std::int64_t>{0, 0, 1234 / 64, 1234 % 64}));
}

TEST(JudgeCases, EveryCaseHasATest) {
  std::string names;
  const ::testing::UnitTest& all = *::testing::UnitTest::GetInstance();
  for (int suite = 0; suite < all.total_test_suite_count(); ++suite) {
    const ::testing::TestSuite& tests = *all.GetTestSuite(suite);
    for (int test = 0; test < tests.total_test_count(); ++test) names += std::string(tests.GetTestInfo(test)->name()) + "\n";
  }
  for (const char* id : {"T01", "T03", "T06", "T07", "T09", "T15", "T17", "T19", "N01", "N03", "N05", "N09", "N11",
                         "N13", "N15", "N17", "N21", "N23", "N25", "N27", "N29", "N39", "N41", "N43", "N45", "N47",
                         "N49", "N51", "N53", "N55", "M03", "M05", "M06", "M11", "A07", "A09", "A11"}) {
    EXPECT_NE(names.find(id), std::string::npos) << id;
  }
}

}  // namespace
}  // namespace assay
