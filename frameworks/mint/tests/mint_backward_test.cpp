// Backward calls on a real MindSpore, through the C ABI.
#include <gtest/gtest.h>

#include "mint_adapter.hpp"

namespace assay::bridge {
namespace {

using Numbers = std::vector<double>;

Numbers gradient(const Outcome& outcome, const std::string& path) {
  const assay_value* const value = outcome.gradient(path);
  return value == nullptr || value->kind != ASSAY_VALUE_TENSOR ? Numbers{} : numbers(*value);
}

TEST(MintBackward, GivesOneGradientForEachFloatingTensor) {
  const Outcome product = mint().invoke(
      {"Mint.mul", {tensor<float>({3}, {1, 2, 3}), tensor<float>({3}, {4, 5, 6})}, {}, {tensor<float>({3}, {1, 10, 100})}});
  ASSERT_EQ(product.status, ASSAY_OK) << product.message;
  EXPECT_EQ(product.results().gradient_count, 2u);
  EXPECT_EQ(product.results().output_count, 0u);
  EXPECT_EQ(gradient(product, "0"), (Numbers{4, 50, 600}));
  EXPECT_EQ(gradient(product, "1"), (Numbers{1, 20, 300}));
}

TEST(MintBackward, EqualArgumentsKeepTheirOwnGradients) {
  const Value x = tensor<float>({2}, {3, 4});
  const Outcome product = mint().invoke({"Mint.mul", {x, x}, {}, {tensor<float>({2}, {1, 1})}});
  EXPECT_EQ(gradient(product, "0"), (Numbers{3, 4}));
  EXPECT_EQ(gradient(product, "1"), (Numbers{3, 4}));
}

TEST(MintBackward, ReachesTensorsInListsAndKeywords) {
  const Value x = tensor<float>({2}, {1, 2});
  const Value y = tensor<float>({2}, {3, 4});
  const Outcome joined = mint().invoke({"Mint.cat", {List{{x, y}}}, {}, {tensor<float>({4}, {1, 2, 3, 4})}});
  ASSERT_EQ(joined.status, ASSAY_OK) << joined.message;
  EXPECT_EQ(gradient(joined, "0.0"), (Numbers{1, 2}));
  EXPECT_EQ(gradient(joined, "0.1"), (Numbers{3, 4}));
  const Outcome sum = mint().invoke({"Mint.add", {x}, {{"other", y}, {"alpha", std::int64_t{2}}}, {tensor<float>({2}, {1, 1})}});
  EXPECT_EQ(gradient(sum, "0"), (Numbers{1, 1}));
  EXPECT_EQ(gradient(sum, "other"), (Numbers{2, 2}));
}

TEST(MintBackward, IntegersHaveNoGradient) {
  const Outcome product = mint().invoke(
      {"Mint.mul", {tensor<float>({2}, {1, 2}), tensor<std::int64_t>({2}, {3, 4})}, {}, {tensor<float>({2}, {1, 1})}});
  EXPECT_EQ(product.results().gradient_count, 1u);
  EXPECT_EQ(gradient(product, "0"), (Numbers{3, 4}));
}

TEST(MintBackward, SeveralOutputsAreDifferentiatedAtOnce) {
  const CallSpec split{"Mint.split", {tensor<float>({3}, {1, 2, 3}), std::int64_t{1}}};
  CallSpec all = split;
  all.gradients = {tensor<float>({1}, {1}), tensor<float>({1}, {2}), tensor<float>({1}, {3})};
  EXPECT_EQ(gradient(mint().invoke(all), "0"), (Numbers{1, 2, 3}));
  CallSpec some = split;
  some.gradients = {None{}, tensor<float>({1}, {2}), None{}};
  EXPECT_EQ(gradient(mint().invoke(some), "0"), (Numbers{0, 2, 0}));
}

TEST(MintBackward, GradientsArePairedWithOutputsByPosition) {
  // topk gives values and integer indices: nothing arrives at the second.
  CallSpec spec{"Tensor.topk", {tensor<float>({3}, {1, 3, 2}), std::int64_t{2}}};
  for (const Value& second : {Value(None{}), tensor<std::int64_t>({2}, {0, 0})}) {
    spec.gradients = {tensor<float>({2}, {10, 20}), second};
    const Outcome outcome = mint().invoke(spec);
    ASSERT_EQ(outcome.status, ASSAY_OK) << outcome.message;
    EXPECT_EQ(gradient(outcome, "0"), (Numbers{0, 10, 20}));
  }
}

TEST(MintBackward, WorksInHalfPrecisionAndDouble) {
  for (const assay_dtype dtype : {kFloat16, kBFloat16}) {
    const Value two = tensor<std::uint16_t>({1}, {0x4000}, dtype);  // 2 in both
    const Outcome product = mint().invoke({"Mint.mul", {two, two}, {}, {two}});
    ASSERT_EQ(product.status, ASSAY_OK) << product.message;
    EXPECT_EQ(dtype_of(*product.gradient("0")), dtype_name(dtype));
    EXPECT_EQ(gradient(product, "0"), (Numbers{4}));
  }
  CallSpec raised{"Mint.mul",
                  {tensor<std::uint16_t>({1}, {0x4000}, kFloat16), tensor<std::uint16_t>({1}, {0x4000}, kFloat16)},
                  {},
                  {tensor<std::uint16_t>({1}, {0x4000}, kFloat16)}};
  raised.precision = ASSAY_PRECISION_FLOAT64;
  EXPECT_EQ(dtype_of(*mint().invoke(raised).gradient("0")), "float64");
}

TEST(MintBackward, ALabelMayHaveAGradientHere) {
  const Outcome loss = mint().invoke({"MintFunctional.binary_cross_entropy_with_logits",
                                      {tensor<float>({2}, {0, 1}), tensor<float>({2}, {0, 1})},
                                      {},
                                      {tensor<float>({}, {1})}});
  ASSERT_EQ(loss.status, ASSAY_OK) << loss.message;
  EXPECT_EQ(gradient(loss, "0").size(), 2u);
  EXPECT_EQ(gradient(loss, "1").size(), 2u);
}

TEST(MintBackward, WrongGradientsAreRefusedBeforeMindSporeTakesThem) {
  const Value x = tensor<float>({3}, {1, 2, 3});
  const Outcome shape = mint().invoke({"Mint.exp", {x}, {}, {tensor<float>({2}, {1, 1})}});
  EXPECT_EQ(shape.status, ASSAY_INVALID_ARGUMENT);
  EXPECT_NE(shape.message.find("shape [2]"), std::string::npos) << shape.message;
  EXPECT_EQ(mint().invoke({"Mint.exp", {x}, {}, {x, x}}).status, ASSAY_INVALID_ARGUMENT);
  EXPECT_EQ(mint().invoke({"Mint.exp", {x}, {}, {None{}}}).status, ASSAY_INVALID_ARGUMENT);
  EXPECT_EQ(mint().invoke({"Mint.isnan", {x}, {}, {x}}).status, ASSAY_INVALID_ARGUMENT);
  EXPECT_EQ(gradient(mint().invoke({"Mint.neg", {x}, {}, {x}}), "0"), (Numbers{-1, -2, -3}));
}

TEST(MintBackward, AMissingGradientKernelIsUnsupported) {
  const Value x = tensor<float>({2}, {1, 2});
  const Outcome softplus = mint().invoke({"MintFunctional.softplus", {x}, {}, {x}});
  EXPECT_EQ(softplus.status, ASSAY_UNSUPPORTED);
  EXPECT_NE(softplus.message.find("SoftplusGradExt"), std::string::npos) << softplus.message;
  EXPECT_EQ(gradient(mint().invoke({"Mint.neg", {x}, {}, {x}}), "0"), (Numbers{-1, -2}));
}

}  // namespace
}  // namespace assay::bridge
