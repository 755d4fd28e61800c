// Known pairs and the numbers that must come out: reports of users of accuracy checkers, and numbers that the peer's own code gave.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "metrics_support.hpp"

namespace assay::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

/// The engine's numbers for a pair of vectors; get() gives a metric's first number, which must be there.
class Pair {
 public:
  Pair(assay_dtype dtype, const std::vector<double>& actual, const std::vector<double>& expected)
      : numbers_(run_engine(make_tensor(dtype, actual), make_tensor(dtype, expected))) {}

  [[nodiscard]] double get(const std::string& name) const {
    const std::vector<double>& numbers = numbers_.at(name);
    EXPECT_FALSE(numbers.empty()) << name << " is not available";
    return numbers.empty() ? kNan : numbers[0];
  }
  [[nodiscard]] bool has(const std::string& name) const { return !numbers_.at(name).empty(); }

 private:
  Numbers numbers_;
};

std::vector<double> repeated(std::size_t n, double value) { return std::vector<double>(n, value); }

TEST(MetricCases, EqualNansAndInfinitiesAreLeftOutOfTheNumbers) {
  const Pair same(kFloat32, {kNan, 1, 2, kInf}, {kNan, 1, 2, kInf});
  EXPECT_EQ(same.get("cosine"), 1);
  EXPECT_EQ(same.get("max_abs_error"), 0);
  EXPECT_EQ(same.get("mismatch_count"), 0);
  EXPECT_EQ(same.get("class_mismatch_count"), 0);
  EXPECT_EQ(same.get("nan_actual"), 1);
  EXPECT_EQ(same.get("nan_expected"), 1);
  EXPECT_EQ(same.get("pos_inf_actual"), 1);
  EXPECT_EQ(same.get("worst_index"), -1);

  const Pair other(kFloat32, {0, 1, 2}, {kNan, 1, 2});
  EXPECT_TRUE(std::isnan(other.get("cosine")));
  EXPECT_EQ(other.get("class_mismatch_count"), 1);
  EXPECT_EQ(other.get("class_mismatch_first"), 0);
  EXPECT_EQ(other.get("mismatch_first"), 0);
  EXPECT_EQ(other.get("worst_index"), 0);
}

TEST(MetricCases, WrongSignsOfTinyNumbersAreSeen) {
  const Pair pair(kFloat32, repeated(4, -1e-6), repeated(4, 1e-6));
  EXPECT_NEAR(pair.get("msprobe_mint_cosine"), 0.9992, 1e-6);
  EXPECT_NEAR(pair.get("msprobe_mint_max_abs_error"), 2e-6, 1e-12);
  EXPECT_EQ(pair.get("cosine"), -1);
  EXPECT_EQ(pair.get("max_rel_error"), 2);
  EXPECT_EQ(pair.get("significant_bits_worst"), 0);
}

TEST(MetricCases, ASharedZeroHasNoRelativeError) {
  for (const assay_dtype dtype : {kFloat16, kBFloat16, kFloat32, kFloat64}) {
    const Pair equal(dtype, {0, 1}, {0, 1});
    EXPECT_EQ(equal.get("max_rel_error"), 0);
    EXPECT_EQ(equal.get("msprobe_max_rel_error"), 0);
    EXPECT_EQ(equal.get("msprobe_thousandth_ratio"), 1);
    const Pair half(dtype, {0, 1}, {0, 2});
    EXPECT_EQ(half.get("max_rel_error"), 0.5);
    EXPECT_EQ(half.get("msprobe_mint_max_rel_error"), 0.5);
  }
}

TEST(MetricCases, OneQuantisedElementOffByOneIsOneMismatch) {
  std::vector<double> expected;
  for (int i = 0; i < 5 * 1024; ++i) expected.push_back(i % 200 - 100);
  std::vector<double> actual = expected;
  EXPECT_EQ(Pair(kInt8, actual, expected).get("msprobe_error_rate"), 0);
  actual[777] += 1;
  const Pair pair(kInt8, actual, expected);
  EXPECT_DOUBLE_EQ(pair.get("msprobe_error_rate"), 1.0 / 5120);
  EXPECT_EQ(pair.get("mismatch_count"), 1);
  EXPECT_EQ(pair.get("mismatch_first"), 777);
  EXPECT_EQ(pair.get("max_abs_error"), 1);
  EXPECT_EQ(pair.get("max_ulp"), 1);
}

TEST(MetricCases, ZerosOfADropoutAreCounted) {
  std::vector<double> actual = repeated(10000, 1 / 0.7);
  for (std::size_t i = 0; i < actual.size(); i += 10) actual[i] = actual[i + 3] = actual[i + 6] = 0;
  const Pair pair(kFloat32, actual, repeated(10000, 1));
  EXPECT_EQ(pair.get("zero_count_actual"), 3000);
  EXPECT_EQ(pair.get("numel"), 10000);
}

TEST(MetricCases, SmallValuesHaveALargeRelativeAndASmallScaledError) {
  const Pair pair(kFloat32, {1.1e-7, 1}, {1e-7, 1});
  EXPECT_NEAR(pair.get("max_rel_error"), 0.1, 1e-6);
  EXPECT_NEAR(pair.get("max_abs_error"), 1e-8, 1e-13);
  EXPECT_LT(pair.get("max_scaled_error"), 2e-8);
}

TEST(MetricCases, InfinitiesThatAgreeRaiseNothing) {
  const Pair pair(kFloat32, {kInf, kInf}, {kInf, kInf});
  EXPECT_EQ(pair.get("cosine"), 1);
  EXPECT_EQ(pair.get("mismatch_count"), 0);
  EXPECT_FALSE(pair.has("max_abs_error"));
  EXPECT_EQ(pair.get("pos_inf_actual"), 2);
  EXPECT_EQ(Pair(kFloat32, {kInf, kInf}, {kInf, -kInf}).get("class_mismatch_count"), 1);
  EXPECT_EQ(Pair(kFloat32, {3, kInf}, {kInf, kInf}).get("class_mismatch_count"), 1);
}

TEST(MetricCases, OneBadElementAmongManyKeepsThePeersSharesHigh) {
  for (const std::size_t n : {500u, 2000u, 20001u}) {
    std::vector<double> actual = repeated(n, 1);
    actual[n / 2] = kNan;
    const Pair pair(kFloat32, actual, repeated(n, 1));
    const double share = static_cast<double>(n - 1) / static_cast<double>(n);
    EXPECT_DOUBLE_EQ(pair.get("msprobe_thousandth_ratio"), share);
    EXPECT_DOUBLE_EQ(pair.get("msprobe_ten_thousandth_ratio"), share);
    EXPECT_TRUE(std::isnan(pair.get("msprobe_cosine")));
    EXPECT_TRUE(std::isnan(pair.get("msprobe_max_abs_error")));
    EXPECT_TRUE(std::isnan(pair.get("msprobe_mint_cosine")));
    EXPECT_EQ(pair.get("class_mismatch_count"), 1);
  }
}

TEST(MetricCases, ThePeerClipsInfinitiesToTheFiniteRange) {
  // Expected infinite and any finite value: not an error there; ours counts the class.
  const Pair missed(kFloat32, {3, 1}, {kInf, 1});
  EXPECT_EQ(missed.get("msprobe_inf_nan_error_ratio"), 0);
  EXPECT_EQ(missed.get("class_mismatch_count"), 1);
  EXPECT_EQ(Pair(kFloat32, {kInf, 1}, {-kInf, 1}).get("msprobe_inf_nan_error_ratio"), 1);
  EXPECT_EQ(Pair(kFloat16, {kInf, 1}, {65504, 1}).get("msprobe_inf_nan_error_ratio"), 0);
  EXPECT_EQ(Pair(kFloat16, {kInf, 1}, {65504, 1}).get("class_mismatch_count"), 1);
  EXPECT_EQ(Pair(kFloat32, {kNan, 1}, {kNan, 1}).get("msprobe_inf_nan_error_ratio"), 0);
  EXPECT_EQ(Pair(kFloat32, {kNan, 1}, {1, 1}).get("msprobe_inf_nan_error_ratio"), 1);
}

TEST(MetricCases, ThePeersCosineIsBlankWhereNothingCanBeSaid) {
  EXPECT_FALSE(Pair(kFloat32, {2}, {1}).has("msprobe_cosine"));
  EXPECT_FALSE(Pair(kFloat32, {0, 1e-17}, {1e-16, 0}).has("msprobe_cosine"));
  EXPECT_EQ(Pair(kFloat32, {0, 1e-17}, {1, 2}).get("msprobe_cosine"), 0);
  EXPECT_EQ(Pair(kFloat32, {1, 2}, {1, 2}).get("msprobe_cosine"), 1);
}

TEST(MetricCases, NanOnlyOnOneSideIsAClassMismatchEverywhere) {
  const Pair pair(kFloat32, repeated(16, kNan), repeated(16, 0));
  EXPECT_EQ(pair.get("class_mismatch_count"), 16);
  EXPECT_EQ(pair.get("nan_actual"), 16);
  EXPECT_EQ(pair.get("nan_expected"), 0);
}

TEST(MetricCases, NeighboursInHalfPrecisionAreOneUlpApart) {
  const Pair pair(kFloat16, {4444}, {4448});
  EXPECT_EQ(pair.get("max_abs_error"), 4);
  EXPECT_EQ(pair.get("max_ulp"), 1);
}

TEST(MetricCases, RoundingNeverTakesTheCosineBeyondOne) {
  std::vector<double> values;
  for (int i = 0; i < 84; ++i) values.push_back(i);
  for (const assay_dtype dtype : {kFloat16, kBFloat16, kFloat32, kFloat64}) {
    const Pair pair(dtype, values, values);
    EXPECT_LE(pair.get("cosine"), 1);
    EXPECT_GT(pair.get("cosine"), 1 - 1e-15);
  }
}

TEST(MetricCases, HugeAndTinyVectorsHaveACosine) {
  EXPECT_NEAR(Pair(kFloat32, {1, 1}, {2.0775e38, 3.0262e38}).get("cosine"), 0.98316, 5e-6);
  EXPECT_NEAR(Pair(kFloat64, {1e300, 1e300}, {2.0775e300, 3.0262e300}).get("cosine"), 0.98316, 5e-6);
  EXPECT_NEAR(Pair(kFloat64, {1e-300, 1e-300}, {2.0775e-300, 3.0262e-300}).get("cosine"), 0.98316, 5e-6);
  EXPECT_NEAR(Pair(kFloat64, {2e200, 2e200}, {1e200, 1e200}).get("rel_l2_error"), 1, 1e-15);
  EXPECT_NEAR(Pair(kFloat64, {2e-200, 2e-200}, {1e-200, 1e-200}).get("rms_expected") / 1e-200, 1, 1e-15);
}

TEST(MetricCases, SumsDoNotStopAtTheFloatsLastBit) {
  const std::size_t n = (1u << 24) + 2;
  const Tensor ones = make_tensor(kFloat32, repeated(n, 1));
  const Numbers numbers = run_engine(ones, ones, {*engine::metrics_by_name("rms_expected"), -1.0});
  EXPECT_EQ(numbers.at("rms_expected")[0], 1);
}

TEST(MetricCases, IntegersOverflowNothing) {
  EXPECT_NEAR(Pair(kInt32, {70000, 70000}, {70000, 70000}).get("rms_expected") * std::sqrt(2.0), 98994.9, 0.1);
  const Pair extremes(kInt32, {-2147483648.0, 2147483647.0}, {2147483647.0, -2147483648.0});
  EXPECT_EQ(extremes.get("max_abs_error"), 4294967295.0);
  EXPECT_EQ(extremes.get("cosine"), -1);
}

TEST(MetricCases, Integers64DifferByOneBeyondThePrecisionOfDouble) {
  Tensor actual = Tensor::allocate(kInt64, {2});
  Tensor expected = Tensor::allocate(kInt64, {2});
  constexpr std::int64_t kLarge = (std::int64_t{1} << 62) + 1;
  actual.data_as<std::int64_t>()[0] = kLarge;
  expected.data_as<std::int64_t>()[0] = kLarge - 1;
  actual.data_as<std::int64_t>()[1] = std::numeric_limits<std::int64_t>::min();
  expected.data_as<std::int64_t>()[1] = std::numeric_limits<std::int64_t>::max();
  const Numbers numbers = run_engine(actual, expected);
  EXPECT_EQ(numbers.at("mismatch_count")[0], 2);
  EXPECT_EQ(numbers.at("mismatch_first")[0], 0);
  EXPECT_EQ(numbers.at("ulp_histogram")[1], 1);
  EXPECT_EQ(numbers.at("max_abs_error")[0], 0x1p64);
}

TEST(MetricCases, AnyByteOtherThanZeroIsTrue) {
  Tensor actual = Tensor::allocate(kBool, {3});
  Tensor expected = Tensor::allocate(kBool, {3});
  const std::uint8_t actual_bytes[] = {1, 0, 255};
  const std::uint8_t expected_bytes[] = {2, 0, 1};
  std::copy_n(actual_bytes, 3, actual.data_as<std::uint8_t>());
  std::copy_n(expected_bytes, 3, expected.data_as<std::uint8_t>());
  EXPECT_EQ(run_engine(actual, expected).at("mismatch_count")[0], 0);
}

TEST(MetricCases, AnErrorOfManyUlpIsSeenWhereTheAbsoluteErrorIsSmall) {
  const Pair pair(kFloat32, {0.761594156 + 4.7e-5}, {0.761594156});
  EXPECT_LT(pair.get("max_abs_error"), 1e-4);
  EXPECT_GT(pair.get("max_ulp"), 780);
  EXPECT_LT(pair.get("max_ulp"), 800);
}

TEST(MetricCases, ReducedPrecisionModesShowInTheRelativeError) {
  EXPECT_NEAR(Pair(kFloat32, {0.1740513}, {0.1737209}).get("max_rel_error"), 1.9e-3, 1e-5);
  const Pair tf32(kFloat32, {1025}, {1024.5});
  EXPECT_NEAR(std::log2(tf32.get("max_rel_error")), -11, 0.01);
  EXPECT_NEAR(tf32.get("significant_bits_worst"), 11, 0.01);
}

TEST(MetricCases, ANegligibleWholeHidesOneLargeElementNowhere) {
  std::vector<double> expected(1u << 20, 0.5);
  std::vector<double> actual = expected;
  actual[0] *= 5;
  const Pair pair(kFloat32, actual, expected);
  EXPECT_EQ(pair.get("max_rel_error"), 4);
  EXPECT_EQ(pair.get("worst_index"), 0);
  EXPECT_EQ(pair.get("mismatch_count"), 1);
  EXPECT_GT(pair.get("cosine"), 0.9999);
}

TEST(MetricCases, SignificantBitsComeFromTheRelativeError) {
  const Pair pair(kFloat64, {1000.001}, {1000});
  EXPECT_NEAR(pair.get("significant_bits_worst"), 19.93, 0.01);
  EXPECT_EQ(Pair(kFloat32, {1}, {1}).get("significant_bits_worst"), 24);
  EXPECT_EQ(Pair(kFloat16, {1}, {1}).get("significant_bits_median"), 11);
}

TEST(MetricCases, UlpHistogramHasABinForEachPowerOfTwo) {
  // Of each float32 distance the number of the bin: 0, 1, 2, 3-4, 5-8, ...
  const std::vector<std::pair<std::uint32_t, std::size_t>> distances = {{0, 0},         {1, 1},
                                                                        {2, 2},         {3, 3},
                                                                        {4, 3},         {5, 4},
                                                                        {8, 4},         {9, 5},
                                                                        {1u << 23, 24}, {(1u << 23) + 1, 25},
                                                                        {1u << 24, 25}, {(1u << 25) + 1, 27},
                                                                        {1u << 30, 31}};
  for (const auto& [distance, bin] : distances) {
    Tensor actual = Tensor::allocate(kFloat32, {1});
    Tensor expected = Tensor::allocate(kFloat32, {1});
    actual.data_as<std::uint32_t>()[0] = distance;
    expected.data_as<std::uint32_t>()[0] = 0;
    const Numbers numbers = run_engine(actual, expected);
    EXPECT_EQ(numbers.at("max_ulp")[0], distance);
    EXPECT_EQ(numbers.at("ulp_histogram")[bin], 1) << distance;
  }
  // Across zero: the two magnitudes add up, beyond 2^31.
  const Numbers across = run_engine(make_tensor(kFloat32, {-3e38}), make_tensor(kFloat32, {3e38}));
  EXPECT_EQ(across.at("ulp_histogram")[33], 1);
}

TEST(MetricCases, ToleranceThatPassesPasses) {
  const std::vector<double> actual = {1.01, 2.0, 0.001, 100.5};
  const std::vector<double> expected = {1.0, 2.0, 0.0, 100.0};
  const engine::MetricSet rtol = *engine::metrics_by_name("rtol_to_pass");
  const Tensor a = make_tensor(kFloat64, actual);
  const Tensor e = make_tensor(kFloat64, expected);
  EXPECT_EQ(run_engine(a, e, {rtol, 0.0}).at("rtol_to_pass")[0], kInf);
  EXPECT_NEAR(run_engine(a, e, {rtol, 1e-3}).at("rtol_to_pass")[0], 9e-3, 1e-12);
  EXPECT_NEAR(run_engine(a, e, {rtol, 0.2}).at("rtol_to_pass")[0], 0.003, 1e-12);
  EXPECT_EQ(run_engine(a, e, {rtol, 1.0}).at("rtol_to_pass")[0], 0);
}

TEST(MetricCases, Float8HasOnlyWhatItsFormatHas) {
  // e4m3fn has no infinity: 448 is the largest number.
  const Pair pair(kFloat8E4M3FN, {448, 416, kNan}, {416, 416, kNan});
  EXPECT_EQ(pair.get("max_ulp"), 1);
  EXPECT_EQ(pair.get("nan_actual"), 1);
  EXPECT_EQ(pair.get("mismatch_count"), 1);
  EXPECT_EQ(Pair(kFloat8E5M2, {kInf, 1}, {kInf, 1}).get("pos_inf_actual"), 1);
}

}  // namespace
}  // namespace assay::test
