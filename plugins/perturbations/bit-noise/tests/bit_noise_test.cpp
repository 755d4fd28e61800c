#include <gtest/gtest.h>

#include "assay/sdk/float_format.hpp"
#include "assay/sdk/random.hpp"
#include "support/perturbation_bits.hpp"
#include "support/perturbation_under_test.hpp"

namespace assay::testing {
namespace {

constexpr char kId[] = "assay.bit-noise";
constexpr char kCompat[] = R"({"compat": "msprobe"})";

TEST(BitNoise, GivesThePeersBits) {
  PerturbationUnderTest noise(kId, kCompat);
  for (const PerturbationBits& row : kPerturbationBits) {
    SCOPED_TRACE(dtype_name(row.dtype));
    const Tensor input = tensor_of_bits(row.dtype, {static_cast<std::int64_t>(row.input.size())}, row.input);
    const Perturbed result = noise.apply(input);
    EXPECT_EQ(bits_of(result.output), row.bit_noise);
    std::uint64_t differing = 0;
    for (std::size_t i = 0; i < row.input.size(); ++i) differing += row.input[i] != row.bit_noise[i] ? 1u : 0u;
    EXPECT_EQ(result.changed, differing);
  }
}

/// Every pattern of the narrow formats, a sample of the wide ones.
template <class F>
std::vector<std::uint64_t> patterns() {
  std::vector<std::uint64_t> bits;
  if constexpr (sizeof(typename F::Storage) <= 2) {
    for (std::uint64_t i = 0; i <= (std::uint64_t{F::kMagnitude} | F::kSign); ++i) bits.push_back(i);
  } else {
    const RandomStream stream(3);
    for (std::uint64_t i = 0; i < 20000; ++i) {
      bits.push_back(((std::uint64_t{stream.word(2 * i)} << 32) | stream.word(2 * i + 1)) &
                     (std::uint64_t{F::kMagnitude} | F::kSign));
    }
    for (const std::uint64_t m :
         {std::uint64_t{0}, std::uint64_t{F::kMinNormal}, std::uint64_t{F::kEnd}, std::uint64_t{F::kEnd} - 1}) {
      bits.push_back(m);
    }
  }
  return bits;
}

TEST(BitNoise, FlipsOneFractionBitOfNormalNumbersOnly) {
  for (const assay_dtype dtype : {kFloat16, kBFloat16, kFloat32, kFloat64, kFloat8E4M3FN, kFloat8E5M2}) {
    for (const int bit : {0, 1}) {
      SCOPED_TRACE(std::string(dtype_name(dtype)) + " bit " + std::to_string(bit));
      PerturbationUnderTest noise(kId, R"({"bit": )" + std::to_string(bit) + "}");
      visit_format(dtype, [&](auto format) {
        using F = decltype(format);
        using T = typename F::Storage;
        const auto before = patterns<F>();
        const Perturbed result = noise.apply(tensor_of_bits(dtype, {static_cast<std::int64_t>(before.size())}, before));
        const auto after = bits_of(result.output);
        std::uint64_t changed = 0;
        for (std::size_t i = 0; i < before.size(); ++i) {
          const auto x = static_cast<T>(before[i]);
          const auto flipped = static_cast<T>(x ^ T(T{1} << bit));
          const bool normal = F::is_finite(x) && F::magnitude(x) >= F::kMinNormal;
          const bool flips = normal && F::is_finite(flipped);
          ASSERT_EQ(static_cast<T>(after[i]), flips ? flipped : x) << i;
          changed += flips ? 1u : 0u;
        }
        EXPECT_EQ(result.changed, changed);
        EXPECT_GT(changed, before.size() / 2);
      });
    }
  }
}

TEST(BitNoise, DrawsTheBitFromTheRange) {
  PerturbationUnderTest noise(kId, R"({"bit": [2, 5]})");
  const Tensor input = tensor_of(kFloat32, {4000}, std::vector<float>(4000, 1.0f));
  const auto after = bits_of(noise.apply(input, 8).output);
  std::vector<int> seen(23, 0);
  for (const std::uint64_t bits : after) {
    for (std::size_t bit = 0; bit < seen.size(); ++bit) seen[bit] += bits == (0x3f800000u ^ (1u << bit)) ? 1 : 0;
  }
  for (std::size_t bit = 2; bit <= 5; ++bit) EXPECT_NEAR(seen[bit], 1000, 150) << bit;
  EXPECT_EQ(seen[2] + seen[3] + seen[4] + seen[5], 4000);
  EXPECT_EQ(after, bits_of(noise.apply(input, 8).output));
  EXPECT_NE(after, bits_of(noise.apply(input, 9).output));
}

TEST(BitNoise, RefusesABitThatIsNoFractionBit) {
  PerturbationUnderTest noise(kId, R"({"bit": 7})");
  EXPECT_NE(noise.refusal(Tensor::allocate(kBFloat16, {1})).find("bit 7"), std::string::npos);
  EXPECT_EQ(noise.refusal(Tensor::allocate(kFloat16, {1})), "");
  EXPECT_NE(noise.refusal(Tensor::allocate(kInt64, {1})), "");
  EXPECT_NE(config_refusal(kId, R"({"bit": 52})"), "");
  EXPECT_NE(config_refusal(kId, R"({"bit": [3, 1]})"), "");
  EXPECT_NE(config_refusal(kId, R"({"compat": "msprobe", "bit": 0})"), "");
}

TEST(BitNoise, FlipsBothComponentsOfAComplexNumber) {
  PerturbationUnderTest noise(kId);
  const Perturbed result = noise.apply(tensor_of(kComplex128, {2}, std::vector<double>{1.0, 2.0, 0.0, INFINITY}));
  EXPECT_EQ(result.changed, 1u);
  EXPECT_EQ(elements_of<double>(result.output), (std::vector<double>{1.0 + 0x1p-52, 2.0 + 0x1p-51, 0.0, INFINITY}));
}

}  // namespace
}  // namespace assay::testing
