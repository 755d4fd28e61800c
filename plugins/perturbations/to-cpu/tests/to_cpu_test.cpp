#include <gtest/gtest.h>

#include "support/perturbation_bits.hpp"
#include "support/perturbation_under_test.hpp"

namespace assay::testing {
namespace {

constexpr char kId[] = "assay.to-cpu";
constexpr char kCompat[] = R"({"compat": "msprobe"})";

TEST(ToCpu, GivesTheReferenceKernelsType) {
  struct Row {
    assay_dtype from;
    assay_dtype to;
    assay_dtype compat;
  };
  for (const Row& row : std::vector<Row>{{kFloat16, kFloat32, kFloat32},
                                         {kBFloat16, kFloat32, kFloat32},
                                         {kFloat32, kFloat64, kFloat32},
                                         {kFloat64, kFloat64, kFloat64},
                                         {kInt64, kInt64, kInt64},
                                         {kBool, kBool, kBool},
                                         {kComplex64, kComplex128, kComplex64}}) {
    const Tensor input = Tensor::allocate(row.from, {2});
    EXPECT_EQ(dtype_name(PerturbationUnderTest(kId).planned_dtype(input)), dtype_name(row.to)) << dtype_name(row.from);
    EXPECT_EQ(dtype_name(PerturbationUnderTest(kId, kCompat).planned_dtype(input)), dtype_name(row.compat));
  }
}

TEST(ToCpu, KeepsTheValues) {
  for (const PerturbationBits& row : kPerturbationBits) {
    SCOPED_TRACE(dtype_name(row.dtype));
    const Tensor input = tensor_of_bits(row.dtype, {static_cast<std::int64_t>(row.input.size())}, row.input);
    const Perturbed ours = PerturbationUnderTest(kId).apply(input);
    EXPECT_EQ(bits_of(ours.output), row.dtype == kFloat64 ? row.input : row.widened);
    EXPECT_EQ(ours.changed, 0u);
    const Perturbed compat = PerturbationUnderTest(kId, kCompat).apply(input);
    EXPECT_EQ(bits_of(compat.output), row.dtype == kFloat16 || row.dtype == kBFloat16 ? row.widened : row.input);
  }
}

TEST(ToCpu, PlansDeviceTensorsAndSaysThatItCantReadThem) {
  const PerturbationUnderTest to_cpu(kId);
  Tensor input = Tensor::allocate(kFloat16, {2});
  input.abi().dl.device = {ASSAY_DEVICE_EXTENSION, 3};
  EXPECT_EQ(dtype_name(to_cpu.planned_dtype(input)), "float32");
  Tensor output = Tensor::allocate(kFloat32, {2});
  std::uint64_t changed = 0;
  ErrorSlot error;
  EXPECT_EQ(to_cpu.table().apply(to_cpu.instance(), &input.abi(), 0, 1, &output.abi(), &changed, error.get()), ASSAY_UNSUPPORTED);
  EXPECT_NE(error.message().find("12:3"), std::string::npos) << error.message();
}

}  // namespace
}  // namespace assay::testing
