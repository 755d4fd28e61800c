// Results whose values are not determined: random ones, unwritten memory, tied indices, factors.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "judge_support.hpp"

namespace assay {
namespace {

using judge_testing::Case;
using judge_testing::filled;
using judge_testing::has_verdict;
using judge_testing::judge_all;
using judge_testing::judge_by;
using judge_testing::judge_one;
using judge_testing::row;
using judge_testing::tensor;

const Judge& assay_judge() {
  static const Judge judge = judge_by("assay");
  return judge;
}

std::vector<double> kept(std::size_t n, std::size_t zeros, double survivor) {
  std::vector<double> out(n, survivor);
  for (std::size_t i = 0; i < zeros; ++i) out[i * (n / zeros)] = 0;
  return out;
}

Case dropout(const std::vector<double>& actual) {
  return {.api = "Functional.dropout",
          .actual = {row(kFloat32, actual)},
          .expected = {row(kFloat64, kept(actual.size(), 1, 1))},
          .args = {filled(kFloat32, {static_cast<std::int64_t>(actual.size())}, 1)},
          .kwargs = {{"p", 0.3}}};
}

TEST(Dropout, T13PassesAShareOfZerosWithinThreeSigma) {
  for (const std::size_t zeros : {2863u, 3000u, 3137u}) {
    const auto v = judge_one(assay_judge(), dropout(kept(10000, zeros, 1 / 0.7)));
    EXPECT_TRUE(has_verdict(v, Verdict::kPass)) << zeros;
    EXPECT_EQ(v.reason, "ASSAY-CMP-034");
    EXPECT_NE(v.message.find("0.01375"), std::string::npos) << v.message;
  }
}

TEST(Dropout, AnUnlikelyShareIsAWarningAndAnImpossibleOneAnError) {
  EXPECT_TRUE(has_verdict(judge_one(assay_judge(), dropout(kept(10000, 3150, 1 / 0.7))), Verdict::kWarning));
  EXPECT_TRUE(has_verdict(judge_one(assay_judge(), dropout(kept(10000, 3300, 1 / 0.7))), Verdict::kError));
  EXPECT_TRUE(has_verdict(judge_one(assay_judge(), dropout(kept(10000, 2000, 1 / 0.7))), Verdict::kError));
}

TEST(Dropout, SurvivorsMustBeScaled) {
  const auto v = judge_one(assay_judge(), dropout(kept(10000, 3000, 1)));
  EXPECT_TRUE(has_verdict(v, Verdict::kError));
  EXPECT_EQ(v.reason, "ASSAY-CMP-031");
}

TEST(Dropout, SmallTensorsAreJudgedByTheExactBinomial) {
  EXPECT_TRUE(has_verdict(judge_one(assay_judge(), dropout({0, 1 / 0.7, 1 / 0.7, 0})), Verdict::kPass));
  EXPECT_TRUE(has_verdict(judge_one(assay_judge(), dropout({0, 0, 0, 0})), Verdict::kPass)) << "0.3^4 is no rare event";
  EXPECT_TRUE(has_verdict(judge_one(assay_judge(), dropout(std::vector<double>(30, 0.0))), Verdict::kError));
}

TEST(Dropout, IsJudgedByValueWhereNothingIsRandom) {
  Case c = dropout(std::vector<double>(100, 1));
  c.expected = {row(kFloat64, std::vector<double>(100, 1))};
  c.kwargs = {{"p", 0.0}};
  EXPECT_TRUE(has_verdict(judge_one(assay_judge(), c), Verdict::kPass));
  c.kwargs = {{"p", 0.3}, {"training", false}};
  EXPECT_TRUE(has_verdict(judge_one(assay_judge(), c), Verdict::kPass));
  c.actual = {row(kFloat32, kept(100, 30, 1 / 0.7))};
  EXPECT_TRUE(has_verdict(judge_one(assay_judge(), c), Verdict::kError));
}

TEST(Dropout, GradientsAreZeroOrScaledLikeTheOutput) {
  Case c = dropout(kept(1000, 300, 2 / 0.7));
  c.direction = "backward";
  c.grad_outputs = {filled(kFloat32, {1000}, 2)};
  EXPECT_TRUE(has_verdict(judge_one(assay_judge(), c), Verdict::kPass));
  c.grad_outputs = {filled(kFloat32, {1000}, 3)};
  EXPECT_TRUE(has_verdict(judge_one(assay_judge(), c), Verdict::kError));
}

TEST(Dropout, WholeChannelsAreDroppedTogether) {
  std::vector<double> values(50 * 4 * 3 * 3);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = (i / 9) % 2 == 0 ? 0 : 2;
  Case c{.api = "Functional.dropout2d",
         .actual = {tensor(kFloat32, {50, 4, 3, 3}, values)},
         .expected = {filled(kFloat64, {50, 4, 3, 3}, 1)},
         .args = {filled(kFloat32, {50, 4, 3, 3}, 1)}};
  EXPECT_TRUE(has_verdict(judge_one(assay_judge(), c), Verdict::kPass));
  values[0] = 2;
  c.actual = {tensor(kFloat32, {50, 4, 3, 3}, values)};
  EXPECT_TRUE(has_verdict(judge_one(assay_judge(), c), Verdict::kError));
}

TEST(RandomResults, MustComeFromOneDistribution) {
  std::mt19937_64 generator(7);
  std::normal_distribution<double> normal(0, 1);
  std::vector<double> left(2000), right(2000), wider(2000);
  for (std::size_t i = 0; i < left.size(); ++i) {
    left[i] = normal(generator);
    right[i] = normal(generator);
    wider[i] = 2 * normal(generator);
  }
  const auto judged = [&](const std::vector<double>& actual) {
    return judge_one(assay_judge(), {.api = "Torch.randn", .actual = {row(kFloat32, actual)}, .expected = {row(kFloat64, right)}});
  };
  EXPECT_TRUE(has_verdict(judged(left), Verdict::kPass));
  EXPECT_TRUE(has_verdict(judged(wider), Verdict::kError));
  left[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(judged(left).reason, "ASSAY-CMP-033");
}

TEST(RandomResults, AttentionIsRandomOnlyWithDropout) {
  Case c{.api = "Functional.scaled_dot_product_attention",
         .actual = {row(kFloat32, {1, 2})},
         .expected = {row(kFloat64, {3, 4})},
         .kwargs = {{"dropout_p", 0.5}}};
  EXPECT_TRUE(has_verdict(judge_one(assay_judge(), c), Verdict::kPass));
  c.kwargs = {{"dropout_p", 0.0}};
  EXPECT_TRUE(has_verdict(judge_one(assay_judge(), c), Verdict::kError));
}

TEST(UninitialisedMemory, IsJudgedByShapeAndType) {
  Case c{.api = "Tensor.new_empty", .actual = {row(kFloat32, {12345, 12345})}, .expected = {row(kFloat32, {0, 1})}};
  EXPECT_TRUE(has_verdict(judge_one(assay_judge(), c), Verdict::kPass));
  c.expected = {row(kFloat32, {0, 1, 2})};
  EXPECT_TRUE(has_verdict(judge_one(assay_judge(), c), Verdict::kError));
}

TEST(UninitialisedMemory, OfAResizeIsOnlyWhatItAdds) {
  Case c{.api = "Tensor.resize_",
         .actual = {row(kFloat32, {1, 2, 9})},
         .expected = {row(kFloat32, {1, 2, 0})},
         .args = {row(kFloat32, {1, 2})}};
  EXPECT_TRUE(has_verdict(judge_one(assay_judge(), c), Verdict::kPass));
  c.args = {row(kFloat32, {1, 2, 3, 4})};
  EXPECT_TRUE(has_verdict(judge_one(assay_judge(), c), Verdict::kError));
}

TEST(TiedIndices, AreFollowedAlongTheDimension) {
  const std::vector<Value> args{tensor(kFloat32, {2, 3}, {1, 5, 1, 7, 5, 2})};
  const auto sort = [&](const std::vector<double>& indices) {
    return judge_one(assay_judge(),
                     {.api = "Torch.sort",
                      .actual = {tensor(kFloat32, {2, 3}, {1, 5, 1, 7, 5, 2}), tensor(kInt64, {2, 3}, indices)},
                      .expected = {tensor(kFloat64, {2, 3}, {1, 5, 1, 7, 5, 2}), tensor(kInt64, {2, 3}, {0, 0, 0, 1, 1, 1})},
                      .args = args,
                      .kwargs = {{"dim", std::int64_t{0}}}},
                     1);
  };
  EXPECT_TRUE(has_verdict(sort({0, 1, 0, 1, 0, 1}), Verdict::kPass)) << "the two fives of column 1 tie";
  EXPECT_TRUE(has_verdict(sort({1, 0, 0, 0, 1, 1}), Verdict::kError));
  EXPECT_TRUE(has_verdict(sort({0, 1, 0, 1, 1, 1}), Verdict::kError)) << "row 1 of column 1 twice";
}

TEST(TiedIndices, OfAnIntegerOfAnotherWidthAreCompared) {
  Case c{.api = "Mint.argmax",
         .actual = {tensor(kInt32, {}, {1})},
         .expected = {tensor(kInt64, {}, {1})},
         .args = {row(kFloat32, {1, 2})}};
  EXPECT_TRUE(has_verdict(judge_one(assay_judge(), c), Verdict::kPass));
}

TEST(TiedIndices, OfPoolingPointIntoThePlane) {
  Case c{.api = "Functional.max_pool2d_with_indices",
         .actual = {filled(kFloat32, {1, 1, 1, 1}, 9), filled(kInt64, {1, 1, 1, 1}, 3)},
         .expected = {filled(kFloat64, {1, 1, 1, 1}, 9), filled(kInt64, {1, 1, 1, 1}, 1)},
         .args = {tensor(kFloat32, {1, 1, 2, 2}, {1, 9, 2, 9})}};
  EXPECT_TRUE(has_verdict(judge_one(assay_judge(), c, 1), Verdict::kPass));
  c.actual[1] = filled(kInt64, {1, 1, 1, 1}, 2);
  EXPECT_TRUE(has_verdict(judge_one(assay_judge(), c, 1), Verdict::kError));
}

void expect_all(const Case& c, Verdict wanted, std::size_t first = 0) {
  const auto rows = judge_all(assay_judge(), c);
  for (std::size_t i = first; i < rows.size(); ++i) EXPECT_TRUE(has_verdict(rows[i].verdict, wanted)) << "output " << i;
}

TEST(Factors, OfASingularValueDecompositionMayFlipTheirSigns) {
  Case c{.api = "Torch.svd",
         .actual = {tensor(kFloat32, {2, 2}, {-1, 0, 0, 1}), row(kFloat32, {3, 2}), tensor(kFloat32, {2, 2}, {-1, 0, 0, 1})},
         .expected = {tensor(kFloat64, {2, 2}, {1, 0, 0, 1}), row(kFloat64, {3, 2}), tensor(kFloat64, {2, 2}, {1, 0, 0, 1})}};
  expect_all(c, Verdict::kPass);
  EXPECT_EQ(judge_one(assay_judge(), c, 0).reason, "ASSAY-CMP-037");
  c.api = "Torch.linalg.svd";
  expect_all(c, Verdict::kPass);
  c.actual[2] = tensor(kFloat32, {2, 2}, {1, 0, 0, 1});
  EXPECT_EQ(judge_one(assay_judge(), c, 0).reason, "ASSAY-CMP-038") << "one sign alone is wrong";
  c.actual = {tensor(kFloat32, {2, 2}, {1, 0, 0, 1}), row(kFloat32, {3.1, 2}), tensor(kFloat32, {2, 2}, {1, 0, 0, 1})};
  EXPECT_TRUE(has_verdict(judge_one(assay_judge(), c, 1), Verdict::kError)) << "singular values are unique";
}

TEST(Factors, OfQrMustBeOrthonormalToo) {
  Case c{.api = "Torch.qr",
         .actual = {tensor(kFloat32, {2, 2}, {-0.6, -0.8, -0.8, 0.6}), tensor(kFloat32, {2, 2}, {-5, -1, 0, -2})},
         .expected = {tensor(kFloat64, {2, 2}, {0.6, 0.8, 0.8, -0.6}), tensor(kFloat64, {2, 2}, {5, 1, 0, 2})}};
  expect_all(c, Verdict::kPass);
  // Q R is right, but Q is scaled by two and R by a half.
  c.actual = {tensor(kFloat32, {2, 2}, {1.2, 1.6, 1.6, -1.2}), tensor(kFloat32, {2, 2}, {2.5, 0.5, 0, 1})};
  expect_all(c, Verdict::kError);
}

TEST(Factors, OfEigenDecompositions) {
  expect_all({.api = "Torch.linalg.eigh",
              .actual = {row(kFloat32, {1, 3}), tensor(kFloat32, {2, 2}, {0, -1, -1, 0})},
              .expected = {row(kFloat64, {1, 3}), tensor(kFloat64, {2, 2}, {0, 1, 1, 0})}},
             Verdict::kPass);
  Case eig{.api = "Torch.linalg.eig",
           .actual = {row(kFloat32, {3, 1}), tensor(kFloat32, {2, 2}, {1, 0, 0, -1})},
           .expected = {row(kFloat64, {1, 3}), tensor(kFloat64, {2, 2}, {0, 1, 1, 0})},
           .args = {tensor(kFloat32, {2, 2}, {3, 0, 0, 1})}};
  expect_all(eig, Verdict::kPass);
  eig.actual = {row(kFloat32, {3, 3}), tensor(kFloat32, {2, 2}, {1, 1, 0, 0})};
  expect_all(eig, Verdict::kError);
  Case values{.api = "Torch.linalg.eigvals", .actual = {row(kFloat32, {3, 1, 2})}, .expected = {row(kFloat64, {1, 2, 3})}};
  expect_all(values, Verdict::kPass);
  values.actual = {row(kFloat32, {3, 3, 2})};
  expect_all(values, Verdict::kError);
}

TEST(Factors, WhoseShapesDoNotBelongTogetherStayJudgedByValue) {
  Case c{.api = "Torch.svd",
         .actual = {filled(kFloat32, {3, 2, 2}, 1), row(kFloat32, {3, 2}), filled(kFloat32, {2, 2}, 1)},
         .expected = {filled(kFloat64, {3, 2, 2}, 2), row(kFloat64, {3, 2}), filled(kFloat64, {2, 2}, 1)}};
  EXPECT_EQ(judge_one(assay_judge(), c, 0).reason, "ASSAY-CMP-039");
  c.actual = {row(kFloat32, {}), row(kFloat32, {3, 2.5}), row(kFloat32, {})};
  c.expected = {row(kFloat64, {}), row(kFloat64, {3, 2}), row(kFloat64, {})};
  EXPECT_TRUE(has_verdict(judge_one(assay_judge(), c, 1), Verdict::kError));
  Case eig{.api = "Torch.linalg.eig",
           .actual = {row(kFloat32, {3}), tensor(kFloat32, {2, 2}, {1, 0, 0, -1})},
           .expected = {row(kFloat64, {1}), tensor(kFloat64, {2, 2}, {0, 1, 1, 0})},
           .args = {tensor(kFloat32, {2, 2}, {3, 0, 0, 1})}};
  expect_all(eig, Verdict::kError);
}

TEST(Factors, GradientsThatDependOnTheirChoiceAreNotCompared) {
  Case c{.api = "Torch.linalg.eigh",
         .actual = {tensor(kFloat32, {1, 2}, {1, -2})},
         .expected = {tensor(kFloat64, {1, 2}, {1, 2})},
         .direction = "backward"};
  const auto v = judge_one(assay_judge(), c);
  EXPECT_TRUE(has_verdict(v, Verdict::kSkip));
  EXPECT_EQ(v.reason, "ASSAY-CMP-016");
  c.actual = {tensor(kFloat32, {2, 1}, {1, -2})};
  EXPECT_TRUE(has_verdict(judge_one(assay_judge(), c), Verdict::kError)) << "the shape is determined";
}

TEST(Factors, OfHouseholderReflections) {
  Case c{.api = "Torch.geqrf",
         .actual = {tensor(kFloat32, {2, 1}, {5, -2}), row(kFloat32, {0.4})},
         .expected = {tensor(kFloat64, {2, 1}, {-5, 0.5}), row(kFloat64, {1.6})}};
  expect_all(c, Verdict::kPass);
  c.actual = {tensor(kFloat32, {2, 1}, {5, -2}), row(kFloat32, {1.2})};
  expect_all(c, Verdict::kError);
}

TEST(Factors, OfLuMayChooseAnotherOfTwoEqualPivots) {
  Case c{.api = "Torch.linalg.lu_factor",
         .actual = {tensor(kFloat32, {2, 2}, {1, 3, 1, -1}), row(kInt32, {2, 2})},
         .expected = {tensor(kFloat64, {2, 2}, {1, 2, 1, 1}), row(kInt32, {1, 2})}};
  expect_all(c, Verdict::kPass);
  c.actual = {tensor(kFloat32, {2, 2}, {1, 3, 1, -1}), row(kInt32, {7, 2})};
  expect_all(c, Verdict::kError);
}

TEST(Conditioning, ExcusesNoMoreThanTheInputsExplain) {
  Case c{.api = "Torch.linalg.inv", .actual = {row(kFloat32, {1.5e6, 2})}, .expected = {row(kFloat64, {1e6, 1})}};
  c.nudged = {{row(kFloat64, {1.3e6, 1.0000001})}};
  EXPECT_TRUE(has_verdict(judge_one(assay_judge(), c), Verdict::kPass)) << "second element is far below the scale";
  c.actual = {row(kFloat32, {4e6, 1})};
  EXPECT_TRUE(has_verdict(judge_one(assay_judge(), c), Verdict::kError));
  // Exact operators answer for every element alone.
  Case exact{.api = "Torch.cat", .actual = {row(kFloat32, {1e30, 1.5})}, .expected = {row(kFloat64, {1e30, 1})}};
  exact.nudged = {{row(kFloat64, {1.0000001e30, 1.0000001})}};
  EXPECT_TRUE(has_verdict(judge_one(assay_judge(), exact), Verdict::kError));
}

}  // namespace
}  // namespace assay
