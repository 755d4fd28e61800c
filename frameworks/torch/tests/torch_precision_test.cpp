// In which type a call is computed, and gradients.
#include "torch_adapter_support.hpp"

namespace assay::test {
namespace {

using Numbers = std::vector<double>;
using TorchPrecision = TorchAdapter;
using TorchBackward = TorchAdapter;

TEST_F(TorchPrecision, ComputesAsRecorded) {
  Invocation call("Torch.div", {floats({1}, {1}), floats({1}, {3})});
  succeed(call);
  EXPECT_EQ(call.dtype(), "float32");
  EXPECT_EQ(numbers(call.output())[0], static_cast<double>(1.0f / 3.0f));
}

TEST_F(TorchPrecision, ComputesInFloat64) {
  Invocation call("Torch.div", {floats({1}, {1}), floats({1}, {3})});
  call.precision = ASSAY_PRECISION_FLOAT64;
  succeed(call);
  EXPECT_EQ(call.dtype(), "float64");
  EXPECT_EQ(numbers(call.output())[0], 1.0 / 3.0);
}

TEST_F(TorchPrecision, WidensDtypeArgumentsAndDivisionOfIntegers) {
  Invocation sum("Torch.sum", {ints({2}, {1, 2})}, {{"dtype", kFloat32}});
  sum.precision = ASSAY_PRECISION_FLOAT64;
  succeed(sum);
  EXPECT_EQ(sum.dtype(), "float64");
  Invocation quotient("Torch.div", {ints({1}, {1}), ints({1}, {3})});
  quotient.precision = ASSAY_PRECISION_FLOAT64;
  succeed(quotient);
  EXPECT_EQ(numbers(quotient.output())[0], 1.0 / 3.0);
}

TEST_F(TorchPrecision, LeavesBitLevelApisAsRecorded) {
  Invocation call("Torch.nextafter", {floats({1}, {1}), floats({1}, {2})});
  call.precision = ASSAY_PRECISION_FLOAT64;
  succeed(call);
  EXPECT_EQ(call.dtype(), "float32");
  EXPECT_EQ(numbers(call.output())[0], 1.0 + 0x1p-23);
}

TEST_F(TorchPrecision, ComputesHalvesWiderWhereThereIsNoKernel) {
  // No version's CPU half kernel of this decomposition exists.
  Invocation call("Torch.linalg.inv", {halves({1, 1}, {4.0})});
  succeed(call);
  EXPECT_EQ(call.dtype(), "float16");
  EXPECT_EQ(numbers(call.output()), (Numbers{0.25}));
  EXPECT_NE(call.notes().find("float32"), std::string::npos) << call.notes();
}

TEST_F(TorchPrecision, CountsIntegersThatHistcHasNoKernelFor) {
  Invocation call("Torch.histc", {ints({3}, {1, 2, 3})}, {{"bins", std::int64_t{3}}});
  succeed(call);
  EXPECT_EQ(numbers(call.output()), (Numbers{1, 1, 1}));
  EXPECT_NE(call.notes().find("no integer kernel"), std::string::npos) << call.notes();
}

TEST_F(TorchBackward, GivesGradientsByArgumentPath) {
  Invocation call("Torch.mul", {floats({2}, {2, 3})}, {{"other", floats({2}, {5, 7})}});
  call.backward({floats({2}, {1, 10})});
  succeed(call);
  EXPECT_EQ(numbers(*call.gradient("0")), (Numbers{5, 70}));
  EXPECT_EQ(numbers(*call.gradient("other")), (Numbers{2, 30}));
}

TEST_F(TorchBackward, ReachesTensorsInsideLists) {
  Invocation call("Torch.cat", {List{{floats({1}, {1}), floats({2}, {2, 3})}}});
  call.backward({floats({3}, {7, 8, 9})});
  succeed(call);
  EXPECT_EQ(numbers(*call.gradient("0.1")), (Numbers{8, 9}));
}

TEST_F(TorchBackward, UsesAllOutputsInOneCall) {
  Invocation call("Torch.unbind", {floats({2, 1}, {1, 2})});
  call.backward({floats({1}, {3}), None{}});
  succeed(call);
  EXPECT_EQ(numbers(*call.gradient("0")), (Numbers{3, 0}));
}

TEST_F(TorchBackward, KeepsGradientsWhenTheCallerReusesItsMemory) {
  // The gradients of a copy, a sum and a view are the arriving gradient itself, or a view of it.
  for (const char* api : {"Tensor.to", "Torch.sum", "Tensor.flatten"}) {
    Tensor arriving = std::string(api) == "Torch.sum" ? floats({}, {3}) : floats({1}, {3});
    std::vector<Value> arguments{floats({1}, {1})};
    if (std::string(api) == "Tensor.to") arguments.emplace_back(kFloat32);
    Invocation call(api, std::move(arguments));
    call.backward({arriving});
    succeed(call);
    *arriving.data_as<float>() = 0;
    EXPECT_EQ(numbers(*call.gradient("0")), (Numbers{3})) << api;
  }
}

TEST_F(TorchBackward, GivesNoneForAnUnreachedArgument) {
  Invocation call("Functional.batch_norm", {floats({2, 1}, {1, 3}), floats({1}, {0}), floats({1}, {1})}, {{"training", true}});
  call.backward({floats({2, 1}, {1, 0})});
  succeed(call);
  ASSERT_NE(call.gradient("1"), nullptr);
  EXPECT_EQ(call.gradient("1")->kind, ASSAY_VALUE_NONE);
  EXPECT_EQ(call.gradient("0")->kind, ASSAY_VALUE_TENSOR);
}

TEST_F(TorchBackward, DifferentiatesInPlaceApis) {
  Invocation call("Tensor.mul_", {floats({2}, {2, 3}), floats({2}, {5, 7})});
  call.backward({floats({2}, {1, 1})});
  succeed(call);
  EXPECT_EQ(numbers(*call.gradient("0")), (Numbers{5, 7}));
  EXPECT_EQ(numbers(*call.gradient("1")), (Numbers{2, 3}));
}

TEST_F(TorchBackward, LeavesOutArgumentsWithoutADerivative) {
  // Not every argument of the loss has a derivative formula in every version; the input always has one.
  Invocation call("Functional.binary_cross_entropy", {floats({1}, {0.5f}), floats({1}, {1}), floats({1}, {2})});
  call.backward({floats({}, {1})});
  succeed(call);
  EXPECT_NEAR(numbers(*call.gradient("0"))[0], -4, 1e-5);
}

TEST_F(TorchBackward, GivesWhatTheLastNodeGave) {
  // The node of x + 2 has two inputs, although only one of them is a tensor argument.
  Invocation call("Tensor.__add__", {floats({2}, {1, 2}), std::int64_t{2}});
  call.backward({floats({2}, {3, 4})});
  call.flags = ASSAY_CALL_NODE_GRADIENTS;
  succeed(call);
  EXPECT_EQ(numbers(*call.gradient("node.0")), (Numbers{3, 4}));
  EXPECT_EQ(call.gradient("node.1")->kind, ASSAY_VALUE_NONE);
}

TEST_F(TorchBackward, SaysThatAnApiIsNotDifferentiable) {
  Invocation call("Torch.argmax", {floats({2}, {1, 2})});
  call.backward({floats({}, {1})});
  EXPECT_EQ(call.run(adapter()), ASSAY_UNSUPPORTED);
  EXPECT_NE(call.message().find("not differentiable"), std::string::npos) << call.message();
}

TEST_F(TorchBackward, RefusesGradientsOfAnotherShapeOrNumber) {
  Invocation shape("Torch.neg", {floats({2}, {1, 2})});
  shape.backward({floats({3}, {1, 2, 3})});
  EXPECT_EQ(shape.run(adapter()), ASSAY_INVALID_ARGUMENT);
  Invocation count("Torch.neg", {floats({2}, {1, 2})});
  count.backward({floats({2}, {1, 2}), floats({2}, {1, 2})});
  EXPECT_EQ(count.run(adapter()), ASSAY_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace assay::test
