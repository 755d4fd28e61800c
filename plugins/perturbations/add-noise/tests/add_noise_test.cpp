#include <gtest/gtest.h>

#include <cmath>

#include "assay/sdk/float_format.hpp"
#include "assay/sdk/half.hpp"
#include "assay/sdk/random.hpp"
#include "support/perturbation_bits.hpp"
#include "support/perturbation_under_test.hpp"

namespace assay::testing {
namespace {

constexpr char kId[] = "assay.add-noise";
constexpr char kCompat[] = R"({"compat": "msprobe"})";
const std::vector<assay_dtype> kRealTypes = {kFloat16, kBFloat16, kFloat32, kFloat64, kFloat8E4M3FN, kFloat8E5M2};

/// Every kind of pattern of a format: random ones (all classes occur), and the corners by hand.
template <class F>
std::vector<std::uint64_t> patterns(std::size_t random) {
  const std::uint64_t magnitude = F::kMagnitude;
  std::vector<std::uint64_t> bits;
  for (const std::uint64_t m :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{F::kMinNormal},
        std::uint64_t{F::kEnd} - 1, std::uint64_t{F::kEnd} - 2, std::uint64_t{F::kEnd}, magnitude}) {
    bits.push_back(m);
    bits.push_back(m | F::kSign);
  }
  const RandomStream stream(99);
  for (std::uint64_t i = 0; i < random; ++i) {
    const std::uint64_t word = (std::uint64_t{stream.word(2 * i)} << 32) | stream.word(2 * i + 1);
    bits.push_back(word & (magnitude | F::kSign));
  }
  return bits;
}

// Numbers of the half types by the scalar conversions, which share nothing with the vector ones.
double widened(Float16, std::uint16_t bits) { return float16_to_double(bits); }
double widened(BFloat16, std::uint16_t bits) { return bfloat16_to_double(bits); }
std::uint16_t bits_of_number(Float16, double value) { return double_to_float16(value); }
std::uint16_t bits_of_number(BFloat16, double value) { return double_to_bfloat16(value); }
template <class F>
double narrowed(F format, double value) {
  return widened(format, bits_of_number(format, value));
}

TEST(AddNoise, GivesThePeersBits) {
  PerturbationUnderTest noise(kId, kCompat);
  for (const PerturbationBits& row : kPerturbationBits) {
    SCOPED_TRACE(dtype_name(row.dtype));
    const Tensor input = tensor_of_bits(row.dtype, {static_cast<std::int64_t>(row.input.size())}, row.input);
    const Perturbed result = noise.apply(input);
    EXPECT_EQ(bits_of(result.output), row.add_noise);
    std::uint64_t differing = 0;
    for (std::size_t i = 0; i < row.input.size(); ++i) differing += row.input[i] != row.add_noise[i] ? 1u : 0u;
    EXPECT_EQ(result.changed, differing);
    EXPECT_GT(differing, 0u);
  }
}

TEST(AddNoise, PeersNoiseIsTheSumRoundedOnceForEveryNumberOfTheHalfTypes) {
  PerturbationUnderTest noise(kId, kCompat);
  const auto check = [&](auto format, assay_dtype dtype, double amount, double limit) {
    SCOPED_TRACE(dtype_name(dtype));
    std::vector<std::uint64_t> bits(65536);
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = i;
    const Perturbed result = noise.apply(tensor_of_bits(dtype, {65536}, bits));
    const std::vector<std::uint64_t> after = bits_of(result.output);
    const double own_amount = narrowed(format, amount);
    const double own_limit = narrowed(format, limit);
    std::uint64_t changed = 0;
    for (std::size_t i = 0; i < bits.size(); ++i) {
      const auto pattern = static_cast<std::uint16_t>(i);
      const double x = widened(format, pattern);
      const bool moves = std::isfinite(x) && std::fabs(x) > own_limit;
      // Sums of two halves are exact in double: this rounds once.
      const std::uint64_t expected = moves ? bits_of_number(format, x + own_amount) : pattern;
      ASSERT_EQ(after[i], expected) << "pattern " << i << ", number " << x;
      changed += expected != pattern ? 1u : 0u;
    }
    EXPECT_EQ(result.changed, changed);
    EXPECT_GT(changed, 100u);
  };
  check(Float16{}, kFloat16, 1e-6, 1e-3);
  check(BFloat16{}, kBFloat16, 1e-4, 1e-2);
}

TEST(AddNoise, PeersNoiseTakesFourTypesAndNoEmptyTensor) {
  PerturbationUnderTest noise(kId, kCompat);
  EXPECT_NE(noise.refusal(Tensor::allocate(kComplex64, {2})), "");
  EXPECT_NE(noise.refusal(Tensor::allocate(kFloat8E5M2, {2})), "");
  EXPECT_NE(noise.refusal(Tensor::allocate(kInt32, {2})), "");
  EXPECT_NE(noise.refusal(Tensor::allocate(kFloat32, {0})), "");
  EXPECT_EQ(noise.refusal(Tensor::allocate(kFloat32, {})), "");
}

TEST(AddNoise, MovesFiniteNumbersByOneOrTwoUnitsAndLeavesTheRest) {
  PerturbationUnderTest noise(kId);
  for (const assay_dtype dtype : kRealTypes) {
    SCOPED_TRACE(dtype_name(dtype));
    visit_format(dtype, [&](auto format) {
      using F = decltype(format);
      using T = typename F::Storage;
      const std::vector<std::uint64_t> bits = patterns<F>(5000);
      const Tensor input = tensor_of_bits(dtype, {static_cast<std::int64_t>(bits.size())}, bits);
      const Perturbed result = noise.apply(input, 7);
      const std::vector<std::uint64_t> after = bits_of(result.output);
      std::uint64_t changed = 0;
      std::size_t up = 0;
      std::size_t by_two = 0;
      for (std::size_t i = 0; i < bits.size(); ++i) {
        const auto before_bits = static_cast<T>(bits[i]);
        const auto after_bits = static_cast<T>(after[i]);
        if (!F::is_finite(before_bits) || F::magnitude(before_bits) == 0) {
          ASSERT_EQ(before_bits, after_bits) << i;
          continue;
        }
        const auto distance = static_cast<std::int64_t>(after[i]) - static_cast<std::int64_t>(bits[i]);
        ASSERT_TRUE(std::abs(distance) == 1 || std::abs(distance) == 2) << "element " << i << " moved by " << distance;
        ASSERT_EQ(before_bits & F::kSign, after_bits & F::kSign) << i;
        ASSERT_TRUE(F::is_finite(after_bits) && F::magnitude(after_bits) != 0) << i;
        ++changed;
        up += distance > 0 ? 1u : 0u;
        by_two += std::abs(distance) == 2 ? 1u : 0u;
      }
      EXPECT_EQ(result.changed, changed);
      const auto n = static_cast<double>(changed);
      EXPECT_NEAR(static_cast<double>(up) / n, 0.5, 0.05);
      EXPECT_NEAR(static_cast<double>(by_two) / n, 0.5, 0.05);
    });
  }
}

TEST(AddNoise, StepsStayInTheirRange) {
  PerturbationUnderTest noise(kId, R"({"ulp": [20, 100]})");
  const std::vector<float> ones(50000, 1.0f);
  const auto after = bits_of(noise.apply(tensor_of(kFloat32, {50000}, ones), 3).output);
  std::int64_t smallest = 1000;
  std::int64_t largest = 0;
  for (const std::uint64_t bits : after) {
    const std::int64_t distance = std::abs(static_cast<std::int64_t>(bits) - 0x3f800000);
    smallest = std::min(smallest, distance);
    largest = std::max(largest, distance);
  }
  EXPECT_EQ(smallest, 20);
  EXPECT_EQ(largest, 100);
}

TEST(AddNoise, CountsAComplexElementOnce) {
  PerturbationUnderTest noise(kId);
  const std::vector<float> parts = {1.0f, 2.0f, 0.0f, 0.0f, 0.0f, -3.0f, INFINITY, NAN};
  const Perturbed result = noise.apply(tensor_of(kComplex64, {4}, parts));
  EXPECT_EQ(result.changed, 2u);
  const auto after = elements_of<float>(result.output);
  EXPECT_NE(after[0], 1.0f);
  EXPECT_NE(after[1], 2.0f);
  EXPECT_EQ(after[4], 0.0f);
  EXPECT_NE(after[5], -3.0f);
  EXPECT_TRUE(std::isinf(after[6]));
}

TEST(AddNoise, SeedDecidesTheNoise) {
  PerturbationUnderTest noise(kId);
  const Tensor input = tensor_of(kFloat32, {1000}, std::vector<float>(1000, 1.5f));
  EXPECT_EQ(bits_of(noise.apply(input, 5).output), bits_of(noise.apply(input, 5).output));
  EXPECT_NE(bits_of(noise.apply(input, 5).output), bits_of(noise.apply(input, 6).output));
}

TEST(AddNoise, RelativeNoiseIsAShareOfTheElement) {
  PerturbationUnderTest noise(kId, R"({"relative": 0.01})");
  for (const assay_dtype dtype : {kFloat16, kBFloat16, kFloat32, kFloat64}) {
    SCOPED_TRACE(dtype_name(dtype));
    visit_format(dtype, [&](auto format) {
      using F = decltype(format);
      std::vector<std::uint64_t> bits;
      for (const double value : {1.0, -250.0, 3e-3, 0.0, 1e4}) bits.push_back(F::narrow(static_cast<typename F::Wide>(value)));
      bits.push_back(F::kEnd);
      const Tensor input = tensor_of_bits(dtype, {6}, bits);
      const Perturbed result = noise.apply(input);
      EXPECT_EQ(result.changed, 4u);
      EXPECT_EQ(bits_of(result.output)[5], std::uint64_t{F::kEnd});
      for (std::int64_t i = 0; i < 5; ++i) {
        const double before = input.view().number_at(i);
        const double share = before == 0 ? 0 : std::fabs(result.output.view().number_at(i) / before - 1);
        const double rounding = std::ldexp(1.0, -F::kFractionBits);
        EXPECT_LE(share, 0.01 + rounding) << before;
        EXPECT_GE(share, before == 0 ? 0 : 0.005 - rounding) << before;
      }
    });
  }
}

TEST(AddNoise, AbsoluteNoiseTakesANumberBelowZero) {
  PerturbationUnderTest noise(kId, R"({"absolute": 1e-8})");
  const Tensor input = tensor_of(kFloat32, {64}, std::vector<float>(64, 1e-38f));
  const Perturbed result = noise.apply(input);
  EXPECT_EQ(result.changed, 64u);
  int below = 0;
  for (const float after : elements_of<float>(result.output)) {
    EXPECT_LE(std::fabs(after), 1.0001e-8f);
    EXPECT_GE(std::fabs(after), 0.4999e-8f);
    below += after < 0 ? 1 : 0;
  }
  EXPECT_GT(below, 16);
  EXPECT_LT(below, 48);
}

TEST(AddNoise, TensorScaleMeasuresByTheLargestFiniteElement) {
  PerturbationUnderTest noise(kId, R"({"scale": "tensor", "ulp": 1})");
  const Tensor input = tensor_of(kFloat32, {4}, std::vector<float>{1000.0f, 1.0f, 0.0f, INFINITY});
  const Perturbed result = noise.apply(input);
  EXPECT_EQ(result.changed, 3u);
  const auto after = elements_of<float>(result.output);
  const float spacing = 0x1p-14f;  // of the numbers from 512 to 1024
  EXPECT_EQ(std::fabs(after[0] - 1000.0f), spacing);
  EXPECT_EQ(std::fabs(after[1] - 1.0f), spacing);
  EXPECT_EQ(std::fabs(after[2]), spacing);
  EXPECT_TRUE(std::isinf(after[3]));
}

TEST(AddNoise, NeverOverflows) {
  PerturbationUnderTest noise(kId, R"({"relative": 1})");
  const std::vector<float> large(256, 3.4e38f);
  for (const float after : elements_of<float>(noise.apply(tensor_of(kFloat32, {256}, large)).output))
    EXPECT_TRUE(std::isfinite(after));
}

TEST(AddNoise, ChangesNothingInZerosAndSaysSo) {
  PerturbationUnderTest noise(kId);
  EXPECT_EQ(noise.apply(tensor_of(kFloat32, {3}, std::vector<float>(3, 0.0f))).changed, 0u);
}

TEST(AddNoise, RefusesAStepThatANarrowTypeHasNoRoomFor) {
  PerturbationUnderTest noise(kId, R"({"ulp": 100})");
  EXPECT_NE(noise.refusal(Tensor::allocate(kFloat8E4M3FN, {4})).find("100 ulp"), std::string::npos);
  EXPECT_EQ(noise.refusal(Tensor::allocate(kFloat16, {4})), "");
}

TEST(AddNoise, RefusesAConfigurationThatContradictsItself) {
  EXPECT_NE(config_refusal(kId, R"({"ulp": 1, "relative": 0.1})"), "");
  EXPECT_NE(config_refusal(kId, R"({"ulp": [5, 2]})"), "");
  EXPECT_NE(config_refusal(kId, R"({"ulp": 0})"), "");
  EXPECT_NE(config_refusal(kId, R"({"absolute": 1, "scale": "tensor"})"), "");
  EXPECT_NE(config_refusal(kId, R"({"compat": "msprobe", "ulp": 1})"), "");
  EXPECT_NE(config_refusal(kId, R"({"seed": 1})"), "");
  EXPECT_EQ(config_refusal(kId, R"({"relative": 1e-3, "scale": "tensor"})"), "");
}

}  // namespace
}  // namespace assay::testing
