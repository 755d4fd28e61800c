// Which operator a call reaches, and how its arguments are read.
#include "torch_adapter_support.hpp"

namespace assay::test {
namespace {

using Numbers = std::vector<double>;
using TorchCalls = TorchAdapter;

const std::vector<float> kSix = {1, 2, 3, 4, 5, 6};

TEST_F(TorchCalls, AddsTensors) {
  Invocation call("Torch.add", {floats({2}, {1, 2}), floats({2}, {10, 20})}, {{"alpha", std::int64_t{2}}});
  succeed(call);
  ASSERT_EQ(call.results().output_count, 1u);
  EXPECT_EQ(call.dtype(), "float32");
  EXPECT_EQ(numbers(call.output()), (Numbers{21, 42}));
}

TEST_F(TorchCalls, TakesNumbersForTensors) {
  Invocation call("Torch.mul", {std::int64_t{3}, floats({2}, {1, 2})});
  succeed(call);
  EXPECT_EQ(numbers(call.output()), (Numbers{3, 6}));
}

TEST_F(TorchCalls, ReadsIntsOfAMethodAsVarargs) {
  Invocation call("Tensor.view", {floats({2, 3}, kSix), std::int64_t{3}, std::int64_t{2}});
  succeed(call);
  EXPECT_EQ(TensorView(*call.output().as.tensor).shape(), (std::vector<std::int64_t>{3, 2}));
}

TEST_F(TorchCalls, TakesNumPyNamesOfArguments) {
  Invocation call("Torch.sum", {floats({2, 3}, kSix)}, {{"axis", std::int64_t{1}}, {"keepdims", true}});
  succeed(call);
  EXPECT_EQ(numbers(call.output()), (Numbers{6, 15}));
  EXPECT_EQ(TensorView(*call.output().as.tensor).ndim(), 2);
}

TEST_F(TorchCalls, SpreadsOneIntOverAListOfFixedLength) {
  Invocation call("Functional.avg_pool2d", {floats({1, 1, 2, 2}, {1, 2, 3, 6}), std::int64_t{2}});
  succeed(call);
  EXPECT_EQ(numbers(call.output()), (Numbers{3}));
}

TEST_F(TorchCalls, GivesSeveralResultsAsSeveralOutputs) {
  Invocation call("Torch.split", {floats({6}, kSix), List{{std::int64_t{2}, std::int64_t{4}}}}, {{"dim", std::int64_t{0}}});
  succeed(call);
  ASSERT_EQ(call.results().output_count, 2u);
  EXPECT_EQ(numbers(call.output(1)), (Numbers{3, 4, 5, 6}));
}

TEST_F(TorchCalls, GivesPythonNumbersAsNumbers) {
  Invocation call("Tensor.size", {floats({2, 3}, kSix), std::int64_t{1}});
  succeed(call);
  ASSERT_EQ(call.output().kind, ASSAY_VALUE_INT);
  EXPECT_EQ(call.output().as.integer, 3);
  Invocation list("Tensor.tolist", {ints({2}, {4, 5})});
  succeed(list);
  ASSERT_EQ(list.output().kind, ASSAY_VALUE_LIST);
  EXPECT_EQ(list.output().as.sequence.items[1].as.integer, 5);
}

TEST_F(TorchCalls, RunsPythonFunctionsFromTheLibrary) {
  Invocation call("Functional.cross_entropy", {floats({1, 2}, {0, 0}), ints({1}, {1})}, {{"reduction", std::string("sum")}});
  succeed(call);
  EXPECT_NEAR(numbers(call.output())[0], 0.6931472, 1e-6);
}

TEST_F(TorchCalls, KeepsThePythonDefaultOfLosses) {
  // torch.kl_div without a reduction reduces nothing, unlike its operator.
  Invocation call("Torch.kl_div", {floats({2}, {0, 0}), floats({2}, {1, 1})});
  succeed(call);
  EXPECT_EQ(numbers(call.output()).size(), 2u);
}

TEST_F(TorchCalls, IndexesLikePython) {
  const assay_slice step{0, 0, 2, ASSAY_SLICE_STEP, 0};
  Invocation call("Tensor.__getitem__", {floats({2, 3}, kSix), Tuple{{Ellipsis{}, step}}});
  succeed(call);
  EXPECT_EQ(numbers(call.output()), (Numbers{1, 3, 4, 6}));
  Invocation none("Tensor.__getitem__", {floats({2, 3}, kSix), Tuple{{None{}, std::int64_t{1}}}});
  succeed(none);
  EXPECT_EQ(TensorView(*none.output().as.tensor).shape(), (std::vector<std::int64_t>{1, 3}));
}

TEST_F(TorchCalls, ReadsReflectedOperators) {
  Invocation call("Tensor.__rsub__", {floats({2}, {1, 2}), std::int64_t{10}});
  succeed(call);
  EXPECT_EQ(numbers(call.output()), (Numbers{9, 8}));
  Invocation power("Tensor.__rpow__", {floats({2}, {1, 3}), std::int64_t{2}});
  succeed(power);
  EXPECT_EQ(numbers(power.output()), (Numbers{2, 8}));
}

TEST_F(TorchCalls, FindsLinalgUnderTorchNames) {
  Invocation call("Torch.multi_dot", {List{{floats({1, 2}, {1, 2}), floats({2, 1}, {3, 4})}}});
  succeed(call);
  EXPECT_EQ(numbers(call.output()), (Numbers{11}));
  Invocation fft("Torch.fft.rfft", {floats({2}, {1, 3})});
  succeed(fft);
  EXPECT_EQ(fft.dtype(), "complex64");
}

TEST_F(TorchCalls, RunsMintNamesAsTheirCounterparts) {
  Invocation call("MintFunctional.mse_loss", {floats({2}, {1, 2}), floats({2}, {3, 2}), std::string("sum")});
  succeed(call);
  EXPECT_EQ(numbers(call.output()), (Numbers{4}));
}

TEST_F(TorchCalls, WorksInPlaceOnACopy) {
  Tensor self = floats({2}, {1, 2});
  Invocation call("Tensor.add_", {self, floats({2}, {10, 20})});
  succeed(call);
  EXPECT_EQ(numbers(call.output()), (Numbers{11, 22}));
  EXPECT_EQ(self.data_as<float>()[0], 1.0f);
  ASSERT_EQ(call.results().mutated_count, 1u);
  EXPECT_STREQ(call.results().mutated[0].path, "0");
  EXPECT_EQ(numbers(call.results().mutated[0].value), (Numbers{11, 22}));
}

TEST_F(TorchCalls, AssignsToSlicesOfACopy) {
  const assay_slice all{0, 0, 0, 0, 0};
  Invocation call("Tensor.__setitem__", {floats({2, 2}, {1, 2, 3, 4}), Tuple{{all, std::int64_t{0}}}, 9.0});
  succeed(call);
  EXPECT_EQ(call.output().kind, ASSAY_VALUE_NONE);
  EXPECT_EQ(numbers(call.results().mutated[0].value), (Numbers{9, 2, 9, 4}));
}

TEST_F(TorchCalls, RunningStatisticsAreWrittenToCopiesAndReported) {
  const Tensor mean = floats({2}, {0, 0});
  const Tensor variance = floats({2}, {1, 1});
  Invocation call("Functional.batch_norm", {floats({2, 2}, {1, 2, 3, 4}), mean, variance}, {{"training", true}, {"momentum", 0.5}});
  succeed(call);
  EXPECT_EQ(mean.view().number_at(0), 0);
  EXPECT_EQ(variance.view().number_at(1), 1);
  ASSERT_EQ(call.results().mutated_count, 2u);
  EXPECT_STREQ(call.results().mutated[0].path, "1");
  EXPECT_EQ(numbers(call.results().mutated[0].value), (Numbers{1, 1.5}));
}

TEST_F(TorchCalls, WritesToACopyOfOut) {
  Tensor out = floats({2}, {0, 0});
  Invocation call("Torch.add", {floats({2}, {1, 2}), floats({2}, {3, 4})}, {{"out", out}});
  succeed(call);
  EXPECT_EQ(numbers(call.output()), (Numbers{4, 6}));
  EXPECT_EQ(out.data_as<float>()[0], 0.0f);
}

TEST_F(TorchCalls, CopiesViewsOfTheCallersMemory) {
  Tensor self = floats({2}, {1, 2});
  Invocation call("Tensor.view", {self, std::int64_t{2}});
  succeed(call);
  EXPECT_NE(TensorView(*call.output().as.tensor).data(), self.view().data());
}

TEST_F(TorchCalls, ReadsStridedAndNegativelyStridedTensors) {
  Tensor memory = floats({6}, kSix);
  const std::shared_ptr<void> borrowed(memory.data_as<float>(), [](void*) {});
  const Tensor transposed = Tensor::wrap(memory.data_as<float>(), kFloat32, {3, 2}, {1, 3}, borrowed, true);
  Invocation call("Torch.clone", {transposed});
  succeed(call);
  EXPECT_EQ(numbers(call.output()), (Numbers{1, 4, 2, 5, 3, 6}));
  const Tensor reversed = Tensor::wrap(memory.data_as<float>() + 5, kFloat32, {6}, {-1}, borrowed, true);
  Invocation back("Torch.neg", {reversed});
  succeed(back);
  EXPECT_EQ(numbers(back.output()), (Numbers{-6, -5, -4, -3, -2, -1}));
}

TEST_F(TorchCalls, ReadsAnyNonZeroByteAsTrue) {
  Tensor flags = Tensor::allocate(kBool, {3});
  flags.data_as<std::uint8_t>()[0] = 0;
  flags.data_as<std::uint8_t>()[1] = 1;
  flags.data_as<std::uint8_t>()[2] = 255;
  Invocation call("Torch.sum", {flags});
  succeed(call);
  EXPECT_EQ(numbers(call.output()), (Numbers{2}));
}

TEST_F(TorchCalls, SeedsRandomOperators) {
  Invocation first("Torch.rand", {std::int64_t{8}});
  Invocation second("Torch.rand", {std::int64_t{8}});
  Invocation other("Torch.rand", {std::int64_t{8}});
  first.seed = second.seed = 5;
  other.seed = 6;
  succeed(first);
  succeed(second);
  succeed(other);
  EXPECT_EQ(numbers(first.output()), numbers(second.output()));
  EXPECT_NE(numbers(first.output()), numbers(other.output()));
}

TEST_F(TorchCalls, NamesSimilarApisForAnUnknownOne) {
  Invocation call("Torch.sofmax", {floats({2}, {1, 2})});
  EXPECT_EQ(call.run(adapter()), ASSAY_NOT_FOUND);
  EXPECT_NE(call.message().find("'softmax'"), std::string::npos) << call.message();
}

TEST_F(TorchCalls, SaysWhyNoOverloadFits) {
  Invocation call("Functional.linear", {floats({2}, {1, 2}), std::string("weight")});
  EXPECT_EQ(call.run(adapter()), ASSAY_INVALID_ARGUMENT);
  EXPECT_NE(call.message().find("'weight' can't be a string"), std::string::npos) << call.message();
}

TEST_F(TorchCalls, GivesTorchsErrorsOnOneLine) {
  Invocation call("Torch.mm", {floats({1, 2}, {1, 2}), floats({1, 2}, {1, 2})});
  EXPECT_EQ(call.run(adapter()), ASSAY_INVALID_ARGUMENT);
  EXPECT_NE(call.message().find("cannot be multiplied"), std::string::npos) << call.message();
  EXPECT_EQ(call.message().find('\n'), std::string::npos);
}

TEST_F(TorchCalls, RefusesNamesThatNoDumpHas) {
  for (const char* name : {"", "Torch", "NPU.npu_rms_norm", "Torch..", "Torch.\xff", "aten::add"}) {
    Invocation call(name, {});
    EXPECT_EQ(call.run(adapter()), ASSAY_NOT_FOUND) << name;
  }
}

TEST_F(TorchCalls, RefusesIntegerDivisionByZeroInItsFunctions) {
  // An unchecked one would end the process.
  Invocation call(
      "Functional.multi_head_attention_forward",
      {floats({1, 1, 2}, {1, 2}), floats({1, 1, 2}, {1, 2}), floats({1, 1, 2}, {1, 2}), std::int64_t{2}, std::int64_t{0},
       floats({6, 2}, std::vector<float>(12, 1)), None{}, None{}, None{}, false, 0.0, floats({2, 2}, {1, 0, 0, 1}), None{}});
  EXPECT_EQ(call.run(adapter()), ASSAY_INVALID_ARGUMENT);
  Invocation plain("Torch.remainder", {std::int64_t{1}, std::int64_t{0}});
  EXPECT_NE(plain.run(adapter()), ASSAY_OK);
}

}  // namespace
}  // namespace assay::test
