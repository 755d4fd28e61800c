// Inputs made from statistics: NumPy's numbers for MindSpore dumps, and our own rule.
#include <algorithm>
#include <cmath>
#include <limits>

#include "dump/assay_inputs.hpp"
#include "dump/inputs.hpp"
#include "dump/mint_inputs.hpp"
#include "dump_fixture.hpp"

namespace assay {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TensorElement element(assay_dtype dtype, std::vector<std::int64_t> shape, Statistic min, Statistic max) {
  TensorElement out;
  out.dtype = dtype;
  out.dtype_text = dtype_name(dtype);
  out.shape = std::move(shape);
  out.min = min;
  out.max = max;
  return out;
}

TensorElement whole(assay_dtype dtype, std::vector<std::int64_t> shape, std::int64_t min, std::int64_t max) {
  TensorElement out = element(dtype, std::move(shape), static_cast<double>(min), static_cast<double>(max));
  out.bounds_are_integers = true;
  out.min_integer = min;
  out.max_integer = max;
  return out;
}

std::vector<double> numbers(const Result<Tensor>& tensor) {
  EXPECT_TRUE(tensor) << tensor.failure().message;
  return tensor ? numbers_of(*tensor) : std::vector<double>();
}

std::vector<double> mint(assay_dtype dtype, std::vector<std::int64_t> shape, double min, double max) {
  return numbers(make_mint_tensor(element(dtype, std::move(shape), min, max)));
}

TEST(MintInputs, DrawTheNumbersOfNumpy) {
  EXPECT_EQ(mint(kFloat64, {8}, 0, 1),
            (std::vector<double>{0.37454011884736249, 0.95071430640991617, 0.73199394181140509, 0.5986584841970366,
                                 0.15601864044243652, 0.15599452033620265, 0.058083612168199461, 0.86617614577493518}));
  EXPECT_EQ(mint(kFloat32, {2, 3}, 1, 3), (std::vector<double>{1.7490801811218262, 2.901428699493408, 2.4639878273010254,
                                                               2.197316884994507, 1.3120372295379639, 1.3119890689849854}));
  EXPECT_EQ(mint(kFloat16, {7}, -5.5, 7.25),
            (std::vector<double>{-0.724609375, 6.62109375, 3.83203125, 2.1328125, -3.51171875, -3.51171875, -4.7578125}));
  EXPECT_EQ(mint(kFloat64, {5}, -1e-3, 123.456), (std::vector<double>{46.238599452538836, 117.37133612644902, 90.36877607421064,
                                                                      73.90758048351354, 19.260593293101884}));
  EXPECT_EQ(mint(kBFloat16, {3}, 1, 3), (std::vector<double>{1.75, 2.90625, 2.46875}));
}

TEST(MintInputs, TruncateIntegersTowardZero) {
  EXPECT_EQ(mint(kInt32, {8}, 0, 9), (std::vector<double>{3, 8, 6, 5, 1, 1, 0, 7}));
  EXPECT_EQ(mint(kInt64, {6}, -3, 3), (std::vector<double>{0, 2, 1, 0, -2, -2}));
  EXPECT_EQ(mint(kUInt8, {6}, 0, 255), (std::vector<double>{95, 242, 186, 152, 39, 39}));
  EXPECT_EQ(mint(kInt16, {3}, 7, 7), (std::vector<double>{7, 7, 7}));
}

TEST(MintInputs, IgnoreTheBoundsOfBooleans) { EXPECT_EQ(mint(kBool, {6}, 0, 0), (std::vector<double>{0, 1, 1, 1, 0, 0})); }

TEST(MintInputs, PutTheLargestDoubleForInfinity) {
  EXPECT_EQ(mint(kFloat32, {3}, 0, kInf), (std::vector<double>{kInf, kInf, kInf}));
  EXPECT_EQ(mint(kFloat64, {1}, 0, kInf).front(), 0.37454011884736249 * std::numeric_limits<double>::max());
}

TEST(MintInputs, SayWhyNothingCanBeDrawn) {
  const auto message = [](const TensorElement& input) {
    const Result<Tensor> tensor = make_mint_tensor(input);
    EXPECT_FALSE(tensor);
    EXPECT_EQ(tensor.failure().kind, FailureKind::kUnsupported);
    return tensor.failure().message;
  };
  EXPECT_EQ(message(element(kFloat32, {2}, std::nullopt, 1.0)), "Max or Min was not recorded");
  EXPECT_EQ(message(element(kBool, {2}, std::nullopt, std::nullopt)), "Max or Min was not recorded");
  EXPECT_EQ(message(element(kFloat32, {2}, -kInf, kInf)), "values from Min to Max can't be drawn: the range is not finite");
  EXPECT_EQ(message(element(kFloat32, {2}, 0.0, kNan)), "values from Min to Max can't be drawn: the range is not finite");
  EXPECT_EQ(message(element(kComplex64, {2}, 0.0, 1.0)), "MindStudio Probe draws no values of dtype 'complex64'");
}

TEST(MintInputs, AreTheSameForEqualStatistics) {
  const ScratchFolder folder;
  folder.write("dump.json", dump_text(R"("Mint.sub.0.forward": {"input_args": [
      {"type": "mindspore.Tensor", "dtype": "Float32", "shape": [3], "Max": 1.0, "Min": 0.0},
      {"type": "mindspore.Tensor", "dtype": "Float32", "shape": [3], "Max": 1.0, "Min": 0.0}]})",
                                      "mindspore"));
  const Dump dump = *Dump::open(folder.path(), {});
  const RecordedCall call = dump.read(0);
  const auto build = [&](InputRule rule, std::size_t i) {
    const InputBuilder inputs(dump, rule, 5);
    return numbers_of(inputs.build(call.forward->inputs[i], call.stem, "forward", std::to_string(i))->as<Tensor>());
  };
  EXPECT_EQ(build(InputRule::kMsprobe, 0), build(InputRule::kMsprobe, 1));
  EXPECT_NE(build(InputRule::kAssay, 0), build(InputRule::kAssay, 1));
  EXPECT_EQ(build(InputRule::kAssay, 0), build(InputRule::kAssay, 0));
}

TEST(AssayInputs, StayWithinTheBoundsForEveryDtype) {
  for (const auto& [dtype, name] : kDTypeNames) {
    SCOPED_TRACE(name);
    const double low = dtype.code == ASSAY_DTYPE_UINT ? 2 : is_complex(dtype) ? 0.5 : -3;
    const std::vector<double> made = numbers(make_assay_tensor(element(dtype, {1000}, low, 12.0), 1, "x"));
    if (dtype == kBool || is_complex(dtype)) continue;
    EXPECT_GE(*std::min_element(made.begin(), made.end()), low);
    EXPECT_LE(*std::max_element(made.begin(), made.end()), 12);
    const double spread = *std::max_element(made.begin(), made.end()) - *std::min_element(made.begin(), made.end());
    EXPECT_GT(spread, 0.95 * (12 - low));
  }
}

TEST(AssayInputs, KeepTheMagnitudeOfComplexNumbersInTheBounds) {
  const Result<Tensor> tensor = make_assay_tensor(element(kComplex64, {500}, 1.0, 2.0), 1, "x");
  ASSERT_TRUE(tensor);
  double turned = 0;
  for (std::int64_t i = 0; i < 500; ++i) {
    const double real = tensor->view().number_at(i);
    const double imaginary = tensor->view().imaginary_at(i);
    EXPECT_GE(std::hypot(real, imaginary), 1 - 1e-6);
    EXPECT_LE(std::hypot(real, imaginary), 2 + 1e-6);
    turned += imaginary < 0 ? 1 : 0;
  }
  EXPECT_NEAR(turned, 250, 60);
}

TEST(AssayInputs, ReachBothEndsOfIntegers) {
  const std::vector<double> made = numbers(make_assay_tensor(whole(kInt64, {200}, -1, 2), 1, "x"));
  for (const double value : {-1.0, 0.0, 1.0, 2.0}) EXPECT_GT(std::count(made.begin(), made.end(), value), 20) << value;
  const std::vector<double> large = numbers(make_assay_tensor(
      whole(kInt64, {100}, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()), 1, "x"));
  EXPECT_LT(*std::min_element(large.begin(), large.end()), -4e18);
  EXPECT_GT(*std::max_element(large.begin(), large.end()), 4e18);
}

TEST(AssayInputs, FollowTheBoundsOfBooleans) {
  const auto ones = [](Statistic min, Statistic max) {
    const std::vector<double> made = numbers(make_assay_tensor(element(kBool, {100}, min, max), 1, "x"));
    return std::count(made.begin(), made.end(), 1.0);
  };
  EXPECT_EQ(ones(0.0, 0.0), 0);
  EXPECT_EQ(ones(1.0, 1.0), 100);
  EXPECT_NEAR(static_cast<double>(ones(0.0, 1.0)), 50, 20);
  EXPECT_NEAR(static_cast<double>(ones(std::nullopt, std::nullopt)), 50, 20);
}

TEST(AssayInputs, ClipInfiniteBoundsToTheDtype) {
  for (const assay_dtype dtype : {kFloat16, kBFloat16, kFloat32, kFloat64, kFloat8E4M3FN, kFloat8E5M2}) {
    SCOPED_TRACE(dtype_name(dtype));
    const std::vector<double> made = numbers(make_assay_tensor(element(dtype, {200}, -kInf, kInf), 1, "x"));
    EXPECT_TRUE(std::all_of(made.begin(), made.end(), [](double x) { return std::isfinite(x); }));
    EXPECT_LT(*std::min_element(made.begin(), made.end()), 0);
    EXPECT_GT(*std::max_element(made.begin(), made.end()), 0);
  }
  TensorElement masked = element(kFloat32, {200}, -kInf, 1.0);
  masked.min_finite = -1;
  masked.max_finite = 1;
  const std::vector<double> made = numbers(make_assay_tensor(masked, 1, "x"));
  EXPECT_GE(*std::min_element(made.begin(), made.end()), -1);
}

TEST(AssayInputs, DependOnSeedAndPlaceOnly) {
  const TensorElement input = element(kFloat32, {4}, 0.0, 1.0);
  const auto make = [&](std::uint64_t seed, const std::string& place) { return numbers(make_assay_tensor(input, seed, place)); };
  EXPECT_EQ(make(1, "Torch.add.0.forward.0"), make(1, "Torch.add.0.forward.0"));
  EXPECT_NE(make(1, "Torch.add.0.forward.0"), make(1, "Torch.add.0.forward.1"));
  EXPECT_NE(make(1, "Torch.add.0.forward.0"), make(2, "Torch.add.0.forward.0"));
}

/// What the builder says about the arguments of one API, recorded as statistics.
Result<Value> build_argument(const std::string& key, const std::string& arguments, std::size_t index, InputRule rule) {
  const ScratchFolder folder;
  folder.write("dump.json", dump_text("\"" + key + ".forward\": {\"input_args\": [" + arguments + "]}"));
  const Dump dump = *Dump::open(folder.path(), {});
  const RecordedCall call = dump.read(0);
  if (call.forward->error) return input_failure(*call.forward->error);
  return InputBuilder(dump, rule, 0).build(call.forward->inputs[index], call.stem, "forward", std::to_string(index));
}

constexpr std::string_view kMatrix =
    R"({"type": "torch.Tensor", "dtype": "torch.float32", "shape": [4, 4], "Max": 1.0, "Min": 0.0})";
constexpr std::string_view kTarget = R"({"type": "torch.Tensor", "dtype": "torch.int64", "shape": [64], "Max": 3, "Min": -100})";

TEST(InputBuilder, AsksForRealDataWhereInputsNeedAStructure) {
  for (const char* name : {"Torch.cholesky.0", "Torch.linalg.cholesky.0", "Functional.embedding_bag.3", "Torch.searchsorted.0"}) {
    const Result<Value> value = build_argument(name, std::string(kMatrix), 0, InputRule::kAssay);
    ASSERT_FALSE(value) << name;
    EXPECT_EQ(value.failure().kind, FailureKind::kUnsupported);
    EXPECT_NE(value.failure().message.find("needs real data"), std::string::npos) << value.failure().message;
  }
}

TEST(InputBuilder, KeepsIndicesInRange) {
  const std::string arguments = std::string(kMatrix) + ", " + std::string(kTarget);
  const Result<Value> target = build_argument("Functional.cross_entropy.0", arguments, 1, InputRule::kAssay);
  ASSERT_TRUE(target) << target.failure().message;
  const std::vector<double> made = numbers_of(target->as<Tensor>());
  EXPECT_EQ(*std::min_element(made.begin(), made.end()), 0);
  EXPECT_EQ(*std::max_element(made.begin(), made.end()), 3);
  const Result<Value> index = build_argument("Torch.gather.0", arguments, 1, InputRule::kAssay);
  ASSERT_TRUE(index);
  const std::vector<double> negative = numbers_of(index->as<Tensor>());
  EXPECT_LT(*std::min_element(negative.begin(), negative.end()), 0);
}

TEST(InputBuilder, SkipsWhatCanNotBeBuiltWithAReason) {
  const auto message = [](const std::string& arguments) {
    const Result<Value> value = build_argument("Torch.add.0", arguments, 0, InputRule::kAssay);
    EXPECT_FALSE(value);
    EXPECT_EQ(value.failure().kind, FailureKind::kUnsupported) << value.failure().message;
    return value.failure().message;
  };
  EXPECT_EQ(message(R"({"type": "torch.Tensor", "dtype": "torch.float4_e2m1fn_x2", "shape": [2], "Max": 1, "Min": 0})"),
            "argument 0 has the dtype 'torch.float4_e2m1fn_x2', which is not supported");
  EXPECT_EQ(message(R"({"type": "torch.Tensor", "dtype": "torch.float32", "shape": [2], "Max": null, "Min": null})"),
            "argument 0 can't be made from its statistics: Max or Min was not recorded");
  EXPECT_EQ(message("[null, {}]").substr(0, 44), "argument 0.1 can't be replayed: an empty obj");
  EXPECT_NE(message(R"({"type": "torch.Tensor", "dtype": "torch.float32", "shape": [1099511627776, 1024], "Max": 1, "Min": 0})")
                .find("it needs 4503599627370496 bytes"),
            std::string::npos);
}

TEST(InputBuilder, MakesEmptyTensorsWithoutStatistics) {
  for (const InputRule rule : {InputRule::kAssay, InputRule::kMsprobe}) {
    const Result<Value> value = build_argument(
        "Torch.add.0", R"({"type": "torch.Tensor", "dtype": "torch.float32", "shape": [0, 3], "Max": null, "Min": null})", 0, rule);
    ASSERT_TRUE(value) << value.failure().message;
    EXPECT_EQ(value->as<Tensor>().shape(), (std::vector<std::int64_t>{0, 3}));
  }
}

}  // namespace
}  // namespace assay
