// Values and tensors there and back, with nothing but the system's python3.
#include <gtest/gtest.h>

#include <array>

#include "plain_adapter.hpp"

namespace assay::bridge {
namespace {

class BridgeValues : public testing::Test {
 protected:
  PlainAdapter adapter_;
};

/// The items of a list or tuple value.
std::vector<assay_value> items(const assay_value& value) {
  return {value.as.sequence.items, value.as.sequence.items + value.as.sequence.size};
}

TEST_F(BridgeValues, NumbersComeBack) {
  EXPECT_EQ(adapter_.invoke({"Plain.add", {std::int64_t{2}, std::int64_t{40}}}).output(0).as.integer, 42);
  EXPECT_EQ(adapter_.invoke({"Plain.add", {0.5, 0.25}}).output(0).as.real, 0.75);
  const Outcome sum = adapter_.invoke({"Plain.add", {std::complex<double>(1, 2), 1.0}});
  EXPECT_EQ(sum.output(0).kind, ASSAY_VALUE_COMPLEX);
  EXPECT_EQ(sum.output(0).as.complex.imag, 2.0);
  EXPECT_EQ(adapter_.invoke({"Plain.add", {INT64_MIN, std::int64_t{0}}}).output(0).as.integer, INT64_MIN);
}

TEST_F(BridgeValues, EveryKindComesBack) {
  const assay_slice slice{1, 0, -2, ASSAY_SLICE_START | ASSAY_SLICE_STEP, 0};
  const Outcome all = adapter_.invoke(
      {"Plain.arguments",
       {None{}, true, std::string("text \xc3\xa9"), kBFloat16, slice, Ellipsis{}, List{{std::int64_t{1}, List{{2.0}}}},
        Tuple{{std::int64_t{3}}}, Dict{{{"key", std::string("value")}}}, MemoryFormat{"channels_last"}},
       {{"named", std::int64_t{7}}}});
  ASSERT_EQ(all.status, ASSAY_OK) << all.message;
  ASSERT_EQ(all.results().output_count, 11u);
  EXPECT_EQ(all.output(0).kind, ASSAY_VALUE_NONE);
  EXPECT_EQ(all.output(1).as.boolean, 1);
  EXPECT_EQ(std::string(all.output(2).as.string.data, all.output(2).as.string.size), "text \xc3\xa9");
  EXPECT_TRUE(all.output(3).as.dtype == kBFloat16);
  EXPECT_EQ(all.output(4).as.slice.present, slice.present);
  EXPECT_EQ(all.output(4).as.slice.step, -2);
  EXPECT_EQ(all.output(5).kind, ASSAY_VALUE_ELLIPSIS);
  EXPECT_EQ(items(items(all.output(6))[1])[0].as.real, 2.0);
  EXPECT_EQ(all.output(7).kind, ASSAY_VALUE_TUPLE);
  EXPECT_STREQ(all.output(8).as.dict.items[0].name, "key");
  EXPECT_EQ(std::string(all.output(9).as.string.data, all.output(9).as.string.size), "channels_last");
  EXPECT_STREQ(all.output(10).as.dict.items[0].name, "named");
}

TEST_F(BridgeValues, DepthOfFourHundredPasses) {
  EXPECT_EQ(adapter_.invoke({"Plain.nested", {std::int64_t{398}}}).status, ASSAY_OK);
}

TEST_F(BridgeValues, TensorsOfEveryDtypeComeBackBitForBit) {
  for (const DTypeName& entry : kDTypeNames) {
    std::vector<std::uint8_t> bytes(6 * dtype_size(entry.dtype));
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(7 * i + 1);
    const Outcome back = adapter_.invoke({"Plain.arguments", {tensor<std::uint8_t>({2, 3}, bytes, entry.dtype)}});
    ASSERT_EQ(back.status, ASSAY_OK) << entry.name << ": " << back.message;
    EXPECT_EQ(dtype_of(back.output(0)), entry.name);
    EXPECT_EQ(shape_of(back.output(0)), (std::vector<std::int64_t>{2, 3}));
    EXPECT_EQ(bytes_of(back.output(0)), std::string(bytes.begin(), bytes.end()));
  }
}

TEST_F(BridgeValues, ScalarsAndEmptyTensorsKeepTheirShape) {
  EXPECT_EQ(shape_of(adapter_.invoke({"Plain.arguments", {tensor<float>({}, {5})}}).output(0)), (std::vector<std::int64_t>{}));
  const Outcome empty = adapter_.invoke({"Plain.arguments", {tensor<float>({0, 3}, {})}});
  EXPECT_EQ(shape_of(empty.output(0)), (std::vector<std::int64_t>{0, 3}));
}

TEST_F(BridgeValues, StridedTensorsArriveRowMajor) {
  std::array<float, 7> memory{-1, 0, 1, 2, 3, 4, 5};
  const auto view = [&](std::vector<std::int64_t> shape, std::vector<std::int64_t> strides, std::size_t start) {
    return Value(Tensor::wrap(memory.data() + start, kFloat32, std::move(shape), std::move(strides), nullptr, true));
  };
  const auto back = [&](const Value& value) { return numbers(adapter_.invoke({"Plain.arguments", {value}}).output(0)); };
  using Numbers = std::vector<double>;
  EXPECT_EQ(back(view({3, 2}, {1, 3}, 1)), (Numbers{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(back(view({4}, {-1}, 6)), (Numbers{5, 4, 3, 2}));
  EXPECT_EQ(back(view({2, 2}, {0, 1}, 1)), (Numbers{0, 1, 0, 1}));
  EXPECT_EQ(back(view({2, 3}, {3, 1}, 1)), (Numbers{0, 1, 2, 3, 4, 5}));
}

TEST_F(BridgeValues, UnalignedTensorsAndByteOffsetsWork) {
  std::vector<char> memory(64, 0);
  const float wanted = 2.5f;
  std::memcpy(memory.data() + 5, &wanted, sizeof wanted);
  Tensor odd = Tensor::wrap(memory.data() + 1, kFloat32, {1}, {}, nullptr, true);
  odd.abi().dl.byte_offset = 4;
  EXPECT_EQ(numbers(adapter_.invoke({"Plain.arguments", {odd}}).output(0)), (std::vector<double>{2.5}));
}

TEST_F(BridgeValues, WhatCannotBeSharedIsRefusedBeforeTheCall) {
  Tensor elsewhere = Tensor::allocate(kFloat32, {1});
  elsewhere.abi().dl.device = {ASSAY_DEVICE_CUDA, 0};
  EXPECT_EQ(adapter_.invoke({"Plain.arguments", {elsewhere}}).status, ASSAY_UNSUPPORTED);
  Tensor unknown = Tensor::allocate(kFloat32, {1});
  unknown.abi().dl.dtype.code = 99;
  EXPECT_EQ(adapter_.invoke({"Plain.arguments", {unknown}}).status, ASSAY_UNSUPPORTED);
  Tensor huge = Tensor::allocate(kFloat32, {1});
  huge.abi().dl.shape[0] = INT64_MAX;
  EXPECT_EQ(adapter_.invoke({"Plain.arguments", {huge}}).status, ASSAY_INVALID_ARGUMENT);
  EXPECT_EQ(adapter_.invoke({"Plain.add", {1.0, 2.0}}).status, ASSAY_OK);
}

TEST_F(BridgeValues, ResultsThatHaveNoValueAreUnsupported) {
  EXPECT_EQ(adapter_.invoke({"Plain.opaque", {}}).status, ASSAY_UNSUPPORTED);
  EXPECT_EQ(adapter_.invoke({"Plain.huge_integer", {}}).status, ASSAY_UNSUPPORTED);
}

TEST_F(BridgeValues, AChangedArgumentIsReportedAndTheCallersMemoryStays) {
  const Value kept = tensor<std::uint8_t>({3}, {1, 2, 3});
  const Value written = tensor<std::uint8_t>({3}, {4, 5, 6});
  const Outcome outcome = adapter_.invoke({"Plain.overwrite", {written, std::int64_t{9}}, {}});
  ASSERT_EQ(outcome.status, ASSAY_OK) << outcome.message;
  ASSERT_NE(outcome.mutated("0"), nullptr);
  EXPECT_EQ(numbers(*outcome.mutated("0")), (std::vector<double>{9, 9, 9}));
  EXPECT_EQ(numbers(outcome.output(0)), (std::vector<double>{9, 9, 9}));
  EXPECT_EQ(written.as<Tensor>().view().number_at(0), 4);
  EXPECT_EQ(adapter_.invoke({"Plain.total", {kept}}).results().mutated_count, 0u);
}

TEST_F(BridgeValues, OnlyTheArgumentThatChangedIsReported) {
  // Both lie in one page of shared memory, one is written with other bytes, one with its own.
  const Value x = tensor<std::uint8_t>({2}, {1, 2});
  EXPECT_EQ(adapter_.invoke({"Plain.same_bytes_again", {x}}).results().mutated_count, 0u);
  const Outcome outcome = adapter_.invoke({"Plain.overwrite", {x, std::int64_t{1}}, {}});
  EXPECT_NE(outcome.mutated("0"), nullptr);
}

TEST_F(BridgeValues, AWriteDoesNotReachTheNextCall) {
  const Value x = tensor<std::uint8_t>({4}, {1, 1, 1, 1});
  EXPECT_EQ(adapter_.invoke({"Plain.overwrite", {x, std::int64_t{200}}}).status, ASSAY_OK);
  EXPECT_EQ(adapter_.invoke({"Plain.total", {x}}).output(0).as.integer, 4);
  EXPECT_EQ(adapter_.invoke({"Plain.overwrite_then_fail", {x, std::int64_t{200}}}).status, ASSAY_INVALID_ARGUMENT);
  EXPECT_EQ(adapter_.invoke({"Plain.total", {x}}).output(0).as.integer, 4);
}

TEST_F(BridgeValues, ResultsOutliveLaterCallsAndTheAdapter) {
  std::vector<Outcome> kept;
  {
    PlainAdapter other;
    for (std::uint8_t i = 0; i < 20; ++i) kept.push_back(other.invoke({"Plain.arguments", {tensor<std::uint8_t>({1}, {i})}}));
  }
  for (std::size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(numbers(kept[i].output(0))[0], static_cast<double>(i));
}

TEST_F(BridgeValues, MemoryIsSharedOnceAndUsedAgain) {
  const Value x = tensor<std::uint8_t>({1000}, std::vector<std::uint8_t>(1000, 1));
  EXPECT_EQ(adapter_.invoke({"Plain.arguments", {x}}).status, ASSAY_OK);
  const std::int64_t before = adapter_.invoke({"Plain.memory_in_use", {}}).output(0).as.integer;
  const std::size_t mine = shared_mappings();
  for (int i = 0; i < 50; ++i) EXPECT_EQ(bytes_of(adapter_.invoke({"Plain.arguments", {x}}).output(0)).size(), 1000u);
  EXPECT_EQ(adapter_.invoke({"Plain.memory_in_use", {}}).output(0).as.integer, before);
  EXPECT_EQ(shared_mappings(), mine);
}

TEST(BridgeMemory, LargeTensorsAreGivenUpAfterTheirCall) {
  PlainAdapter adapter(R"("keep_mib": 1)");
  const Value large = tensor<std::uint8_t>({4 << 20}, std::vector<std::uint8_t>(4 << 20, 3));
  const std::size_t before = shared_mappings();
  {
    const Outcome back = adapter.invoke({"Plain.arguments", {large}});
    EXPECT_EQ(bytes_of(back.output(0)).size(), std::size_t{4} << 20);
  }
  EXPECT_EQ(shared_mappings(), before);
  EXPECT_EQ(adapter.invoke({"Plain.memory_in_use", {}}).output(0).as.integer, 0);
}

TEST(BridgeMemory, TheLimitEndsACallNotTheRun) {
  PlainAdapter adapter(R"("memory_limit_mib": 64)");
  const Value over = tensor<std::uint8_t>({80 << 20}, std::vector<std::uint8_t>(80 << 20, 3));
  const Outcome inputs = adapter.invoke({"Plain.total", {over}});
  EXPECT_EQ(inputs.status, ASSAY_OUT_OF_MEMORY);
  EXPECT_NE(inputs.message.find("memory"), std::string::npos) << inputs.message;
  EXPECT_EQ(adapter.invoke({"Plain.allocate", {std::int64_t{500}}}).status, ASSAY_OUT_OF_MEMORY);
  EXPECT_EQ(adapter.invoke({"Plain.allocate", {std::int64_t{8}}}).status, ASSAY_OK);
}

}  // namespace
}  // namespace assay::bridge
