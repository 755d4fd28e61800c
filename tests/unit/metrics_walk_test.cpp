// What must not change a metric: threads, layout, which metrics are asked for, the side that is called actual.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "metrics_support.hpp"

namespace assay::test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

std::pair<Tensor, Tensor> noisy_pair(assay_dtype dtype, std::vector<std::int64_t> shape, double noise, unsigned seed,
                                     double zeros = 0) {
  std::int64_t n = is_complex(dtype) ? 2 : 1;
  for (const std::int64_t size : shape) n *= size;
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  const bool whole = !is_floating(dtype) && !is_complex(dtype);
  std::vector<double> actual;
  std::vector<double> expected;
  for (std::int64_t i = 0; i < n; ++i) {
    const double want = uniform(random) < zeros ? 0.0 : (whole ? std::nearbyint(std::fabs(normal(random)) * 30) : normal(random));
    expected.push_back(want);
    actual.push_back(whole ? want : want + noise * (want + 0.3) * normal(random));
  }
  return {make_tensor(dtype, shape, actual), make_tensor(dtype, shape, expected)};
}

/// Bit for bit the same, NaN included.
void expect_identical(const Numbers& left, const Numbers& right, const std::string& what) {
  ASSERT_EQ(left.size(), right.size());
  for (const auto& [name, numbers] : left) {
    const std::vector<double>& others = right.at(name);
    ASSERT_EQ(numbers.size(), others.size()) << what << ": " << name;
    if (numbers.empty()) continue;
    EXPECT_EQ(std::memcmp(numbers.data(), others.data(), numbers.size() * sizeof(double)), 0)
        << what << ": " << name << " is " << numbers[0] << " and " << others[0];
  }
}

TEST(MetricWalk, ThreadsDoNotChangeABit) {
  for (const assay_dtype dtype : {kFloat32, kFloat16, kBFloat16, kFloat64, kInt32, kComplex64}) {
    const auto [actual, expected] = noisy_pair(dtype, {700'003}, 1e-3, 5);
    const engine::EngineOptions all{all_metrics(), -1.0};
    const Numbers one = run_engine(actual, expected, all, 1);
    for (std::uint32_t threads = 2; threads <= 8; ++threads) {
      expect_identical(run_engine(actual, expected, all, threads), one,
                       std::string(dtype_name(dtype)) + ", " + std::to_string(threads) + " threads");
    }
  }
}

TEST(MetricWalk, LayoutDoesNotChangeABit) {
  for (const DTypeName& entry : kDTypeNames) {
    const auto [actual, expected] = noisy_pair(entry.dtype, {7, 11, 61}, 1e-2, 9);
    const Numbers compact = run_engine(actual, expected);
    const std::string what(entry.name);
    expect_identical(run_engine(make_strided(actual), expected), compact, what + ", strided actual");
    expect_identical(run_engine(actual, make_strided(expected)), compact, what + ", strided expected");
    expect_identical(run_engine(make_strided(actual), make_strided(expected)), compact, what + ", strided both");
  }
}

TEST(MetricWalk, UnalignedMemoryDoesNotChangeABit) {
  for (const assay_dtype dtype : {kFloat32, kFloat16, kFloat64, kComplex128}) {
    const auto [actual, expected] = noisy_pair(dtype, {5000}, 1e-2, 3);
    const std::size_t bytes = actual.nbytes();
    std::vector<std::byte> memory(bytes + 1);
    std::memcpy(memory.data() + 1, actual.view().data(), bytes);
    Tensor shifted = Tensor::wrap(memory.data(), dtype, {5000}, {}, nullptr, true);
    shifted.abi().dl.byte_offset = 1;
    expect_identical(run_engine(shifted, expected), run_engine(actual, expected), std::string(dtype_name(dtype)));
  }
}

TEST(MetricWalk, BroadcastStridesRepeatOneElement) {
  float value = 2.0f;
  const Tensor repeated = Tensor::wrap(&value, kFloat32, {100, 3}, {0, 0}, nullptr, true);
  const Tensor compact = make_tensor(kFloat32, {100, 3}, std::vector<double>(300, 2.0));
  expect_identical(run_engine(repeated, compact), run_engine(compact, compact), "broadcast");
}

TEST(MetricWalk, AskingForLessGivesTheSameNumbers) {
  for (const assay_dtype dtype : {kFloat32, kFloat16, kFloat64, kInt16}) {
    const auto [actual, expected] = noisy_pair(dtype, {9001}, 1e-3, 13);
    const Numbers all = run_engine(actual, expected);
    for (const auto& [name, numbers] : all) {
      const Numbers alone = run_engine(actual, expected, {*engine::metrics_by_name(name), -1.0});
      ASSERT_EQ(alone.size(), 1u);
      expect_identical(alone, {{name, numbers}}, std::string(dtype_name(dtype)) + ", alone");
    }
  }
}

TEST(MetricWalk, SymmetricMetricsDoNotCareWhichSideIsWhich) {
  for (const assay_dtype dtype : {kFloat32, kFloat16, kBFloat16, kFloat64, kInt8, kComplex64}) {
    const auto [actual, expected] = noisy_pair(dtype, {3001}, 1e-2, 21, 0.1);
    const Numbers forward = run_engine(actual, expected);
    const Numbers backward = run_engine(expected, actual);
    for (const char* name : {"cosine", "max_abs_error", "mean_abs_error", "max_ulp", "mean_ulp", "ulp_histogram", "mismatch_count",
                             "mismatch_first", "class_mismatch_count", "msprobe_mint_cosine", "msprobe_error_rate"}) {
      EXPECT_EQ(forward.at(name), backward.at(name)) << dtype_name(dtype) << ": " << name;
    }
  }
}

TEST(MetricWalk, ZeroDimensionalAndEmptyTensorsHaveWhatIsDefined) {
  const Numbers scalar = run_engine(make_tensor(kFloat32, {}, {3}), make_tensor(kFloat32, {}, {2}));
  EXPECT_EQ(scalar.at("numel")[0], 1);
  EXPECT_EQ(scalar.at("max_rel_error")[0], 0.5);
  for (const DTypeName& entry : kDTypeNames) {
    for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{0}, {3, 0, 2}}) {
      const Tensor empty = Tensor::wrap(nullptr, entry.dtype, shape, {}, nullptr, true);
      const Numbers numbers = run_engine(empty, empty);
      EXPECT_EQ(numbers.at("numel")[0], 0);
      EXPECT_EQ(numbers.at("cosine")[0], 1);
      EXPECT_EQ(numbers.at("mismatch_count")[0], 0);
      EXPECT_EQ(numbers.at("mismatch_first")[0], -1);
      EXPECT_EQ(numbers.at("worst_index")[0], -1);
      EXPECT_TRUE(numbers.at("max_abs_error").empty());
      EXPECT_TRUE(numbers.at("msprobe_mint_cosine").empty());
    }
  }
}

TEST(MetricWalk, ExpectedMayBeWider) {
  const std::vector<std::pair<assay_dtype, assay_dtype>> pairs = {
      {kFloat32, kFloat64}, {kFloat16, kFloat32},  {kBFloat16, kFloat64},     {kFloat8E4M3FN, kFloat32},
      {kFloat64, kFloat32}, {kFloat16, kBFloat16}, {kComplex64, kComplex128}, {kFloat8E5M2, kFloat16}};
  for (const auto& [actual_dtype, expected_dtype] : pairs) {
    const auto source = noisy_pair(expected_dtype, {4001}, 1e-2, 17);
    const Tensor actual = make_tensor(actual_dtype, numbers_of(source.first));
    const Numbers naive = naive_metrics(actual, source.second);
    const Numbers engine = run_engine(actual, source.second);
    for (const auto& [name, numbers] : engine) {
      ASSERT_EQ(numbers.size(), naive.at(name).size()) << name;
      if (name.rfind("worst_ind", 0) == 0) continue;
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        EXPECT_NEAR(numbers[i], naive.at(name)[i], 1e-9 * std::fabs(naive.at(name)[i]))
            << dtype_name(actual_dtype) << " against " << dtype_name(expected_dtype) << ": " << name;
      }
    }
  }
}

TEST(MetricWalk, AnExpectedBeyondTheActualsRangeIsItsOwnClass) {
  const Numbers numbers = run_engine(make_tensor(kFloat32, {kInf, 1}), make_tensor(kFloat64, {1e39, 1}));
  EXPECT_EQ(numbers.at("class_mismatch_count")[0], 1);
  // The peer first casts to the tested dtype, where both are infinite.
  EXPECT_EQ(numbers.at("msprobe_inf_nan_error_ratio")[0], 0);
}

TEST(MetricWalk, LargeTensorsKeepTheirPrecision) {
  for (const assay_dtype dtype : {kFloat16, kBFloat16, kFloat32}) {
    const auto [actual, expected] = noisy_pair(dtype, {300'001}, 1e-2, 31);
    const Numbers naive = naive_metrics(actual, expected);
    const Numbers engine = run_engine(actual, expected);
    const std::vector<std::pair<const char*, double>> relative = {
        {"cosine", 1e-9}, {"rms_expected", 1e-14}, {"msprobe_mint_cosine", 1e-9}, {"rel_l2_error", 1e-7}, {"mean_abs_error", 1e-7}};
    for (const auto& [name, allowed] : relative) {
      EXPECT_NEAR(engine.at(name)[0], naive.at(name)[0], allowed * std::fabs(naive.at(name)[0]))
          << dtype_name(dtype) << ": " << name;
    }
    for (const char* name : {"max_abs_error", "max_rel_error", "rtol_to_pass", "max_scaled_error", "max_ulp", "mismatch_count"}) {
      EXPECT_DOUBLE_EQ(engine.at(name)[0], naive.at(name)[0]) << dtype_name(dtype) << ": " << name;
    }
    EXPECT_EQ(engine.at("ulp_histogram"), naive.at("ulp_histogram"));
    // Quotients of float32 may round up to the next octave.
    for (std::size_t bin = 0; bin < naive.at("error_histogram").size(); ++bin) {
      EXPECT_NEAR(engine.at("error_histogram")[bin], naive.at("error_histogram")[bin], dtype == kFloat32 ? 2 : 0);
    }
  }
}

TEST(MetricWalk, EqualSpecialsInLargeTensorsSpoilNoSum) {
  for (const assay_dtype dtype : {kFloat16, kBFloat16, kFloat32}) {
    std::vector<double> values(300'000, 0.5);
    for (std::size_t i = 0; i < values.size(); i += 9000) values[i] = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t i = 4000; i < values.size(); i += 9000) values[i] = -std::numeric_limits<double>::infinity();
    const Tensor tensor = make_tensor(dtype, values);
    const Numbers engine = run_engine(tensor, tensor);
    EXPECT_EQ(engine.at("rms_expected")[0], 0.5);
    EXPECT_EQ(engine.at("cosine")[0], 1);
    EXPECT_EQ(engine.at("mean_rel_error")[0], 0);
    EXPECT_EQ(engine.at("nan_actual")[0], 34);
    EXPECT_EQ(engine.at("neg_inf_expected")[0], 33);
    EXPECT_EQ(engine.at("mismatch_count")[0], 0);
  }
}

TEST(MetricWalk, ALargeTensorsMaximumIsExact) {
  // 2^24 + 1 has no float32: the difference of these two is a float64.
  std::vector<double> expected(300'000, 1);
  std::vector<double> actual = expected;
  actual[123'456] = 0x1p24;
  expected[123'456] = -1;
  const Numbers numbers = run_engine(make_tensor(kFloat32, actual), make_tensor(kFloat32, expected));
  EXPECT_EQ(numbers.at("max_abs_error")[0], 0x1p24 + 1);
}

TEST(MetricWalk, TinyBFloat16NumbersLoseNothing) {
  const std::int64_t n = 1 << 18;
  const std::vector<double> expected(static_cast<std::size_t>(n), 1e-30);
  std::vector<double> actual = expected;
  actual[5] = 2e-30;
  const Tensor a = make_tensor(kBFloat16, actual);
  const Tensor e = make_tensor(kBFloat16, expected);
  EXPECT_NEAR(run_engine(a, e).at("rel_l2_error")[0], naive_metrics(a, e).at("rel_l2_error")[0], 1e-12);
}

TEST(MetricWalk, OneSpecialElementInEachBlockIsFound) {
  auto [actual, expected] = noisy_pair(kFloat32, {100'000}, 1e-6, 41);
  for (std::int64_t i = 1000; i < 100'000; i += 2048)
    expected.data_as<float>()[i] = actual.data_as<float>()[i] = -std::numeric_limits<float>::infinity();
  actual.data_as<float>()[77'777] = std::numeric_limits<float>::quiet_NaN();
  const Numbers engine = run_engine(actual, expected);
  const Numbers naive = naive_metrics(actual, expected);
  for (const char* name : {"neg_inf_actual", "neg_inf_expected", "nan_actual", "class_mismatch_count", "class_mismatch_first",
                           "max_abs_error", "max_rel_error", "max_ulp", "mismatch_count", "max_scaled_error"}) {
    EXPECT_EQ(engine.at(name), naive.at(name)) << name;
  }
  EXPECT_EQ(engine.at("worst_index")[0], 77'777);
}

TEST(MetricWalk, EqualErrorsAreListedByPosition) {
  std::vector<double> expected(50'000, 1.0);
  std::vector<double> actual = expected;
  for (std::size_t i = 20; i < actual.size(); i += 1000) actual[i] = 1.5;
  const Numbers numbers = run_engine(make_tensor(kFloat16, actual), make_tensor(kFloat16, expected));
  EXPECT_EQ(numbers.at("worst_indices"), (std::vector<double>{20, 1020, 2020, 3020, 4020, 5020, 6020, 7020}));
  EXPECT_EQ(numbers.at("max_scaled_error")[0], 0.5);
}

TEST(MetricWalk, ShapesMustAgree) {
  const engine::Engine engine({all_metrics(), -1.0});
  const Tensor two = make_tensor(kFloat32, {2, 1}, {1, 2});
  const Tensor flat = make_tensor(kFloat32, {2}, {1, 2});
  const assay_pair pair{sizeof(assay_pair), 1, &two.abi(), &flat.abi(), nullptr};
  std::vector<double> values(1000);
  std::vector<std::uint8_t> available(engine::kMetricCount);
  try {
    engine.compare(pair, values.data(), available.data());
    FAIL() << "no failure";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ASSAY_INVALID_ARGUMENT);
    EXPECT_STREQ(error.what(), "actual has shape [2, 1], expected has [2]");
  }
}

TEST(MetricWalk, ImpossibleTensorsAreRefused) {
  const engine::Engine engine({all_metrics(), -1.0});
  std::vector<double> values(1000);
  std::vector<std::uint8_t> available(engine::kMetricCount);
  const auto code = [&](const Tensor& tensor) {
    const assay_pair pair{sizeof(assay_pair), 1, &tensor.abi(), &tensor.abi(), nullptr};
    try {
      engine.compare(pair, values.data(), available.data());
    } catch (const Error& error) {
      return error.code();
    }
    return static_cast<assay_status>(ASSAY_OK);
  };
  float memory[4] = {};
  EXPECT_EQ(code(Tensor::wrap(memory, make_dtype(ASSAY_DTYPE_FLOAT, 80), {1}, {}, nullptr, true)), ASSAY_UNSUPPORTED);
  EXPECT_EQ(code(Tensor::wrap(memory, kFloat32, {-1}, {}, nullptr, true)), ASSAY_INVALID_ARGUMENT);
  EXPECT_EQ(code(Tensor::wrap(nullptr, kFloat32, {2}, {}, nullptr, true)), ASSAY_INVALID_ARGUMENT);
  EXPECT_EQ(code(Tensor::wrap(memory, kFloat32, {1LL << 40, 1LL << 40}, {}, nullptr, true)), ASSAY_INVALID_ARGUMENT);
  Tensor elsewhere = Tensor::wrap(memory, kFloat32, {2}, {}, nullptr, true);
  elsewhere.abi().dl.device.type = ASSAY_DEVICE_CUDA;
  EXPECT_EQ(code(elsewhere), ASSAY_UNSUPPORTED);
}

TEST(MetricWalk, UnknownNamesAreNoMetrics) {
  EXPECT_FALSE(engine::metrics_by_name("max_abs_eror"));
  EXPECT_EQ(engine::metrics_by_name("msprobe-mint")->count(), 3u);
  EXPECT_EQ(engine::metrics_by_name("msprobe-torch")->count(), 17u);
  EXPECT_EQ(engine::default_metrics(), *engine::metrics_by_name("assay") | *engine::metrics_by_name("msprobe-mint"));
}

}  // namespace
}  // namespace assay::test
