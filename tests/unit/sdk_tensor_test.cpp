#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <cstring>
#include <limits>

#include "assay/sdk/tensor.hpp"

namespace assay {
namespace {

/// An assay_tensor over memory of the test.
struct Borrowed {
  Borrowed(void* data, assay_dtype dtype, std::vector<std::int64_t> shape_, std::vector<std::int64_t> strides_ = {})
      : shape(std::move(shape_)), strides(std::move(strides_)) {
    tensor.struct_size = sizeof tensor;
    tensor.dl.data = data;
    tensor.dl.device = {ASSAY_DEVICE_CPU, 0};
    tensor.dl.ndim = static_cast<std::int32_t>(shape.size());
    tensor.dl.dtype = dtype;
    tensor.dl.shape = shape.empty() ? nullptr : shape.data();
    tensor.dl.strides = strides.empty() ? nullptr : strides.data();
  }
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
  assay_tensor tensor{};
};

std::vector<double> elements(const assay_tensor& tensor) {
  const TensorView view(tensor);
  std::vector<double> numbers;
  view.for_each_offset([&](std::int64_t index, std::int64_t offset) {
    EXPECT_EQ(index, static_cast<std::int64_t>(numbers.size()));
    EXPECT_EQ(offset, view.offset_of(index));
    numbers.push_back(view.number_at(offset));
  });
  return numbers;
}

using Numbers = std::vector<double>;

TEST(TensorView, WalksCompactTensorsWithAndWithoutStrides) {
  std::array<float, 6> data{0, 1, 2, 3, 4, 5};
  EXPECT_EQ(elements(Borrowed(data.data(), kFloat32, {2, 3}).tensor), (Numbers{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(elements(Borrowed(data.data(), kFloat32, {2, 3}, {3, 1}).tensor), (Numbers{0, 1, 2, 3, 4, 5}));
}

TEST(TensorView, WalksAnyStridesInRowMajorOrder) {
  std::array<float, 6> data{0, 1, 2, 3, 4, 5};
  EXPECT_EQ(elements(Borrowed(data.data(), kFloat32, {3, 2}, {1, 3}).tensor), (Numbers{0, 3, 1, 4, 2, 5})) << "transposed";
  EXPECT_EQ(elements(Borrowed(data.data(), kFloat32, {3}, {2}).tensor), (Numbers{0, 2, 4})) << "every second";
  EXPECT_EQ(elements(Borrowed(data.data(), kFloat32, {2, 3}, {0, 1}).tensor), (Numbers{0, 1, 2, 0, 1, 2})) << "broadcast";
  EXPECT_EQ(elements(Borrowed(data.data() + 5, kFloat32, {2, 3}, {-3, -1}).tensor), (Numbers{5, 4, 3, 2, 1, 0})) << "reversed";
  EXPECT_EQ(elements(Borrowed(data.data(), kFloat32, {2, 1, 3}, {3, 77, 1}).tensor), (Numbers{0, 1, 2, 3, 4, 5}))
      << "the stride of a dimension of one says nothing";
}

TEST(TensorView, KnowsZeroDimensionsAndNoElements) {
  float one = 7;
  EXPECT_EQ(elements(Borrowed(&one, kFloat32, {}).tensor), Numbers{7});
  EXPECT_EQ(TensorView(Borrowed(&one, kFloat32, {}).tensor).shape(), std::vector<std::int64_t>());
  EXPECT_EQ(elements(Borrowed(nullptr, kFloat32, {0}).tensor), Numbers());
  EXPECT_EQ(elements(Borrowed(nullptr, kFloat32, {3, 0, 2}, {5, 7, 9}).tensor), Numbers());
}

TEST(TensorView, ReadsAtAnyByteOffset) {
  std::array<unsigned char, 64> bytes{};
  const double value = -1.25;
  std::memcpy(bytes.data() + 13, &value, sizeof value);
  Borrowed tensor(bytes.data(), kFloat64, {1});
  tensor.tensor.dl.byte_offset = 13;
  EXPECT_EQ(elements(tensor.tensor), Numbers{-1.25});
}

template <class T>
double read_one(assay_dtype dtype, T value) {
  return TensorView(Borrowed(&value, dtype, {1}).tensor).number_at(0);
}

TEST(TensorView, ReadsEveryDType) {
  EXPECT_EQ(read_one<std::uint8_t>(kBool, 2), 1.0) << "any byte other than 0 is true";
  EXPECT_EQ(read_one<std::int8_t>(kInt8, -128), -128.0);
  EXPECT_EQ(read_one<std::int16_t>(kInt16, -32768), -32768.0);
  EXPECT_EQ(read_one<std::int32_t>(kInt32, std::numeric_limits<std::int32_t>::min()), -2147483648.0);
  EXPECT_EQ(read_one<std::int64_t>(kInt64, std::int64_t{1} << 53), 9007199254740992.0);
  EXPECT_EQ(read_one<std::uint8_t>(kUInt8, 255), 255.0);
  EXPECT_EQ(read_one<std::uint16_t>(kUInt16, 65535), 65535.0);
  EXPECT_EQ(read_one<std::uint32_t>(kUInt32, 4294967295u), 4294967295.0);
  EXPECT_EQ(read_one<std::uint64_t>(kUInt64, std::uint64_t{1} << 63), 9223372036854775808.0);
  EXPECT_EQ(read_one<std::uint16_t>(kFloat16, 0xc000), -2.0);
  EXPECT_EQ(read_one<std::uint16_t>(kBFloat16, 0x3f80), 1.0);
  EXPECT_EQ(read_one<float>(kFloat32, 0.1f), static_cast<double>(0.1f));
  EXPECT_EQ(read_one<double>(kFloat64, 0.1), 0.1);
  EXPECT_EQ(read_one<std::uint8_t>(kFloat8E4M3FN, 0x7e), 448.0);
  EXPECT_EQ(read_one<std::uint8_t>(kFloat8E5M2, 0x7b), 57344.0);
  EXPECT_THROW(read_one<std::uint8_t>(make_dtype(99, 8), 0), Error);
}

TEST(TensorView, ReadsBothPartsOfComplexNumbers) {
  std::array<std::complex<float>, 2> data{std::complex<float>{1, 2}, {3, -4}};
  const Borrowed tensor(data.data(), kComplex64, {2});
  EXPECT_EQ(TensorView(tensor.tensor).number_at(1), 3.0);
  EXPECT_EQ(TensorView(tensor.tensor).imaginary_at(1), -4.0);
  std::array<std::uint16_t, 2> halves{0x3c00, 0xbc00};
  const Borrowed half(halves.data(), kComplex32, {1});
  EXPECT_EQ(TensorView(half.tensor).number_at(0), 1.0);
  EXPECT_EQ(TensorView(half.tensor).imaginary_at(0), -1.0);
}

TEST(Tensor, AllocatesWhatTheShapeNeeds) {
  Tensor tensor = Tensor::allocate(kFloat32, {2, 3});
  EXPECT_EQ(tensor.nbytes(), 24u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.data_as<float>()) % 64, 0u);
  std::memset(tensor.data_as<float>(), 0, tensor.nbytes());
  EXPECT_EQ(elements(tensor.abi()), Numbers(6, 0.0));
  EXPECT_EQ(Tensor::allocate(kFloat32, {0, 5}).numel(), 0);
  EXPECT_EQ(Tensor::allocate(kFloat32, {}).numel(), 1);
}

TEST(Tensor, RefusesShapesThatNoMemoryHolds) {
  const auto code = [](std::vector<std::int64_t> shape) {
    try {
      (void)Tensor::allocate(kFloat64, std::move(shape));
      return ASSAY_OK + 0;
    } catch (const Error& e) {
      return e.code() + 0;
    }
  };
  EXPECT_EQ(code({-1}), ASSAY_INVALID_ARGUMENT);
  EXPECT_EQ(code({std::numeric_limits<std::int64_t>::max()}), ASSAY_INVALID_ARGUMENT);
  EXPECT_EQ(code({1 << 30, 1 << 30, 1 << 30}), ASSAY_INVALID_ARGUMENT);
}

TEST(Tensor, SharesItsMemoryWithItsCopies) {
  auto memory = std::make_shared<std::array<float, 2>>(std::array<float, 2>{1, 2});
  const std::weak_ptr<std::array<float, 2>> watch = memory;
  {
    Tensor copy = Tensor::wrap(memory->data(), kFloat32, {2}, {}, memory, true);
    const Tensor other = copy;
    memory.reset();
    EXPECT_FALSE(watch.expired());
    EXPECT_EQ(elements(other.abi()), (Numbers{1, 2}));
    EXPECT_EQ(other.abi().flags, static_cast<std::uint32_t>(ASSAY_TENSOR_READ_ONLY));
  }
  EXPECT_TRUE(watch.expired());
}

}  // namespace
}  // namespace assay
