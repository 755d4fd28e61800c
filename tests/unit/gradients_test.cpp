#include "pipeline/gradients.hpp"

#include <gtest/gtest.h>

namespace assay {
namespace {

Tensor tensor(std::vector<std::int64_t> shape, float value = 1.0f) {
  Tensor t = Tensor::allocate(kFloat32, std::move(shape));
  for (std::int64_t i = 0; i < t.numel(); ++i) t.data_as<float>()[i] = value;
  return t;
}

const float* data(const Value& value) { return value.as<Tensor>().view().data_as<float>(); }

/// linear(input, weight, bias): what autograd's last node returns is [bias, input, weight transposed].
struct Linear {
  CallInputs inputs;
  Results computed;

  Linear(std::int64_t in, std::int64_t out) {
    inputs.args = {tensor({4, in}), tensor({out, in}), tensor({out})};
    computed.gradients = {{"0", tensor({4, in}, 10)},    {"1", tensor({out, in}, 11)},    {"2", tensor({out}, 12)},
                          {"node.0", tensor({out}, 12)}, {"node.1", tensor({4, in}, 10)}, {"node.2", tensor({in, out}, 11)}};
  }
};

TEST(PairGradients, TakesOneForEachTensorArgument) {
  const Linear linear(3, 5);
  const std::vector<Value> recorded = {tensor({4, 3}), None{}, tensor({5})};
  const auto pairings = pair_gradients(recorded, linear.computed, linear.inputs, Framework::kPyTorch);
  ASSERT_FALSE(pairings.empty());
  EXPECT_EQ(pairings[0].how, "one for each tensor argument");
  EXPECT_EQ(pairings[0].positions, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(data(pairings[0].expected[0])[0], 10);
  EXPECT_EQ(data(pairings[0].expected[1])[0], 12);
}

TEST(PairGradients, TakesTheOrderOfTheLastNodeWhereOnlyThatFits) {
  const Linear linear(3, 5);
  const std::vector<Value> recorded = {tensor({5}), tensor({4, 3}), tensor({3, 5})};
  const auto pairings = pair_gradients(recorded, linear.computed, linear.inputs, Framework::kPyTorch);
  ASSERT_EQ(pairings.size(), 1u);
  EXPECT_EQ(data(pairings[0].expected[0])[0], 12);
  EXPECT_EQ(data(pairings[0].expected[2])[0], 11);
}

TEST(PairGradients, RefusesShapesThatFitNoReading) {
  const Linear linear(3, 5);
  const std::vector<Value> recorded = {tensor({20, 5})};
  EXPECT_TRUE(pair_gradients(recorded, linear.computed, linear.inputs, Framework::kPyTorch).empty());
}

TEST(PairGradients, CountsOnlyPositionalTensorsForMindSpore) {
  CallInputs inputs;
  inputs.args = {tensor({2}), List{{tensor({2}), tensor({2})}}};
  inputs.kwargs = {{"weight", tensor({2})}};
  Results computed;
  computed.gradients = {{"0", tensor({2}, 1)}, {"1.0", tensor({2}, 2)}, {"1.1", tensor({2}, 3)}, {"weight", tensor({2}, 4)}};
  const auto pairings = pair_gradients({tensor({2})}, computed, inputs, Framework::kMindSpore);
  ASSERT_FALSE(pairings.empty());
  EXPECT_EQ(data(pairings[0].expected[0])[0], 1);
}

TEST(PairGradients, SaysWhichRecordedGradientNeverArrives) {
  CallInputs inputs;
  inputs.args = {tensor({2}), tensor({2})};
  Results computed;
  computed.gradients = {{"0", tensor({2}, 1)}, {"1", None{}}};
  const auto pairings = pair_gradients({tensor({2}), tensor({2})}, computed, inputs, Framework::kMindSpore);
  ASSERT_FALSE(pairings.empty());
  EXPECT_EQ(pairings[0].positions, (std::vector<std::size_t>{0}));
  ASSERT_EQ(pairings[0].notes.size(), 1u);
  EXPECT_NE(pairings[0].notes[0].find("gradient 1"), std::string::npos);
}

TEST(PairByPath, LeavesOutWhatOneSideLacks) {
  Results actual;
  actual.gradients = {{"0", tensor({2}, 1)}, {"node.0", tensor({2})}};
  Results expected;
  expected.gradients = {{"0", tensor({2}, 2)}, {"1", tensor({2}, 3)}};
  const GradientPairing pairing = pair_by_path(actual, expected);
  EXPECT_EQ(pairing.positions, (std::vector<std::size_t>{0}));
  EXPECT_EQ(pairing.notes, (std::vector<std::string>{"only the reference has a gradient for argument 1: not compared"}));
}

}  // namespace
}  // namespace assay
