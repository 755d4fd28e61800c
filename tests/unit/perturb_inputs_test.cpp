#include <gtest/gtest.h>

#include "perturb/choose_inputs.hpp"
#include "perturb/fix.hpp"
#include "support/perturbation_under_test.hpp"

namespace assay::testing {
namespace {

Tensor floats(const std::vector<float>& values) { return tensor_of(kFloat32, {static_cast<std::int64_t>(values.size())}, values); }

/// f([], [int64, [x0, x1]], scale=x2, mask=bool), with one arriving gradient.
CallInputs example() {
  CallInputs inputs;
  inputs.args = {List{}, List{{tensor_of<std::int64_t>(kInt64, {1}, {7}), List{{floats({1}), floats({2})}}}}};
  inputs.kwargs = {{"scale", floats({3})}, {"mask", tensor_of<std::uint8_t>(kBool, {1}, {1})}};
  inputs.grad_outputs = {floats({4})};
  return inputs;
}

bool any(const Tensor&) { return true; }

std::vector<std::string> names(const std::vector<InputSet>& sets) {
  std::vector<std::string> out;
  for (const InputSet& set : sets) out.push_back(set.name);
  return out;
}

TEST(ChooseInputs, EachIsEveryFloatingTensorWhereverItSits) {
  EXPECT_EQ(names(choose_inputs(example(), InputChoice::kEach, any)),
            (std::vector<std::string>{"1.1.0", "1.1.1", "scale", "grad.0"}));
}

TEST(ChooseInputs, FirstLooksPastContainersWithoutTensors) {
  EXPECT_EQ(names(choose_inputs(example(), InputChoice::kFirst, any)), std::vector<std::string>{"1.1.0"});
  const auto second = [](const Tensor& t) { return t.view().number_at(0) > 1; };
  EXPECT_EQ(names(choose_inputs(example(), InputChoice::kFirst, second)), std::vector<std::string>{"1.1.1"});
}

TEST(ChooseInputs, AllIsOneSet) {
  const auto sets = choose_inputs(example(), InputChoice::kAll, any);
  ASSERT_EQ(sets.size(), 1u);
  EXPECT_EQ(sets[0].name, "all");
  EXPECT_EQ(sets[0].paths, (std::vector<std::string>{"1.1.0", "1.1.1", "scale", "grad.0"}));
}

TEST(ChooseInputs, PeerStopsAtTheFirstContainerEvenWithoutTensors) {
  const auto sets = choose_inputs(example(), InputChoice::kPeer, any);
  ASSERT_EQ(sets.size(), 1u);
  EXPECT_EQ(sets[0].name, "0");
  EXPECT_TRUE(sets[0].paths.empty());
  CallInputs plain;
  plain.args = {tensor_of<std::int64_t>(kInt64, {1}, {7}), Value(2.0), floats({1}), floats({2})};
  EXPECT_EQ(choose_inputs(plain, InputChoice::kPeer, any)[0].paths, std::vector<std::string>{"2"});
  plain.args.clear();
  plain.kwargs = {{"input", floats({1})}};
  EXPECT_TRUE(choose_inputs(plain, InputChoice::kPeer, any).empty()) << "the peer never perturbs keyword arguments";
}

TEST(ChooseInputs, LeavesEmptyTensorsOut) {
  CallInputs inputs;
  inputs.args = {Tensor::allocate(kFloat32, {0, 3}), floats({1})};
  EXPECT_EQ(names(choose_inputs(inputs, InputChoice::kEach, any)), std::vector<std::string>{"1"});
}

TEST(ReplaceInputs, ChangesTheNamedTensorsOnly) {
  const CallInputs before = example();
  const CallInputs after = replace_inputs(before, {"1.1.1", "grad.0"}, [](const Tensor&) { return floats({9}); });
  const auto value = [](const CallInputs& inputs, const std::string& path) {
    double first = 0;
    replace_inputs(inputs, {path}, [&](const Tensor& tensor) {
      first = tensor.view().number_at(0);
      return tensor;
    });
    return first;
  };
  EXPECT_EQ(value(after, "1.1.0"), 1);
  EXPECT_EQ(value(after, "1.1.1"), 9);
  EXPECT_EQ(value(after, "scale"), 3);
  EXPECT_EQ(value(after, "grad.0"), 9);
  EXPECT_EQ(value(before, "1.1.1"), 2);
}

TEST(FixOutputs, BringsTheResultBackToTheOriginalDtype) {
  const Tensor half = tensor_of<std::uint16_t>(kFloat16, {2}, {0x3c00, 0x3c01});
  const Tensor wide = floats({1.0f, 1.00049f});
  const auto fixed = fix_outputs({Value(half), Value(std::int64_t{3})}, {Value(wide), Value(std::int64_t{3})});
  ASSERT_TRUE(fixed);
  EXPECT_EQ(dtype_name((*fixed)[0].as<Tensor>().dtype()), "float16");
  EXPECT_EQ(bits_of((*fixed)[0].as<Tensor>()), (std::vector<std::uint64_t>{0x3c00, 0x3c01}));
}

TEST(FixOutputs, KeepsTheOriginalWhereStructuresDiffer) {
  EXPECT_FALSE(fix_outputs({floats({1}), floats({1})}, {floats({1})}));
  EXPECT_FALSE(fix_outputs({floats({1})}, {floats({1, 2})}));
  EXPECT_FALSE(fix_outputs({List{{floats({1})}}}, {floats({1})}));
  Dict left;
  left.items.emplace_back("a", floats({1}));
  Dict right;
  right.items.emplace_back("b", floats({1}));
  EXPECT_FALSE(fix_outputs({left}, {right}));
  EXPECT_TRUE(fix_outputs({left}, {left}));
}

}  // namespace
}  // namespace assay::testing
