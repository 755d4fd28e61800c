#include "dump/npy.hpp"

#include <complex>

#include "dump_fixture.hpp"

namespace assay {
namespace {

Result<Tensor> read_bytes(std::string_view bytes) {
  const ScratchFolder folder;
  const Result<MappedFile> file = MappedFile::open(folder.write("x.npy", bytes));
  if (!file) return file.failure();
  return read_npy(*file);
}

std::string header(const std::string& descr, const std::string& shape, bool fortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape + ", }";
}

Tensor tensor_of(const std::string& descr, const std::string& shape, std::string_view data, bool fortran = false) {
  const Result<Tensor> tensor = read_bytes(npy_bytes(header(descr, shape, fortran), data));
  if (!tensor) throw std::runtime_error(tensor.failure().message);
  return *tensor;
}

std::string failure_of(std::string_view bytes) {
  const Result<Tensor> tensor = read_bytes(bytes);
  if (tensor) return "read";
  EXPECT_EQ(tensor.failure().kind, FailureKind::kInput);
  return tensor.failure().message;
}

std::string header_failure(const std::string& text, std::size_t data_bytes = 8) {
  return failure_of(npy_bytes(text, std::string(data_bytes, '\0')));
}

bool is_mapped(const Tensor& tensor) { return (tensor.abi().flags & ASSAY_TENSOR_READ_ONLY) != 0; }

template <class T>
void expect_numbers(const std::string& descr, assay_dtype dtype, const std::vector<T>& values) {
  SCOPED_TRACE(descr);
  const std::string shape = "(" + std::to_string(values.size()) + ",)";
  std::vector<double> expected;
  for (const T value : values) expected.push_back(static_cast<double>(value));
  const Tensor native = tensor_of("<" + descr, shape, bytes_of(values));
  EXPECT_EQ(dtype_name(native.dtype()), dtype_name(dtype));
  EXPECT_TRUE(is_mapped(native));
  EXPECT_EQ(numbers_of(native), expected);
  std::string swapped = bytes_of(values);
  for (std::size_t i = 0; i < swapped.size(); i += sizeof(T)) {
    std::reverse(swapped.begin() + static_cast<std::ptrdiff_t>(i), swapped.begin() + static_cast<std::ptrdiff_t>(i + sizeof(T)));
  }
  EXPECT_EQ(numbers_of(tensor_of(">" + descr, shape, swapped)), expected);
}

TEST(Npy, ReadsEveryDtypeInBothByteOrders) {
  expect_numbers<std::int8_t>("i1", kInt8, {-128, 0, 127});
  expect_numbers<std::int16_t>("i2", kInt16, {-300, 0, 300});
  expect_numbers<std::int32_t>("i4", kInt32, {-70000, 0, 70000});
  expect_numbers<std::int64_t>("i8", kInt64, {-5000000000, 0, 5000000000});
  expect_numbers<std::uint8_t>("u1", kUInt8, {0, 255});
  expect_numbers<std::uint16_t>("u2", kUInt16, {0, 65535});
  expect_numbers<std::uint32_t>("u4", kUInt32, {0, 4294967295u});
  expect_numbers<std::uint64_t>("u8", kUInt64, {0, 1ull << 63});
  expect_numbers<float>("f4", kFloat32, {-1.5f, 0, 3e38f});
  expect_numbers<double>("f8", kFloat64, {-1.5, 0, 1e300});
  EXPECT_EQ(numbers_of(tensor_of("|b1", "(3,)", std::string("\0\1\2", 3))), (std::vector<double>{0, 1, 1}));
  EXPECT_EQ(numbers_of(tensor_of("<f2", "(2,)", bytes_of<std::uint16_t>({0x3c00, 0xc000}))), (std::vector<double>{1, -2}));
  EXPECT_EQ(numbers_of(tensor_of("|V2", "(2,)", bytes_of<std::uint16_t>({0x3f80, 0xc000}))), (std::vector<double>{1, -2}));
  EXPECT_EQ(numbers_of(tensor_of("bfloat16", "(1,)", bytes_of<std::uint16_t>({0x3f80}))), (std::vector<double>{1}));
}

TEST(Npy, ReadsComplexNumbers) {
  const Tensor single = tensor_of("<c8", "(2,)", bytes_of<std::complex<float>>({{1, 2}, {3, -4}}));
  EXPECT_EQ(single.view().imaginary_at(1), -4);
  const Tensor swapped = tensor_of(">c16", "()", std::string("\x3f\xf0\0\0\0\0\0\0\xc0\0\0\0\0\0\0\0", 16));
  EXPECT_EQ(swapped.view().number_at(0), 1);
  EXPECT_EQ(swapped.view().imaginary_at(0), -2);
}

TEST(Npy, GivesFortranOrderAsStrides) {
  const Tensor tensor = tensor_of("<f4", "(2, 3)", bytes_of<float>({1, 4, 2, 5, 3, 6}), true);
  EXPECT_TRUE(is_mapped(tensor));
  EXPECT_EQ(numbers_of(tensor), (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

TEST(Npy, ReadsScalarsAndEmptyArrays) {
  EXPECT_EQ(numbers_of(tensor_of("<f8", "()", bytes_of<double>({2.5}))), (std::vector<double>{2.5}));
  EXPECT_EQ(tensor_of("<f4", "(0, 3)", "").shape(), (std::vector<std::int64_t>{0, 3}));
  EXPECT_EQ(tensor_of("<f4", "(0, 3)", "", true).shape(), (std::vector<std::int64_t>{0, 3}));
}

TEST(Npy, ReadsVersionsTwoAndThree) {
  for (const char version : {'\2', '\3'}) {
    std::string bytes = npy_bytes(header("<f4", "(1,)"), bytes_of<float>({7}));
    bytes[6] = version;
    bytes.insert(10, 2, '\0');
    const Result<Tensor> tensor = read_bytes(bytes);
    ASSERT_TRUE(tensor) << tensor.failure().message;
    EXPECT_EQ(numbers_of(*tensor), (std::vector<double>{7}));
    EXPECT_FALSE(is_mapped(*tensor)) << "data at an odd offset are copied";
  }
  std::string unknown = npy_bytes(header("<f4", "(1,)"), bytes_of<float>({7}));
  unknown[6] = '\4';
  EXPECT_EQ(failure_of(unknown), "version 4 of the .npy format, expected 1, 2 or 3");
}

TEST(Npy, AcceptsHeadersThatOtherWritersMake) {
  EXPECT_EQ(header_failure("{\"shape\": (1L,), \"fortran_order\": False, \"descr\": \"<f8\"}"), "read");
  EXPECT_EQ(header_failure("{'descr':'=f8','fortran_order':False,'shape':(1)}"), "read");
}

TEST(Npy, RefusesArraysWithoutNumbersByName) {
  EXPECT_EQ(header_failure(header("<U3", "(1,)")), "holds text (dtype '<U3'), expected numbers");
  EXPECT_EQ(header_failure(header("|S8", "(1,)")), "holds text (dtype '|S8'), expected numbers");
  EXPECT_EQ(header_failure(header("|O", "(1,)")), "holds pickled Python objects (dtype '|O'), which are never read");
  EXPECT_EQ(header_failure(header("<M8[ns]", "(1,)")), "dtype '<M8[ns]' is not supported");
  EXPECT_EQ(
      header_failure("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}"),
      "the header is not as NumPy writes it at character 10: expected a plain dtype in quotes; records are not supported, got '['");
}

TEST(Npy, NamesHeadersThatLie) {
  EXPECT_EQ(header_failure(header("<f4", "(3,)")), "shape (3,) of float32 needs 12 bytes, there are 8");
  EXPECT_EQ(header_failure(header("<f4", "(-1,)")), "the shape has the negative dimension -1");
  EXPECT_EQ(header_failure(header("<f4", "(4294967296, 4294967296)")),
            "shape (4294967296, 4294967296) names more than a memory can hold");
  EXPECT_EQ(header_failure(header("<f8", "(4294967296, 4294967296)", true)), "shape (4294967296, 4294967296) is too large");
  EXPECT_EQ(header_failure(header("<f4", "(1000000000000,)")),
            "shape (1000000000000,) of float32 needs 4000000000000 bytes, there are 8");
  EXPECT_EQ(header_failure(header("<f4", "(99999999999999999999,)")),
            "the header is not as NumPy writes it at character 51: expected a dimension that fits 64 bits, got '9'");
}

TEST(Npy, NamesFaultyHeaders) {
  EXPECT_EQ(failure_of("\x93NUMPY"), "ends inside the header, after 6 bytes");
  EXPECT_EQ(failure_of("hello, world"), "does not begin as a .npy file does");
  EXPECT_EQ(failure_of(std::string("\x93NUMPY\1\0\xff\xff{}", 12)), "names a header of 65535 bytes, the file has 2");
  EXPECT_EQ(header_failure("{'descr': '<f4', 'shape': (1,)}"), "the header lacks 'descr', 'fortran_order' or 'shape'");
  EXPECT_EQ(header_failure("{'descr': '<f4', 'descr': '<f4'}"), "'descr' occurs twice in the header");
  EXPECT_EQ(header_failure("{'x': 1}"), "unknown key 'x' in the header");
  EXPECT_EQ(header_failure("os.system('x')"), "the header is not as NumPy writes it at character 0: expected '{', got 'o'");
  EXPECT_EQ(header_failure("{'fortran_order': 1}"),
            "the header is not as NumPy writes it at character 18: expected True or False, got '1'");
  EXPECT_EQ(header_failure("{'descr': '<f4"),
            "the header is not as NumPy writes it at character 10: expected a plain dtype in quotes; records "
            "are not supported, got '''");
  EXPECT_EQ(header_failure(header("<f4", "(1,)") + " x"),
            "the header is not as NumPy writes it at character 58: expected the end of the header, got 'x'");
}

TEST(Npy, FailsForEveryCutOffFile) {
  const std::string whole = npy_bytes(header("<f4", "(2, 2)"), bytes_of<float>({1, 2, 3, 4}));
  for (std::size_t size = 1; size < whole.size(); ++size)
    EXPECT_NE(failure_of(std::string_view(whole).substr(0, size)), "read") << size;
}

}  // namespace
}  // namespace assay
