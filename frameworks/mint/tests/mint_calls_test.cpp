// Calls on a real MindSpore, through the C ABI.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "adapter_under_test.hpp"

namespace assay::bridge {
namespace {

using Numbers = std::vector<double>;
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// One server for all tests of the file: importing MindSpore takes seconds.
AdapterUnderTest& mint() {
  static AdapterUnderTest adapter("assay.mint", std::string(R"({"python": ")") + ASSAY_MINT_PYTHON + R"("})");
  return adapter;
}

TEST(MintCalls, DescribesMindSpore) {
  ASSERT_EQ(mint().status(), ASSAY_OK) << mint().message();
  const assay_adapter_info info = mint().describe();
  EXPECT_STREQ(info.framework, "MindSpore");
  EXPECT_NE(std::string(info.details).find(ASSAY_MINT_PYTHON), std::string::npos) << info.details;
  ASSERT_EQ(info.device_count, 1u);
  EXPECT_EQ(info.devices[0].type, ASSAY_DEVICE_CPU);
}

TEST(MintCalls, RunsForward) {
  const Outcome sum = mint().invoke({"Mint.add", {tensor<float>({2, 2}, {1, 2, 3, 4}), tensor<float>({2}, {10, 20})}});
  EXPECT_EQ(numbers(sum.output(0)), (Numbers{11, 22, 13, 24}));
  EXPECT_EQ(shape_of(sum.output(0)), (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(sum.results().mutated_count, 0u);
}

TEST(MintCalls, TakesKeywordsListsAndMethods) {
  const Value x = tensor<float>({2}, {1, 2});
  const Value y = tensor<float>({2}, {3, 4});
  EXPECT_EQ(numbers(mint().invoke({"Mint.add", {x}, {{"other", y}, {"alpha", std::int64_t{2}}}}).output(0)), (Numbers{7, 10}));
  EXPECT_EQ(numbers(mint().invoke({"Mint.cat", {List{{x, y}}}, {{"dim", std::int64_t{0}}}}).output(0)), (Numbers{1, 2, 3, 4}));
  EXPECT_EQ(numbers(mint().invoke({"Tensor.sin", {tensor<float>({1}, {0})}}).output(0)), (Numbers{0}));
  EXPECT_EQ(numbers(mint().invoke({"MintFunctional.relu", {tensor<float>({2}, {-1, 2})}}).output(0)), (Numbers{0, 2}));
}

}  // namespace
}  // namespace assay::bridge
