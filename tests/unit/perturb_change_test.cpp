#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "assay/sdk/float_format.hpp"
#include "assay/sdk/random.hpp"
#include "perturb/change.hpp"
#include "support/perturbation_under_test.hpp"

namespace assay::testing {
namespace {

Change change(const std::vector<float>& before, const std::vector<float>& after) {
  const auto n = static_cast<std::int64_t>(before.size());
  return change_of(tensor_of(kFloat32, {n}, before).view(), tensor_of(kFloat32, {n}, after).view());
}

TEST(Change, IsTheDistanceOverTheLength) {
  const Change c = change({3, 0, 4}, {3, 0, 4.5});
  EXPECT_EQ(c.count, 3);
  EXPECT_EQ(c.changed, 1);
  EXPECT_DOUBLE_EQ(c.relative, 0.5 / 5);
  EXPECT_DOUBLE_EQ(c.relative_of_changed, 0.5 / 4);
  EXPECT_EQ(c.worst, 2);
  EXPECT_DOUBLE_EQ(c.worst_relative, 0.125);
  EXPECT_FALSE(c.left_domain());
}

TEST(Change, OfEqualTensorsIsNothing) {
  const Change c = change({1, NAN, INFINITY, 0.0f}, {1, NAN, INFINITY, -0.0f});
  EXPECT_EQ(c.changed, 0);
  EXPECT_EQ(c.relative, 0);
  EXPECT_EQ(c.worst, -1);
  EXPECT_FALSE(c.left_domain());
}

TEST(Change, CountsNumbersThatAreNoneAnyMore) {
  const Change c = change({1, 2, 3, NAN, INFINITY}, {NAN, INFINITY, 3, 1, -INFINITY});
  EXPECT_EQ(c.became_nan, 1);
  EXPECT_EQ(c.overflowed, 1);
  EXPECT_EQ(c.became_finite, 1);
  EXPECT_EQ(c.changed, 4);
  EXPECT_TRUE(c.left_domain());
  EXPECT_EQ(c.relative, 0) << "only elements that are finite on both sides have a distance";
  EXPECT_TRUE(std::isinf(c.worst_relative));
}

TEST(Change, OfZerosHasNoRelativeSize) { EXPECT_TRUE(std::isinf(change({0, 0}, {0, 1e-8f}).relative)); }

TEST(Change, SurvivesSquaresThatOverflowOrVanish) {
  for (const double scale : {1e200, 1e-200, 1e-310}) {
    const Tensor before = tensor_of(kFloat64, {2}, std::vector<double>{scale, 2 * scale});
    const Tensor after = tensor_of(kFloat64, {2}, std::vector<double>{scale, 2.5 * scale});
    EXPECT_NEAR(change_of(before.view(), after.view()).relative, 0.5 / std::sqrt(5.0), 1e-9) << scale;
  }
}

TEST(Change, CountsAComplexElementOnceAndMeasuresBothParts) {
  const Tensor before = tensor_of(kComplex64, {2}, std::vector<float>{3, 4, 1, 1});
  const Tensor after = tensor_of(kComplex64, {2}, std::vector<float>{3.5, 4.5, 1, 1});
  const Change c = change_of(before.view(), after.view());
  EXPECT_EQ(c.changed, 1);
  EXPECT_EQ(c.worst, 0);
  EXPECT_NEAR(c.relative, std::sqrt(0.5 / 27), 1e-12);
}

TEST(Change, ComparesAcrossTypesAndStrides) {
  const Tensor half = tensor_of<std::uint16_t>(kFloat16, {3}, {0x3c00, 0x4000, 0x4200});  // 1, 2, 3
  const std::vector<float> memory = {1, -1, 2, -1, 3};
  const Tensor spread = Tensor::wrap(const_cast<float*>(memory.data()), kFloat32, {3}, {2}, nullptr, true);
  EXPECT_EQ(change_of(half.view(), spread.view()).changed, 0);
}

TEST(Change, OfIntegersIsAShare) {
  const Tensor before = tensor_of<std::int64_t>(kInt64, {4}, {1, 2, 3, 4});
  const Tensor after = tensor_of<std::int64_t>(kInt64, {4}, {1, 2, 3, 5});
  const Change c = change_of(before.view(), after.view());
  EXPECT_TRUE(c.discrete);
  EXPECT_EQ(c.relative, 0.25);
  EXPECT_EQ(c.worst, 3);
}

TEST(Change, FindsTheWorstElementOfALargeTensor) {
  std::vector<float> before(5000, 1.0f);
  std::vector<float> after = before;
  after[1234] = 1.001f;
  after[4321] = 1.01f;
  const Change c = change(before, after);
  EXPECT_EQ(c.changed, 2);
  EXPECT_EQ(c.worst, 4321);
  EXPECT_NEAR(c.worst_relative, 0.01, 1e-6);
}

/// The same numbers one by one, as the header says them.
void expect_plain(const Tensor& before, const Tensor& after) {
  double difference = 0;
  double whole = 0;
  double of_changed = 0;
  std::int64_t changed = 0;
  const auto n = before.numel();
  for (std::int64_t i = 0; i < n; ++i) {
    const double x = before.view().number_at(i);
    const double y = after.view().number_at(i);
    changed += x == y || (std::isnan(x) && std::isnan(y)) ? 0 : 1;
    if (!std::isfinite(x) || !std::isfinite(y)) continue;
    difference += (y - x) * (y - x);
    whole += x * x;
    of_changed += x != y ? x * x : 0;
  }
  const Change c = change_of(before.view(), after.view());
  EXPECT_EQ(c.changed, changed);
  EXPECT_NEAR(c.relative == 0 ? 0 : c.relative / std::sqrt(difference / whole), difference == 0 ? 0 : 1, 1e-12);
  EXPECT_NEAR(c.relative == 0 ? 0 : c.relative_of_changed / std::sqrt(difference / of_changed), difference == 0 ? 0 : 1, 1e-12);
  const double floor = std::sqrt(whole / static_cast<double>(n)) / 1024;
  std::int64_t worst = -1;
  double largest = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const double x = before.view().number_at(i);
    const double y = after.view().number_at(i);
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    const double ratio = std::fabs(y - x) / std::max(std::fabs(x), floor);
    const double relative = std::isnan(ratio) ? INFINITY : ratio;
    if (relative > largest * (1 + 1e-12)) {
      largest = relative;
      worst = i;
    }
  }
  EXPECT_EQ(c.worst, worst);
  EXPECT_TRUE(c.worst_relative == largest || std::fabs(c.worst_relative / largest - 1) < 1e-12);
}

TEST(Change, IsTheSameForEveryTypeLengthAndClass) {
  const RandomStream stream(3);
  for (const assay_dtype dtype : {kFloat16, kBFloat16, kFloat32, kFloat64, kFloat8E4M3FN, kFloat8E5M2}) {
    for (const std::int64_t n : {1, 7, 8, 9, 1023, 1024, 1025, 5000}) {
      for (const bool with_special : {false, true}) {
        SCOPED_TRACE(std::string(dtype_name(dtype)) + ", " + std::to_string(n) + (with_special ? ", special numbers" : ""));
        visit_format(dtype, [&](auto format) {
          using F = decltype(format);
          using T = typename F::Storage;
          const auto seed = static_cast<std::uint64_t>(n);
          std::vector<std::uint64_t> left(static_cast<std::size_t>(n));
          std::vector<std::uint64_t> right(left.size());
          for (std::size_t i = 0; i < left.size(); ++i) {
            const std::uint32_t word = stream.word(seed * 10000 + i);
            const double number = (word % 2001 - 1000.0) / 500;
            left[i] = F::narrow(static_cast<typename F::Wide>(number));
            right[i] = word % 3 == 0 ? static_cast<T>(left[i] ^ 1u) : left[i];
            if (with_special && word % 7 == 0) left[i] = F::kEnd;
            if (with_special && word % 11 == 0) right[i] = F::kEnd;
          }
          const std::vector<std::int64_t> shape = {n};
          expect_plain(tensor_of_bits(dtype, shape, left), tensor_of_bits(dtype, shape, right));
        });
      }
    }
  }
}

/// Larger than what one thread takes at a time, with noise of one part in a thousand.
std::pair<std::vector<float>, std::vector<float>> many_numbers(std::size_t count) {
  std::vector<float> before(count);
  std::vector<float> after(count);
  for (std::size_t i = 0; i < count; ++i) {
    before[i] = static_cast<float>(static_cast<double>(mix64(i) % 2001) / 1000 - 1);
    after[i] = before[i] * (1 + 1e-3f * static_cast<float>(static_cast<double>(mix64(~i) % 2001) / 1000 - 1));
  }
  return {before, after};
}

TEST(Change, IsTheSameForAnyNumberOfThreads) {
  auto [before, after] = many_numbers(300'001);
  after[123'456] = NAN;
  const Tensor left = tensor_of(kFloat32, {300'001}, before);
  const Tensor right = tensor_of(kFloat32, {300'001}, after);
  const Change one = change_of(left.view(), right.view(), false, 1);
  for (const std::uint32_t threads : {2u, 3u, 16u}) {
    const Change many = change_of(left.view(), right.view(), false, threads);
    EXPECT_EQ(many.relative, one.relative);
    EXPECT_EQ(many.relative_of_changed, one.relative_of_changed);
    EXPECT_EQ(many.changed, one.changed);
    EXPECT_EQ(many.not_finite, 1);
  }
}

TEST(UsualChange, IsThatOfTheWholeTensor) {
  const auto [before, after] = many_numbers(2'000'000);
  const Tensor left = tensor_of(kFloat32, {2'000'000}, before);
  const Tensor right = tensor_of(kFloat32, {2'000'000}, after);
  const double exact = change_of(left.view(), right.view(), false).relative_of_changed;
  EXPECT_NEAR(usual_change(left.view(), right.view()), exact, 0.01 * exact);
}

TEST(UsualChange, LooksAtEverythingWhereTheSampleHoldsNothing) {
  const std::vector<float> before(2'000'000, 1.0f);
  std::vector<float> after = before;
  after[5000] = 2;
  const Tensor left = tensor_of(kFloat32, {2'000'000}, before);
  const Tensor right = tensor_of(kFloat32, {2'000'000}, after);
  EXPECT_EQ(usual_change(left.view(), right.view()), 1);
}

// W15
TEST(SignificantBits, AreScaleFree) {
  EXPECT_NEAR(significant_bits(1e-3 / 1e3), 19.93, 0.01);
  EXPECT_EQ(significant_bits(1), 0);
  EXPECT_EQ(significant_bits(NAN), 0);
  EXPECT_EQ(significant_bits(0), 1074);
}

TEST(UnitRoundoff, IsHalfTheSpacingAtOne) {
  EXPECT_EQ(unit_roundoff(kFloat16), 0x1p-11);
  EXPECT_EQ(unit_roundoff(kBFloat16), 0x1p-8);
  EXPECT_EQ(unit_roundoff(kFloat32), 0x1p-24);
  EXPECT_EQ(unit_roundoff(kComplex128), 0x1p-53);
  EXPECT_EQ(unit_roundoff(kInt64), 0);
}

}  // namespace
}  // namespace assay::testing
