#include <gtest/gtest.h>

#include <cmath>

#include "assay/sdk/half.hpp"
#include "support/perturbation_under_test.hpp"

namespace assay::testing {
namespace {

constexpr char kId[] = "assay.change-value";
constexpr char kCompat[] = R"({"compat": "msprobe"})";

std::vector<float> swapped(const char* config, const std::vector<std::int64_t>& shape, const std::vector<float>& elements,
                           std::uint64_t changed) {
  PerturbationUnderTest change(kId, config);
  const Perturbed result = change.apply(tensor_of(kFloat32, shape, elements));
  EXPECT_EQ(result.changed, changed);
  return elements_of<float>(result.output);
}

// W01
TEST(ChangeValue, SwapsFirstAndLast) {
  for (const char* config : {"{}", kCompat}) {
    EXPECT_EQ(swapped(config, {4}, {1, 2, 3, 4}, 2), (std::vector<float>{4, 2, 3, 1}));
    EXPECT_EQ(swapped(config, {2, 2}, {1, 2, 3, 4}, 2), (std::vector<float>{4, 2, 3, 1}));
    EXPECT_EQ(swapped(config, {1, 2}, {1, 2}, 2), (std::vector<float>{2, 1}));
  }
}

TEST(ChangeValue, PeerSwapsWholePartsBeyondTwoDimensions) {
  EXPECT_EQ(swapped(kCompat, {2, 1, 3}, {1, 2, 3, 1, 5, 6}, 4), (std::vector<float>{1, 5, 6, 1, 2, 3}));
  EXPECT_EQ(swapped("{}", {2, 1, 3}, {1, 2, 3, 1, 5, 6}, 2), (std::vector<float>{6, 2, 3, 1, 5, 1}));
}

TEST(ChangeValue, PeerSwapsEqualAndNonFiniteElementsToo) {
  EXPECT_EQ(swapped(kCompat, {3}, {7, 2, 7}, 0), (std::vector<float>{7, 2, 7}));
  const auto after = swapped(kCompat, {3}, {INFINITY, 2, NAN}, 2);
  EXPECT_TRUE(std::isnan(after[0]));
  EXPECT_TRUE(std::isinf(after[2]));
}

TEST(ChangeValue, LooksForAnElementOfAnotherValue) {
  EXPECT_EQ(swapped("{}", {4}, {7, 2, 3, 7}, 2), (std::vector<float>{3, 2, 7, 7}));
  EXPECT_EQ(swapped("{}", {3}, {7, 7, 7}, 0), (std::vector<float>{7, 7, 7}));
  EXPECT_EQ(swapped("{}", {2}, {0.0f, -0.0f}, 0), (std::vector<float>{0.0f, -0.0f}));
}

TEST(ChangeValue, LeavesNonFiniteElementsInPlace) {
  const auto after = swapped("{}", {4}, {INFINITY, 1, 2, NAN}, 2);
  EXPECT_TRUE(std::isinf(after[0]));
  EXPECT_EQ(after[1], 2.0f);
  EXPECT_EQ(after[2], 1.0f);
  EXPECT_TRUE(std::isnan(after[3]));
}

TEST(ChangeValue, HandlesEveryFloatingType) {
  PerturbationUnderTest change(kId);
  for (const assay_dtype dtype : {kFloat16, kBFloat16, kFloat32, kFloat64, kFloat8E4M3FN, kFloat8E5M2}) {
    const std::vector<std::uint64_t> bits = {1, 2, 3};
    const Perturbed result = change.apply(tensor_of_bits(dtype, {3}, bits));
    EXPECT_EQ(bits_of(result.output), (std::vector<std::uint64_t>{3, 2, 1})) << dtype_name(dtype);
    EXPECT_EQ(result.changed, 2u);
  }
  const Perturbed complex = change.apply(tensor_of(kComplex64, {2}, std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(elements_of<float>(complex.output), (std::vector<float>{3, 4, 1, 2}));
  EXPECT_EQ(complex.changed, 2u);
}

TEST(ChangeValue, RefusesShapesWithoutTwoElements) {
  struct Row {
    std::vector<std::int64_t> shape;
    bool compat_takes;
    bool we_take;
  };
  for (const Row& row : std::vector<Row>{{{}, false, false},
                                         {{1}, false, false},
                                         {{2}, true, true},
                                         {{1, 1}, false, false},
                                         {{2, 1}, true, true},
                                         {{2, 0}, false, false},
                                         {{1, 1, 5}, false, true}}) {
    const Tensor input = Tensor::allocate(kFloat32, row.shape);
    EXPECT_EQ(PerturbationUnderTest(kId, kCompat).refusal(input).empty(), row.compat_takes) << row.shape.size();
    EXPECT_EQ(PerturbationUnderTest(kId).refusal(input).empty(), row.we_take) << row.shape.size();
  }
  EXPECT_NE(PerturbationUnderTest(kId).refusal(Tensor::allocate(kInt32, {4})), "");
}

}  // namespace
}  // namespace assay::testing
