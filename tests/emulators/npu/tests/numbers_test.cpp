// Numbers: conversions against all halves and against double, sums and products within their bounds, the modes of the device.
#include "core/numbers.hpp"

#include <cmath>
#include <limits>
#include <random>

#include "tests/emulator_test.hpp"

namespace {

using namespace assay::emulator;

TEST(Numbers, EveryHalfSurvivesAFloat) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const float value = float_from_half(static_cast<std::uint16_t>(bits));
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(float_from_half(half_from_float(value))));
    } else {
      ASSERT_EQ(half_from_float(value), bits);
    }
  }
}

TEST(Numbers, RoundsToTheNearestHalfAndBf16) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> exponent(-24.0F, 17.0F);
  for (int i = 0; i < 20000; ++i) {
    const float value = std::exp2(exponent(random)) * (i % 2 == 0 ? 1.0F : -1.0F);
    const std::uint16_t bits = half_from_float(value);
    const float half = float_from_half(bits);
    if (std::isfinite(half)) {
      const double distance = std::fabs(static_cast<double>(half) - value);
      for (const int step : {-1, 1}) {
        const float neighbour = float_from_half(static_cast<std::uint16_t>(bits + step));
        ASSERT_LE(distance, std::fabs(static_cast<double>(neighbour) - value)) << value;
      }
    }
    const float bf16 = float_from_bf16(bf16_from_float(value));
    ASSERT_LE(std::fabs(bf16 - value), std::fabs(value) * 0x1p-8F) << value;
  }
  EXPECT_EQ(half_from_float(2049.0F), half_from_float(2048.0F)) << "ties go to even";
  EXPECT_EQ(half_from_float(2051.0F), half_from_float(2052.0F));
  EXPECT_EQ(half_from_float(65520.0F), 0x7c00);
  EXPECT_EQ(half_from_float(65519.0F), 0x7bff);
}

TEST(Numbers, CastsToIntegersSaturateAndTruncate) {
  const auto cast = [](double value, aclDataType dtype) {
    std::byte bytes[8] = {};
    store_real(bytes, dtype, value);
    return load_integer(bytes, dtype);
  };
  EXPECT_EQ(cast(-1.9, ACL_INT32), -1);
  EXPECT_EQ(cast(1e20, ACL_INT32), std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(cast(-1e20, ACL_INT64), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(cast(300.0, ACL_INT8), 127);
  EXPECT_EQ(cast(-5.0, ACL_UINT8), 0);
  EXPECT_EQ(cast(std::nan(""), ACL_INT32), 0);
}

TEST(Numbers, SaturationAndFlushChangeWhatIsStored) {
  NumberModes& modes = number_modes();
  const auto stored = [](double value) { return rounded_to(value, ACL_FLOAT16); };
  EXPECT_TRUE(std::isinf(stored(1e6)));
  EXPECT_EQ(stored(0x1p-24), 0x1p-24);
  modes.saturate = true;
  EXPECT_EQ(stored(1e6), 65504.0);
  EXPECT_EQ(stored(-std::numeric_limits<double>::infinity()), -65504.0);
  EXPECT_EQ(stored(std::nan("")), 0.0);
  EXPECT_TRUE(std::isinf(rounded_to(1e60, ACL_FLOAT))) << "float results keep infinity";
  modes.saturate = false;
  modes.flush_subnormals = true;
  EXPECT_EQ(stored(0x1p-24), 0.0);
  EXPECT_EQ(rounded_to(0x1p-130, ACL_FLOAT), 0.0);
  EXPECT_EQ(stored(0x1p-14), 0x1p-14);
  modes.flush_subnormals = false;
}

TEST(Numbers, Hf32KeepsAsManyBitsAsAsked) {
  EXPECT_EQ(round_mantissa(1.0F + 0x1p-11F, 11), 1.0F + 0x1p-11F);
  EXPECT_EQ(round_mantissa(1.0F + 0x1p-12F, 11), 1.0F) << "a tie goes to even";
  EXPECT_EQ(round_mantissa(1.0F + 0x1.8p-11F, 11), 1.0F + 0x1p-10F);
  EXPECT_EQ(round_mantissa(1.0F + 0x1p-11F, 10), 1.0F);
}

TEST(Numbers, PromotesAsTheOperatorsDo) {
  EXPECT_EQ(promoted(ACL_FLOAT16, ACL_BF16), ACL_FLOAT);
  EXPECT_EQ(promoted(ACL_INT8, ACL_UINT8), ACL_INT16);
  EXPECT_EQ(promoted(ACL_INT64, ACL_FLOAT16), ACL_FLOAT16);
  EXPECT_EQ(promoted(ACL_UINT16, ACL_INT32), ACL_DT_UNDEFINED);
  EXPECT_EQ(promoted_with_scalar(ACL_INT32, ACL_DOUBLE), ACL_FLOAT);
  EXPECT_EQ(promoted_with_scalar(ACL_BF16, ACL_DOUBLE), ACL_BF16);
  EXPECT_EQ(promoted_with_scalar(ACL_BOOL, ACL_INT64), ACL_INT64);
  EXPECT_FALSE(can_cast(ACL_FLOAT, ACL_INT32));
}

TEST_F(Npu, ProductsStayWithinTheBoundOfFloatAccumulation) {
  const std::int64_t m = 5;
  const std::int64_t k = 300;
  const std::int64_t n = 7;
  std::mt19937 random(5);
  std::uniform_real_distribution<float> uniform(-1.0F, 1.0F);
  std::vector<float> a(static_cast<std::size_t>(m * k));
  std::vector<float> b(static_cast<std::size_t>(k * n));
  for (float& value : a) {
    value = uniform(random);
  }
  for (float& value : b) {
    value = uniform(random);
  }
  const Tensor left = upload({m, k}, a);
  const Tensor right = upload({k, n}, b);
  const Tensor out = upload({m, n}, std::vector<float>(static_cast<std::size_t>(m * n)));
  for (const auto& [type, unit] : std::vector<std::pair<std::int8_t, double>>{{0, 0.0}, {3, 0x1p-12 * 2.1}, {2, 0x1p-11 * 2.1}}) {
    ASSERT_EQ(call("aclnnMm", left.get(), right.get(), out.get(), type), 0);
    const std::vector<float> c = download(out);
    double worst = 0;
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        double sum = 0;
        double size = 0;
        for (std::int64_t l = 0; l < k; ++l) {
          const double product =
              static_cast<double>(a[static_cast<std::size_t>(i * k + l)]) * b[static_cast<std::size_t>(l * n + j)];
          sum += product;
          size += std::fabs(product);
        }
        const double miss = std::fabs(c[static_cast<std::size_t>(i * n + j)] - sum);
        EXPECT_LE(miss, size * (unit + static_cast<double>(k) * 0x1p-24)) << "cubeMathType " << int{type};
        worst = std::fmax(worst, miss / size);
      }
    }
    if (type != 0) {
      EXPECT_GT(worst, 0x1p-20) << "inputs were not rounded";
    }
  }
}

TEST_F(Npu, SixteenBitProductsRoundOnceAtTheEnd) {
  // 2048 + 1 doesn't fit a half: a sum in halves would stay at 2048.
  const std::vector<std::uint16_t> ones(2064, half_from_float(1.0F));
  void* address = allocate(ones.size() * 2);
  ASSERT_EQ(aclrtMemcpy(address, ones.size() * 2, ones.data(), ones.size() * 2, ACL_MEMCPY_HOST_TO_DEVICE), 0);
  const Handle row = describe({1, 2064}, address, ACL_FLOAT16);
  const Handle column = describe({2064, 1}, address, ACL_FLOAT16);
  void* result = allocate(2);
  const Handle out = describe({1, 1}, result, ACL_FLOAT16);
  const std::int8_t precise = 0;
  ASSERT_EQ(call("aclnnMm", row.get(), column.get(), out.get(), precise), 0);
  std::uint16_t bits = 0;
  ASSERT_EQ(aclrtMemcpy(&bits, 2, result, 2, ACL_MEMCPY_DEVICE_TO_HOST), 0);
  EXPECT_EQ(float_from_half(bits), 2064.0F);
}

TEST_F(Npu, SumsAreTreesOfFloats) {
  std::mt19937 random(9);
  std::uniform_real_distribution<float> uniform(0.0F, 1.0F);
  std::vector<float> values(5000);
  double exact = 0;
  for (float& value : values) {
    value = uniform(random);
    exact += value;
  }
  const Tensor a = upload({5000}, values);
  const Tensor out = upload({1}, {0});
  aclIntArray* dims = aclCreateIntArray(nullptr, 0);
  const bool keep = true;
  ASSERT_EQ(call("aclnnReduceSum", a.get(), dims, keep, ACL_FLOAT, out.get()), 0);
  const double miss = std::fabs(download(out).at(0) - exact);
  EXPECT_LE(miss, exact * 0x1p-24 * (6 + 79)) << "six levels of a tree, then one repeat after the other";
  EXPECT_GT(miss, 0.0) << "it was summed in more than float";
  EXPECT_EQ(aclDestroyIntArray(dims), 0);
}

TEST_F(Npu, ViewsWithStridesAndOffsetsAreReadAndWritten) {
  const Tensor a = upload({6}, {0, 1, 2, 3, 4, 5});
  const std::int64_t shape[] = {2, 2};
  const std::int64_t stride[] = {1, 3};
  const std::int64_t storage[] = {6};
  const Handle view = {aclCreateTensor(shape, 2, ACL_FLOAT, stride, 1, ACL_FORMAT_ND, storage, 1, a.address), aclDestroyTensor};
  const Tensor out = upload({2, 2}, {0, 0, 0, 0});
  ASSERT_EQ(call("aclnnNeg", view.get(), out.get()), 0);
  EXPECT_EQ(download(out), (std::vector<float>{-1, -4, -2, -5}));
  ASSERT_EQ(call("aclnnSquare", out.get(), view.get()), 0);
  EXPECT_EQ(download(a), (std::vector<float>{0, 1, 4, 3, 16, 25}));
  EXPECT_EQ(report(), "");
}

}  // namespace
