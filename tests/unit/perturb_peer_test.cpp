// The peer's comparison and preheating, number by number.
#include <gtest/gtest.h>

#include <cmath>

#include "assay/sdk/half.hpp"
#include "perturb/peer_compare.hpp"
#include "perturb/preheat.hpp"
#include "support/perturbation_under_test.hpp"

namespace assay::testing {
namespace {

Value floats(const std::vector<float>& values, assay_dtype dtype = kFloat32) {
  const std::vector<std::int64_t> shape = {static_cast<std::int64_t>(values.size())};
  if (dtype == kFloat32) return tensor_of(kFloat32, shape, values);
  std::vector<std::uint16_t> bits;
  for (const float value : values) {
    bits.push_back(dtype == kFloat16 ? double_to_float16(static_cast<double>(value)) : double_to_bfloat16(static_cast<double>(value)));
  }
  return tensor_of(dtype, shape, bits);
}

PeerVerdict torch(const std::vector<float>& original, const std::vector<float>& perturbed, PeerRule rule = {},
                  assay_dtype dtype = kFloat32) {
  return peer_compare(floats(original, dtype), floats(perturbed, dtype), rule);
}

PeerRule mindspore(bool letter = false) {
  PeerRule rule;
  rule.mindspore = true;
  rule.letter = letter;
  return rule;
}

TEST(PeerCompare, TakesTheLargestRatioEitherWay) {
  EXPECT_FLOAT_EQ(static_cast<float>(*torch({1, 2, 3}, {1, 2.5, 3}).ratio), 1.25f);
  EXPECT_FLOAT_EQ(static_cast<float>(*torch({1, 2.5, 3}, {1, 2, 3}).ratio), 1.25f);
  EXPECT_EQ(*torch({}, {}).ratio, 1.0);
}

TEST(PeerCompare, LimitsDependOnTheOriginalsDtype) {
  struct Row {
    assay_dtype dtype;
    float inside, outside;
  };
  for (const Row& row : {Row{kFloat32, 1.00015f, 1.00025f}, Row{kFloat16, 1.0009765625f, 1.0029296875f},
                         Row{kBFloat16, 1.0f, 1.0078125f}}) {
    EXPECT_TRUE(torch({row.inside}, {1}, {}, row.dtype).consistent) << dtype_name(row.dtype);
    EXPECT_FALSE(torch({row.outside}, {1}, {}, row.dtype).consistent) << dtype_name(row.dtype);
  }
  PeerRule control;
  control.no_change = true;
  EXPECT_TRUE(torch({1, 2}, {1, 2}, control).consistent);
  EXPECT_FALSE(torch({1, 2}, {1, 2.00001f}, control).consistent);
  PeerRule learned;
  learned.threshold = 1.5;
  EXPECT_TRUE(torch({1.4f}, {1}, learned).consistent);
}

TEST(PeerCompare, TreatsSmallNumbersAsTheTolerance) {
  EXPECT_EQ(*torch({1e-5f}, {9e-5f}).ratio, 1.0);
  PeerRule backward;
  backward.backward = true;
  EXPECT_EQ(*torch({1e-4f}, {9e-4f}, backward).ratio, 1.0);
  EXPECT_GT(*torch({1e-4f}, {9e-4f}).ratio, 8.9);
}

TEST(PeerCompare, NamesASignThatFlips) {
  const PeerVerdict verdict = torch({1, 0.5f}, {1, -0.5f});
  EXPECT_TRUE(verdict.sign_flipped);
  EXPECT_FALSE(verdict.consistent);
  EXPECT_EQ(verdict.cell(false), "symbol_flipping");
  EXPECT_FALSE(torch({1e-6f}, {-1e-6f}).sign_flipped) << "below the square of the tolerance";
}

TEST(PeerCompare, NanHidesASignFlipInTheLetterOnly) {
  PeerRule letter;
  letter.letter = true;
  EXPECT_FALSE(torch({1, NAN}, {-1, NAN}, letter).sign_flipped);
  EXPECT_TRUE(torch({1, NAN}, {-1, NAN}).sign_flipped);
}

TEST(PeerCompare, HandlesInfinities) {
  EXPECT_EQ(*torch({INFINITY}, {INFINITY}).ratio, 1.0);
  EXPECT_EQ(*torch({INFINITY}, {2}).ratio, static_cast<double>(3.4028234663852886e38f));
  EXPECT_TRUE(std::isinf(*torch({2}, {INFINITY}).ratio));
  EXPECT_EQ(*torch({NAN, 1}, {1, 1}).ratio, 1.0);
}

// W03
TEST(PeerCompare, RemembersTheFirstPartOfALargeOutput) {
  std::vector<float> original(8388608, 1.0f);
  const std::vector<float> perturbed(8388608, 1.0f);
  original[0] = 5.0f;
  const PeerVerdict verdict = torch(original, perturbed);
  EXPECT_EQ(*verdict.ratio, 5.0);
  EXPECT_FALSE(verdict.consistent);
}

TEST(PeerCompare, MindSporeDividesBothWays) {
  EXPECT_FLOAT_EQ(static_cast<float>(*torch({1, 2}, {1, 3}, mindspore()).ratio), 1.5f);
  EXPECT_FLOAT_EQ(static_cast<float>(*torch({1, 3}, {1, 2}, mindspore()).ratio), 1.5f);
  const PeerVerdict flipped = torch({1, 2}, {1, -2}, mindspore());
  EXPECT_EQ(*flipped.ratio, 8.0);
  EXPECT_EQ(flipped.cell(true), "7.0");
  EXPECT_FALSE(flipped.consistent);
}

TEST(PeerCompare, MindSporesNanHidesTheTensorInTheLetterOnly) {
  EXPECT_EQ(*torch({NAN, 5}, {1, 1}, mindspore(true)).ratio, 1.0);
  EXPECT_EQ(*torch({NAN, 5}, {1, 1}, mindspore()).ratio, 5.0);
}

TEST(PeerCompare, JudgesAReferenceRunByErrorAndBalance) {
  PeerRule rule;
  rule.on_cpu = true;
  EXPECT_TRUE(torch({0.5f, 2.0f}, {0.50005f, 2.0f}, rule).consistent);
  EXPECT_FALSE(torch({0.5f, 2.0f}, {0.5001f, 2.0f}, rule).consistent);
  EXPECT_FALSE(torch({0.5f, 2.0f}, {0.5f, 2.0003f}, rule).consistent);
  EXPECT_TRUE(torch({0.5f, 7.0f}, {0.5f, NAN}, rule).consistent) << "a reference that isn't finite can't judge";
  EXPECT_FALSE(torch({NAN, 2.0f}, {0.5f, 2.0f}, rule).consistent);
  // A bias below the limits of single elements: -5e-5 everywhere in bfloat16's wide limits.
  std::vector<float> low(100, 0.99f);
  const std::vector<float> golden(100, 0.9916f);
  EXPECT_FALSE(torch(low, golden, rule, kBFloat16).consistent);
  rule.letter = true;
  EXPECT_TRUE(torch(low, golden, rule, kBFloat16).consistent) << "the peer forgets the sign of the bias";
  EXPECT_FALSE(torch(golden, low, rule, kBFloat16).consistent);
}

TEST(PeerCompare, ComparesPythonNumbers) {
  EXPECT_TRUE(peer_compare(Value(std::int64_t{3}), Value(std::int64_t{3}), {}).consistent);
  EXPECT_FALSE(peer_compare(Value(std::int64_t{3}), Value(std::int64_t{4}), {}).consistent);
  EXPECT_TRUE(peer_compare(Value(1.0), Value(1.0 + 1e-10), {}).consistent);
  EXPECT_FALSE(peer_compare(Value(1.0), Value(1.0 + 1e-8), {}).consistent);
  EXPECT_TRUE(peer_compare(Value(std::string("a")), Value(std::string("b")), {}).consistent);
}

TEST(PeerCompare, RowsNameTheOriginalsShapeAndTheIndexOfSeveralOutputs) {
  const auto single = peer_compare_outputs({floats({1, 2})}, {floats({1, 4})}, {});
  ASSERT_EQ(single.differences.size(), 1u);
  EXPECT_FALSE(single.differences[0].index);
  EXPECT_EQ(single.differences[0].cell, "1.0");
  EXPECT_EQ(single.differences[0].dtype, "torch.float32");
  EXPECT_EQ(single.differences[0].shape, "torch.Size([2])");
  const auto several = peer_compare_outputs({floats({1}), floats({1})}, {floats({1}), floats({2})}, {});
  ASSERT_EQ(several.differences.size(), 1u);
  EXPECT_EQ(several.differences[0].index, 1u);
  const auto theirs = peer_compare_outputs({floats({1, 2})}, {floats({1, 4})}, mindspore());
  EXPECT_EQ(theirs.differences[0].dtype, "Float32");
  EXPECT_EQ(theirs.differences[0].shape, "(2,)");
  EXPECT_FALSE(peer_compare_outputs({Value(std::int64_t{1})}, {Value(std::int64_t{2})}, {}).compared);
}

TEST(PeerCompare, GradientsStopAtTheFirstInconsistentOne) {
  const std::vector<Value> original = {floats({1}), floats({1}), floats({1})};
  const std::vector<Value> perturbed = {floats({1}), floats({2}), floats({3})};
  const auto result = peer_compare_gradients(original, perturbed, {});
  ASSERT_EQ(result.differences.size(), 3u);
  EXPECT_FALSE(result.differences[0].index);
  EXPECT_EQ(result.differences[1].index, 1u);
  EXPECT_EQ(result.differences[2].index, 2u);
}

class PreheatSteps : public ::testing::Test {
 protected:
  /// Step 0 with `calls` calls, then the samples of step 1.
  void start(std::size_t calls) {
    preheat_.begin_step(0);
    for (std::size_t i = 0; i < calls; ++i) preheat_.count_call("Torch.mul");
    preheat_.begin_step(1);
  }
  double learn(const std::vector<Preheat::Sample>& samples) {
    for (const Preheat::Sample& sample : samples) preheat_.record("Torch.mul", kFloat32, sample);
    return preheat_.threshold("Torch.mul", kFloat32);
  }

  Preheat preheat_{PreheatOptions{15, 20}};
};

TEST_F(PreheatSteps, SampleTheCallsOfTheStep) {
  start(16);
  for (std::size_t number = 1; number <= 16; ++number) {
    EXPECT_EQ(preheat_.wants_sample("Torch.mul", number), number == 1 || number == 16) << number;
  }
  preheat_.begin_step(15);
  for (std::size_t number = 1; number <= 16; ++number) EXPECT_FALSE(preheat_.wants_sample("Torch.mul", number));
}

TEST_F(PreheatSteps, StartAtALooseThreshold) {
  EXPECT_EQ(preheat_.threshold("Torch.mul", kFloat32), 2.05);
}

TEST_F(PreheatSteps, SettleBetweenConsistentAndInconsistent) {
  start(16);
  EXPECT_EQ(learn({{1.1, true}, {1.4, false}}), 1.4);
  ASSERT_EQ(preheat_.learned().size(), 1u);
  EXPECT_TRUE(preheat_.learned()[0].settled);
  preheat_.begin_step(2);
  EXPECT_EQ(learn({{1.01, true}, {1.01, true}}), 1.4) << "a settled threshold no longer moves";
}

TEST_F(PreheatSteps, KeepTheThresholdWhereBothOverlap) {
  start(16);
  EXPECT_EQ(learn({{1.6, true}, {1.4, false}}), 2.05);
  EXPECT_FALSE(preheat_.learned()[0].settled);
}

TEST_F(PreheatSteps, HalveItWhileAllIsConsistent) {
  start(16);
  EXPECT_DOUBLE_EQ(learn({{1.1, true}, {1.2, true}}), 1.525);
}

TEST_F(PreheatSteps, DoubleItForAConsistentResultAboveIt) {
  start(16);
  EXPECT_DOUBLE_EQ(learn({{1.1, true}, {3.0, true}}), 3.1);
}

TEST_F(PreheatSteps, NeverGoBelowTheFixedLimit) {
  start(16);
  EXPECT_EQ(learn({{1.0, false}, {1.00001, false}}), 1.0002);
}

}  // namespace
}  // namespace assay::testing
