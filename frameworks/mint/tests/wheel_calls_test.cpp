// The same bridge over PyTorch in Python: another framework by configuration alone.
#include <gtest/gtest.h>

#include "adapter_under_test.hpp"

namespace assay::bridge {
namespace {

using Numbers = std::vector<double>;

AdapterUnderTest& wheel() {
  static AdapterUnderTest adapter("assay.python-torch", R"({"python": ")" ASSAY_WHEEL_PYTHON R"("})");
  return adapter;
}

Numbers gradient(const Outcome& outcome, const std::string& path) {
  const assay_value* const value = outcome.gradient(path);
  return value == nullptr || value->kind != ASSAY_VALUE_TENSOR ? Numbers{} : numbers(*value);
}

TEST(WheelCalls, DescribesPyTorch) {
  ASSERT_EQ(wheel().status(), ASSAY_OK) << wheel().message();
  EXPECT_STREQ(wheel().describe().framework, "PyTorch");
}

TEST(WheelCalls, RunsFunctionsMethodsAndNamespaces) {
  const Value x = tensor<float>({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(numbers(wheel().invoke({"Torch.add", {x, x}}).output(0)), (Numbers{2, 4, 6, 8}));
  EXPECT_EQ(numbers(wheel().invoke({"Functional.relu", {tensor<float>({2}, {-1, 2})}}).output(0)), (Numbers{0, 2}));
  EXPECT_EQ(numbers(wheel().invoke({"Tensor.__mul__", {x, 2.0}}).output(0)), (Numbers{2, 4, 6, 8}));
  EXPECT_EQ(wheel().invoke({"Torch.fft.rfft", {tensor<float>({4}, {1, 0, 0, 0})}}).status, ASSAY_OK);
  EXPECT_NEAR(numbers(wheel().invoke({"Torch.det", {x}}).output(0))[0], -2, 1e-5);
  EXPECT_EQ(numbers(wheel().invoke({"Torch.einsum", {std::string("ij->ji"), x}}).output(0)), (Numbers{1, 3, 2, 4}));
  EXPECT_EQ(wheel().invoke({"Torch.topk", {tensor<float>({3}, {1, 3, 2}), std::int64_t{2}}}).results().output_count, 2u);
}

TEST(WheelCalls, WhatReadsOrRunsFilesIsOutOfReach) {
  for (const char* api : {"Torch.load", "Torch.save", "Torch.hub.load", "Torch.os.system", "Torch.compile",
                          "Torch.serialization.load", "Functional.torch.load", "Torch.import_ir_module", "Torch.__init__",
                          "Tensor.__reduce_ex__", "Tensor.__setstate__", "Tensor.__getattribute__"}) {
    EXPECT_EQ(wheel().supports(api).status, ASSAY_NOT_FOUND) << api;
  }
  EXPECT_EQ(wheel().supports("Torch.from_file").status, ASSAY_UNSUPPORTED);
}

TEST(WheelCalls, EveryDtypeGoesThereAndBackBitForBit) {
  for (const DTypeName& entry : kDTypeNames) {
    std::vector<std::uint8_t> bytes(4 * dtype_size(entry.dtype));
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = entry.dtype == kBool ? i % 2 : static_cast<std::uint8_t>(31 * i + 3);
    const Outcome back = wheel().invoke({"Tensor.reshape", {tensor<std::uint8_t>({2, 2}, bytes, entry.dtype), std::int64_t{4}}});
    ASSERT_EQ(back.status, ASSAY_OK) << entry.name << ": " << back.message;
    EXPECT_EQ(dtype_of(back.output(0)), entry.name);
    EXPECT_EQ(bytes_of(back.output(0)), std::string(bytes.begin(), bytes.end())) << entry.name;
  }
}

TEST(WheelCalls, ArgumentsChangedInPlaceAreReported) {
  const Value x = tensor<float>({2}, {1, 2});
  const Outcome scaled = wheel().invoke({"Tensor.mul_", {x, 3.0}});
  ASSERT_NE(scaled.mutated("0"), nullptr) << scaled.message;
  EXPECT_EQ(numbers(*scaled.mutated("0")), (Numbers{3, 6}));
  EXPECT_EQ(x.as<Tensor>().view().number_at(0), 1);
  const Outcome resized = wheel().invoke({"Tensor.unsqueeze_", {x, std::int64_t{0}}});
  ASSERT_NE(resized.mutated("0"), nullptr) << resized.message;
  EXPECT_EQ(shape_of(*resized.mutated("0")), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(wheel().invoke({"Torch.add", {x, x}}).results().mutated_count, 0u);
}

TEST(WheelCalls, BackwardGivesGradientsByArgumentPath) {
  const Value x = tensor<float>({2}, {1, 2});
  const Value y = tensor<float>({2}, {3, 4});
  const Value ones = tensor<float>({2}, {1, 1});
  EXPECT_EQ(gradient(wheel().invoke({"Torch.mul", {x, y}, {}, {ones}}), "1"), (Numbers{1, 2}));
  const Outcome joined = wheel().invoke({"Torch.cat", {List{{x, y}}}, {}, {tensor<float>({4}, {1, 2, 3, 4})}});
  EXPECT_EQ(gradient(joined, "0.1"), (Numbers{3, 4}));
  EXPECT_EQ(gradient(wheel().invoke({"Tensor.mul_", {x, y}, {}, {ones}}), "0"), (Numbers{3, 4}));
  const Outcome values = wheel().invoke({"Torch.topk", {x, std::int64_t{1}}, {}, {tensor<float>({1}, {5}), None{}}});
  EXPECT_EQ(gradient(values, "0"), (Numbers{0, 5}));
}

TEST(WheelCalls, ATensorThatTheGradientDoesNotReachHasNone) {
  const Value x = tensor<float>({2}, {1, 2});
  const Outcome filled = wheel().invoke({"Torch.where", {tensor<std::uint8_t>({2}, {1, 1}, kBool), x, x}, {}, {x}});
  EXPECT_EQ(gradient(filled, "1"), (Numbers{1, 2}));
  const Outcome unreached = wheel().invoke({"Tensor.expand_as", {x, x}, {}, {x}});
  ASSERT_NE(unreached.gradient("1"), nullptr);
  EXPECT_EQ(unreached.gradient("1")->kind, ASSAY_VALUE_NONE);
}

TEST(WheelCalls, PrecisionRaisesArgumentsAndGradients) {
  const Value two = tensor<std::uint16_t>({1}, {0x4000}, kFloat16);
  CallSpec spec{"Torch.mul", {two, two}, {}, {two}};
  spec.precision = ASSAY_PRECISION_FLOAT64;
  const Outcome product = wheel().invoke(spec);
  ASSERT_EQ(product.status, ASSAY_OK) << product.message;
  EXPECT_EQ(dtype_of(*product.gradient("0")), "float64");
  CallSpec narrowed{"Tensor.to", {two, kFloat16}, {}, {two}};
  narrowed.precision = ASSAY_PRECISION_FLOAT64;
  EXPECT_EQ(wheel().invoke(narrowed).status, ASSAY_OK);
}

TEST(WheelCalls, AMissingKernelIsUnsupported) {
  const Value x = tensor<std::int64_t>({3}, {1, 2, 3});
  const Outcome missing = wheel().invoke({"Torch.histc", {x, std::int64_t{3}}});
  EXPECT_EQ(missing.status, ASSAY_UNSUPPORTED) << missing.message;
}

}  // namespace
}  // namespace assay::bridge
