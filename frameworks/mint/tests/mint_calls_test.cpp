// Forward calls on a real MindSpore, through the C ABI.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mint_adapter.hpp"

namespace assay::bridge {
namespace {

using Numbers = std::vector<double>;
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(MintCalls, DescribesMindSpore) {
  ASSERT_EQ(mint().status(), ASSAY_OK) << mint().message();
  const assay_adapter_info info = mint().describe();
  EXPECT_STREQ(info.framework, "MindSpore");
  EXPECT_NE(std::string(info.details).find(ASSAY_MINT_PYTHON), std::string::npos) << info.details;
  ASSERT_EQ(info.device_count, 1u);
  EXPECT_EQ(info.devices[0].type, ASSAY_DEVICE_CPU);
}

TEST(MintCalls, RunsForward) {
  const Outcome sum = mint().invoke({"Mint.add", {tensor<float>({2, 2}, {1, 2, 3, 4}), tensor<float>({2}, {10, 20})}});
  EXPECT_EQ(numbers(sum.output(0)), (Numbers{11, 22, 13, 24}));
  EXPECT_EQ(shape_of(sum.output(0)), (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(sum.results().mutated_count, 0u);
}

TEST(MintCalls, TakesKeywordsListsAndMethods) {
  const Value x = tensor<float>({2}, {1, 2});
  const Value y = tensor<float>({2}, {3, 4});
  EXPECT_EQ(numbers(mint().invoke({"Mint.add", {x}, {{"other", y}, {"alpha", std::int64_t{2}}}}).output(0)), (Numbers{7, 10}));
  EXPECT_EQ(numbers(mint().invoke({"Mint.cat", {List{{x, y}}}, {{"dim", std::int64_t{0}}}}).output(0)), (Numbers{1, 2, 3, 4}));
  EXPECT_EQ(numbers(mint().invoke({"Tensor.sin", {tensor<float>({1}, {0})}}).output(0)), (Numbers{0}));
  EXPECT_EQ(numbers(mint().invoke({"MintFunctional.relu", {tensor<float>({2}, {-1, 2})}}).output(0)), (Numbers{0, 2}));
}

TEST(MintCalls, EveryRecordedDtypeGoesThereAndBackBitForBit) {
  for (const assay_dtype dtype : {kFloat16, kBFloat16, kFloat32, kFloat64, kInt8, kInt16, kInt32, kInt64, kUInt8, kUInt16, kUInt32,
                                  kUInt64, kBool, kComplex64, kComplex128}) {
    std::vector<std::uint8_t> bytes(4 * dtype_size(dtype));
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = dtype == kBool ? i % 2 : static_cast<std::uint8_t>(31 * i + 3);
    const Value x = tensor<std::uint8_t>({2, 2}, bytes, dtype);
    const Outcome back = mint().invoke({"Tensor.reshape", {x, std::int64_t{4}}});
    ASSERT_EQ(back.status, ASSAY_OK) << dtype_name(dtype) << ": " << back.message;
    EXPECT_EQ(dtype_of(back.output(0)), dtype_name(dtype));
    EXPECT_EQ(bytes_of(back.output(0)), std::string(bytes.begin(), bytes.end())) << dtype_name(dtype);
  }
}

TEST(MintCalls, BFloat16IsComputedAsBFloat16) {
  // 0x3f80 is 1, 0x3b80 is 2^-8: the sum rounds to 1 in bfloat16 and to something else in any wider type.
  const Value one = tensor<std::uint16_t>({2}, {0x3f80, 0x0001}, kBFloat16);
  const Value tiny = tensor<std::uint16_t>({2}, {0x3b80, 0x0000}, kBFloat16);
  const Outcome sum = mint().invoke({"Mint.add", {one, tiny}});
  EXPECT_EQ(dtype_of(sum.output(0)), "bfloat16");
  EXPECT_EQ(bytes_of(sum.output(0)).substr(0, 2), std::string("\x80\x3f"));
}

TEST(MintCalls, ScalarsAndEmptyTensorsWork) {
  EXPECT_EQ(numbers(mint().invoke({"Mint.add", {tensor<float>({}, {5}), 1.0}}).output(0)), (Numbers{6}));
  const Outcome empty = mint().invoke({"Mint.add", {tensor<float>({0, 3}, {}), 1.0}});
  EXPECT_EQ(shape_of(empty.output(0)), (std::vector<std::int64_t>{0, 3}));
}

TEST(MintCalls, PythonNumbersAndTuplesAreOutputs) {
  const Value x = tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(mint().invoke({"Tensor.numel", {x}}).output(0).as.integer, 6);
  EXPECT_EQ(mint().invoke({"Tensor.size", {x}}).output(0).as.integer, 6);
  const Outcome shape = mint().invoke({"Tensor.shape", {x}});
  ASSERT_EQ(shape.results().output_count, 2u);
  EXPECT_EQ(shape.output(1).as.integer, 3);
  EXPECT_EQ(mint().invoke({"Tensor.item", {tensor<float>({1}, {2.5})}}).output(0).as.real, 2.5);
  EXPECT_EQ(mint().invoke({"Tensor.is_contiguous", {x}}).output(0).as.boolean, 1);
  const Outcome list = mint().invoke({"Tensor.tolist", {x}});
  ASSERT_EQ(list.results().output_count, 2u);
  EXPECT_EQ(list.output(1).as.sequence.items[2].as.real, 6);
  EXPECT_EQ(numbers(mint().invoke({"Tensor.numpy", {x}}).output(0)), (Numbers{1, 2, 3, 4, 5, 6}));
}

TEST(MintCalls, DtypesAreArguments) {
  const Value x = tensor<float>({2}, {1.5, 2});
  EXPECT_EQ(dtype_of(mint().invoke({"Tensor.to", {x, kFloat16}}).output(0)), "float16");
  EXPECT_EQ(dtype_of(mint().invoke({"Mint.sum", {x}, {{"dtype", kFloat64}}}).output(0)), "float64");
  EXPECT_EQ(mint().invoke({"Tensor.to", {x, kComplex32}}).status, ASSAY_UNSUPPORTED);
}

TEST(MintCalls, ViewsComeBackCompact) {
  const Value x = tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(numbers(mint().invoke({"Mint.transpose", {x, std::int64_t{0}, std::int64_t{1}}}).output(0)),
            (Numbers{1, 4, 2, 5, 3, 6}));
  const Value half = tensor<std::uint16_t>({2, 2}, {1, 2, 3, 4}, kBFloat16);
  const Outcome turned = mint().invoke({"Mint.transpose", {half, std::int64_t{0}, std::int64_t{1}}});
  EXPECT_EQ(bytes_of(turned.output(0)), std::string("\1\0\3\0\2\0\4\0", 8));
}

TEST(MintCalls, PrecisionConvertsEveryFloatingArgument) {
  const Value x = tensor<std::uint16_t>({2}, {0x3c00, 0x4000}, kFloat16);  // 1 and 2
  const CallSpec spec{"Mint.cat", {List{{x, x}}}};
  EXPECT_EQ(dtype_of(mint().invoke(spec).output(0)), "float16");
  for (const auto& [precision, name] :
       {std::pair(ASSAY_PRECISION_FLOAT32, "float32"), std::pair(ASSAY_PRECISION_FLOAT64, "float64")}) {
    CallSpec raised = spec;
    raised.precision = precision;
    const Outcome outcome = mint().invoke(raised);
    EXPECT_EQ(dtype_of(outcome.output(0)), name);
    EXPECT_EQ(numbers(outcome.output(0)), (Numbers{1, 2, 1, 2}));
  }
  CallSpec integers{"Mint.add", {tensor<std::int64_t>({1}, {1}), tensor<std::int64_t>({1}, {2})}};
  integers.precision = ASSAY_PRECISION_FLOAT64;
  EXPECT_EQ(dtype_of(mint().invoke(integers).output(0)), "int64");
}

TEST(MintCalls, AnArgumentChangedInPlaceIsReported) {
  const Value x = tensor<float>({3}, {1, 2, 3});
  const Outcome copied = mint().invoke({"Tensor.copy_", {x, tensor<float>({3}, {7, 8, 9})}});
  ASSERT_EQ(copied.status, ASSAY_OK) << copied.message;
  ASSERT_NE(copied.mutated("0"), nullptr);
  EXPECT_EQ(numbers(*copied.mutated("0")), (Numbers{7, 8, 9}));
  EXPECT_EQ(copied.mutated("1"), nullptr);
  EXPECT_EQ(x.as<Tensor>().view().number_at(0), 1);
  EXPECT_EQ(numbers(mint().invoke({"Mint.add", {x, 0.0}}).output(0)), (Numbers{1, 2, 3}));
}

TEST(MintCalls, AMissingKernelIsUnsupportedWithMindSporesReason) {
  const Outcome missing = mint().invoke({"Mint.topk", {tensor<float>({3}, {1, 2, 3}), std::int64_t{1}}});
  EXPECT_EQ(missing.status, ASSAY_UNSUPPORTED);
  EXPECT_EQ(missing.message, "The kernel TopkExt unregistered.");
  EXPECT_EQ(mint().invoke({"Mint.einsum", {std::string("i,i->i"), tensor<float>({1}, {1}), tensor<float>({1}, {1})}}).status,
            ASSAY_UNSUPPORTED);
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(numbers(mint().invoke({"Mint.add", {tensor<float>({1}, {1}), 1.0}}).output(0)), (Numbers{2}));
}

TEST(MintCalls, RefusedArgumentsAreInvalid) {
  const Outcome refused =
      mint().invoke({"Mint.matmul", {tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}), tensor<float>({2, 2}, {1, 2, 3, 4})}});
  EXPECT_EQ(refused.status, ASSAY_INVALID_ARGUMENT);
  EXPECT_EQ(refused.message.find('\n'), std::string::npos);
  EXPECT_EQ(mint().invoke({"Mint.no_such_function", {}}).status, ASSAY_NOT_FOUND);
  EXPECT_EQ(mint().invoke({"Mint.add", {tensor<float>({1}, {1}), std::string("text")}}).status, ASSAY_INVALID_ARGUMENT);
}

TEST(MintCalls, TheSameSeedGivesTheSameRandomNumbers) {
  const auto draw = [](std::uint64_t seed) {
    CallSpec spec{"Functional.dropout", {tensor<float>({64}, std::vector<float>(64, 1.0f)), 0.5}};
    spec.seed = seed;
    const Outcome outcome = mint().invoke(spec);
    return outcome.status == ASSAY_OK ? numbers(outcome.output(0)) : Numbers{};
  };
  const Numbers first = draw(1);
  ASSERT_EQ(first.size(), 64u);
  EXPECT_EQ(draw(1), first);
  EXPECT_NE(draw(2), first);
  EXPECT_EQ(draw(1), first);
}

TEST(MintCalls, TheSameCallTwiceGivesTheSameBits) {
  std::vector<float> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<float>(i));
  for (const char* api : {"Mint.sum", "Mint.exp", "MintFunctional.softplus", "Mint.tanh"}) {
    const CallSpec spec{api, {tensor<float>({1000}, values)}};
    const Outcome first = mint().invoke(spec);
    const Outcome second = mint().invoke(spec);
    ASSERT_EQ(first.status, ASSAY_OK) << api << ": " << first.message;
    EXPECT_EQ(bytes_of(first.output(0)), bytes_of(second.output(0))) << api;
  }
}

TEST(MintCalls, SpecialValuesPassThroughUnchanged) {
  const Outcome negated = mint().invoke({"Mint.neg", {tensor<float>({4}, {kInf, -kInf, kNan, 0})}});
  const Numbers out = numbers(negated.output(0));
  EXPECT_EQ(out[0], -kInf);
  EXPECT_EQ(out[1], kInf);
  EXPECT_TRUE(std::isnan(out[2]));
  EXPECT_TRUE(std::signbit(out[3]));
}

TEST(MintCalls, ReciprocalOverflowsToInfinityInItsGradient) {
  const Value x = tensor<float>({2}, {1e-3f, 1e-30f});
  const Numbers forward = numbers(mint().invoke({"Mint.reciprocal", {x}}).output(0));
  EXPECT_NEAR(forward[0], 1e3, 1e-3);
  EXPECT_NEAR(forward[1] / 1e30, 1, 1e-6);
  const Outcome backward = mint().invoke({"Mint.reciprocal", {x}, {}, {tensor<float>({2}, {1, 1})}});
  ASSERT_NE(backward.gradient("0"), nullptr);
  EXPECT_NEAR(numbers(*backward.gradient("0"))[0], -1e6, 1);
  EXPECT_EQ(numbers(*backward.gradient("0"))[1], -kInf);
}

}  // namespace
}  // namespace assay::bridge
