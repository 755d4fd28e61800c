#include <gtest/gtest.h>

#include <cmath>

#include "support/perturbation_bits.hpp"
#include "support/perturbation_under_test.hpp"

namespace assay::testing {
namespace {

constexpr char kId[] = "assay.improve-precision";
constexpr char kCompat[] = R"({"compat": "msprobe"})";

TEST(ImprovePrecision, WidensToTheBitsOfPyTorch) {
  PerturbationUnderTest improve(kId);
  for (const PerturbationBits& row : kPerturbationBits) {
    if (row.dtype == kFloat64) continue;
    SCOPED_TRACE(dtype_name(row.dtype));
    const Tensor input = tensor_of_bits(row.dtype, {static_cast<std::int64_t>(row.input.size())}, row.input);
    const Perturbed result = improve.apply(input);
    EXPECT_EQ(dtype_name(result.output.dtype()), dtype_name(row.wide_dtype));
    EXPECT_EQ(bits_of(result.output), row.widened);
    EXPECT_EQ(result.changed, 0u);
  }
}

TEST(ImprovePrecision, WidensEveryPatternOfTheNarrowTypesExactly) {
  PerturbationUnderTest improve(kId);
  for (const assay_dtype dtype : {kFloat16, kBFloat16, kFloat8E4M3FN, kFloat8E5M2}) {
    SCOPED_TRACE(dtype_name(dtype));
    std::vector<std::uint64_t> bits;
    for (std::uint64_t i = 0; i < (std::uint64_t{1} << dtype.bits); ++i) bits.push_back(i);
    const Tensor input = tensor_of_bits(dtype, {static_cast<std::int64_t>(bits.size())}, bits);
    const Tensor output = improve.apply(input).output;
    for (std::int64_t i = 0; i < input.numel(); ++i) {
      const double before = input.view().number_at(i);
      const double after = output.view().number_at(i);
      ASSERT_TRUE(before == after || (before != before && after != after)) << i << ": " << before << " became " << after;
      ASSERT_EQ(std::signbit(before), std::signbit(after)) << i;
    }
  }
}

TEST(ImprovePrecision, PlansTheNextWiderType) {
  struct Row {
    assay_dtype from;
    assay_dtype to;
    bool compat;
  };
  for (const Row& row : std::vector<Row>{{kFloat16, kFloat32, true},
                                         {kBFloat16, kFloat32, true},
                                         {kFloat32, kFloat64, false},
                                         {kFloat8E5M2, kFloat32, false},
                                         {kComplex32, kComplex64, false},
                                         {kComplex64, kComplex128, false}}) {
    const Tensor input = Tensor::allocate(row.from, {2});
    EXPECT_EQ(dtype_name(PerturbationUnderTest(kId).planned_dtype(input)), dtype_name(row.to));
    EXPECT_EQ(PerturbationUnderTest(kId, kCompat).refusal(input).empty(), row.compat) << dtype_name(row.from);
  }
  for (const assay_dtype dtype : {kFloat64, kComplex128, kInt32, kBool}) {
    EXPECT_NE(PerturbationUnderTest(kId).refusal(Tensor::allocate(dtype, {2})), "") << dtype_name(dtype);
  }
}

TEST(ImprovePrecision, IsMeantForAllInputs) {
  EXPECT_EQ(PerturbationUnderTest(kId).flags(), std::uint32_t{ASSAY_PERTURBATION_ALL_INPUTS});
}

}  // namespace
}  // namespace assay::testing
