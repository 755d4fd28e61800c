// One rounding from the reference's type to the output's.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "judge/rounding.hpp"
#include "judge_support.hpp"

namespace assay {
namespace {

using judge_testing::row;

double rounded(double value, assay_dtype dtype) { return round_to(row(kFloat64, {value}), dtype)->view().number_at(0); }

TEST(Rounding, IsToNearestEvenInEveryType) {
  EXPECT_EQ(rounded(1 + 0x1p-24, kFloat32), 1);
  EXPECT_EQ(rounded(1 + 3 * 0x1p-24, kFloat32), 1 + 0x1p-22);
  EXPECT_EQ(rounded(1 + 0x1p-11, kFloat16), 1);
  EXPECT_EQ(rounded(1 + 3 * 0x1p-11, kFloat16), 1 + 0x1p-9);
  EXPECT_EQ(rounded(4449, kFloat16), 4448);
  EXPECT_EQ(rounded(1 + 0x1p-8, kBFloat16), 1);
  EXPECT_EQ(rounded(-(1 + 3 * 0x1p-8), kBFloat16), -(1 + 0x1p-6));
  EXPECT_EQ(rounded(17, kFloat8E4M3FN), 16);
  EXPECT_EQ(rounded(19, kFloat8E4M3FN), 20);
  EXPECT_EQ(rounded(9, kFloat8E5M2), 8);
}

TEST(Rounding, HappensOnce) {
  // By way of float32 this would become a tie and round to 1.
  EXPECT_EQ(rounded(1 + 0x1p-11 + 0x1p-40, kFloat16), 1 + 0x1p-10);
  EXPECT_EQ(rounded(1 + 0x1p-8 + 0x1p-40, kBFloat16), 1 + 0x1p-7);
}

TEST(Rounding, AgreesWithTheSdkOverTheWholeRange) {
  std::vector<double> values;
  for (int exponent = -30; exponent <= 17; ++exponent) {
    for (int i = 0; i < 500; ++i) values.push_back(std::ldexp(1 + i / 499.5, exponent) * (i % 2 == 0 ? 1 : -1));
  }
  const Tensor wide = row(kFloat64, values);
  const auto halves = round_to(wide, kFloat16);
  const auto bfloats = round_to(wide, kBFloat16);
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(halves->view().data_as<std::uint16_t>()[i], double_to_float16(values[i])) << values[i];
    ASSERT_EQ(bfloats->view().data_as<std::uint16_t>()[i], double_to_bfloat16(values[i])) << values[i];
  }
}

TEST(Rounding, OverflowsAndUnderflowsLikeTheType) {
  EXPECT_EQ(rounded(1e60, kFloat32), std::numeric_limits<double>::infinity());
  EXPECT_EQ(rounded(65519, kFloat16), 65504);
  EXPECT_EQ(rounded(65520, kFloat16), std::numeric_limits<double>::infinity());
  EXPECT_EQ(rounded(0x1p-24, kFloat16), 0x1p-24);
  EXPECT_EQ(rounded(0x1p-26, kFloat16), 0);
  EXPECT_EQ(rounded(1e-45, kFloat32), 0x1p-149);
  EXPECT_TRUE(std::isnan(rounded(std::nan(""), kBFloat16)));
  EXPECT_TRUE(std::signbit(rounded(-0.0, kFloat16)));
}

TEST(Rounding, TakesComplexNumbersPartByPart) {
  const auto out = round_to(judge_testing::complex_row(kComplex128, {{1 + 0x1p-24, -1e60}}), kComplex64);
  ASSERT_TRUE(out);
  EXPECT_EQ(out->view().number_at(0), 1);
  EXPECT_EQ(out->view().imaginary_at(0), -std::numeric_limits<double>::infinity());
}

TEST(Rounding, FollowsStrides) {
  const Tensor base = row(kFloat64, {1, 2, 3, 4, 5, 6});
  const Tensor column =
      Tensor::wrap(const_cast<void*>(base.view().data()), kFloat64, {3}, {2}, std::make_shared<Tensor>(base), true);
  for (const assay_dtype dtype : {kFloat32, kFloat16}) {
    const auto out = round_to(column, dtype);
    ASSERT_TRUE(out);
    EXPECT_EQ(out->view().number_at(1), 3) << dtype_name(dtype);
    EXPECT_EQ(out->view().number_at(2), 5) << dtype_name(dtype);
  }
}

TEST(Rounding, IsRefusedWhereTheReferenceIsNotWider) {
  EXPECT_TRUE(widens(kFloat16, kFloat32));
  EXPECT_TRUE(widens(kBFloat16, kFloat32));
  EXPECT_TRUE(widens(kFloat8E5M2, kFloat16));
  EXPECT_FALSE(widens(kFloat16, kBFloat16));
  EXPECT_FALSE(widens(kBFloat16, kFloat16));
  EXPECT_FALSE(widens(kFloat32, kFloat16));
  EXPECT_FALSE(widens(kFloat32, kComplex64));
  EXPECT_FALSE(widens(kInt32, kInt64));
  EXPECT_TRUE(widens(kInt32, kInt32));
  EXPECT_FALSE(round_to(row(kFloat32, {1}), kFloat64));
}

}  // namespace
}  // namespace assay
