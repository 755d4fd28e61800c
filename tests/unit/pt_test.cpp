// Files of torch.save (tests/data/torch_files.tar.xz, made by make_torch_files.py), sound and faulty.
#include "dump/pt.hpp"

#include <algorithm>

#include "dump/tensor_file.hpp"
#include "dump_fixture.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

const fs::path kFiles = fs::path(ASSAY_BINARY_DIR) / "test-data/torch_files";

Result<Value> read_file(const fs::path& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.failure();
  return read_pt(*file);
}

Tensor tensor_of(const std::string& name) {
  const Result<Value> value = read_file(kFiles / name);
  if (!value) throw std::runtime_error(name + ": " + value.failure().message);
  return value->as<Tensor>();
}

std::string failure_of(const Result<Value>& value) {
  if (value) return "read";
  EXPECT_EQ(value.failure().kind, FailureKind::kInput);
  return value.failure().message;
}

bool is_mapped(const Tensor& tensor) { return (tensor.abi().flags & ASSAY_TENSOR_READ_ONLY) != 0; }

TEST(Pt, ReadsEveryDtypeWithoutCopying) {
  for (const auto& [dtype, name] : kDTypeNames) {
    SCOPED_TRACE(name);
    const Tensor tensor = tensor_of(std::string(name) + ".pt");
    EXPECT_EQ(dtype_name(tensor.dtype()), name);
    EXPECT_EQ(tensor.shape(), (std::vector<std::int64_t>{2, 3}));
    EXPECT_TRUE(is_mapped(tensor));
    const std::vector<double> expected =
        dtype == kBool ? std::vector<double>{1, 0, 1, 1, 1, 1} : std::vector<double>{1, 0, 2, 3, 1, 5};
    EXPECT_EQ(numbers_of(tensor), expected);
  }
}

TEST(Pt, ReadsParametersAndBuffersAsTensors) {
  for (const char* name : {"parameter.pt", "buffer.pt", "grad.pt"}) {
    EXPECT_EQ(numbers_of(tensor_of(name)), (std::vector<double>{0, 1, 2, 3, 4, 5})) << name;
  }
}

TEST(Pt, KeepsStridesAndOffsets) {
  EXPECT_EQ(numbers_of(tensor_of("strided.pt")), (std::vector<double>{5, 9, 6, 10, 7, 11}));
  EXPECT_EQ(numbers_of(tensor_of("expanded.pt")), (std::vector<double>{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(numbers_of(tensor_of("scalar.pt")), (std::vector<double>{3.5}));
  EXPECT_EQ(tensor_of("empty.pt").shape(), (std::vector<std::int64_t>{0, 3}));
}

TEST(Pt, CopiesWhatCanNotBeUsedAsItLies) {
  for (const char* name : {"deflated.pt", "unaligned.pt", "big_endian.pt"}) {
    EXPECT_EQ(numbers_of(tensor_of(name)), (std::vector<double>{0, 1, 2, 3, 4, 5})) << name;
  }
}

TEST(Pt, ReadsNestedContainers) {
  const Result<Value> value = read_file(kFiles / "nested.pt");
  ASSERT_TRUE(value) << value.failure().message;
  const auto& items = value->as<Dict>().items;
  const auto item = [&items](const std::string& name) -> const Value& {
    return std::find_if(items.begin(), items.end(), [&](const NamedValue& entry) { return entry.first == name; })->second;
  };
  EXPECT_EQ(items.size(), 9u);
  const auto& list = item("a").as<List>().items;
  EXPECT_EQ(numbers_of(list.at(0).as<Tensor>()), (std::vector<double>{0, 1}));
  EXPECT_TRUE(list.at(1).as<Tuple>().items.at(1).is<None>());
  EXPECT_EQ(item("n").as<std::int64_t>(), -5);
  EXPECT_EQ(item("f").as<double>(), 2.5);
  EXPECT_EQ(item("s").as<std::string>(), "x");
  EXPECT_TRUE(item("t").as<bool>());
  EXPECT_EQ(item("o").as<Dict>().items.at(0).first, "z");
  EXPECT_EQ(item("size").as<Tuple>().items.at(1).as<std::int64_t>(), 3);
  EXPECT_TRUE(item("dtype").as<assay_dtype>() == kFloat16);
  EXPECT_EQ(item("device").as<assay_device>().type, ASSAY_DEVICE_CPU);
}

TEST(Pt, ReadsLaterPickleProtocols) {
  for (const char* name : {"protocol3.pt", "protocol4.pt", "protocol5.pt"}) {
    const Result<Value> value = read_file(kFiles / name);
    ASSERT_TRUE(value) << name << ": " << value.failure().message;
    const auto& items = value->as<Dict>().items;
    EXPECT_EQ(numbers_of(items.at(0).second.as<Tensor>()), (std::vector<double>{0, 1, 2, 3, 4, 5}));
    const auto& integers = items.at(1).second.as<List>().items;
    EXPECT_EQ(integers.at(2).as<std::int64_t>(), -70000);
    EXPECT_EQ(integers.at(3).as<std::int64_t>(), std::int64_t{1} << 40);
  }
}

TEST(Pt, NamesWhatAPickleWantsToRunAndRunsNothing) {
  for (const char* name : {"evil.pt", "evil_beside_tensor.pt"}) {
    EXPECT_EQ(failure_of(read_file(kFiles / name)),
              "it names 'posix.system', which tensors don't need; nothing in it was executed");
  }
  EXPECT_FALSE(fs::exists("/tmp/assay-was-here"));
}

TEST(Pt, NamesEachKindOfLie) {
  const std::pair<const char*, const char*> cases[] = {
      {"lying_shape.pt", "shape (2, 9) of float32 needs 48 bytes, there are 24"},
      {"lying_storage.pt", "storage '0' claims 96 elements, the file has 6"},
      {"missing_storage.pt", "storage '0' is missing in the archive"},
      {"missing_pickle.pt", "the archive holds no data.pkl: not a file of torch.save"},
      {"huge_stride.pt", "shape (2, 3) of float32 needs more than a memory can hold"},
      {"negative_offset.pt", "it describes a tensor in an unknown way"},
      {"conjugated.pt", "it holds a lazily conjugated view; save a copy of the tensor instead"},
  };
  for (const auto& [name, message] : cases) EXPECT_EQ(failure_of(read_file(kFiles / name)), message) << name;
}

TEST(Pt, NamesTheOldFormat) {
  TensorElement element;
  element.dtype = kFloat32;
  element.shape = {2, 3};
  const Result<Tensor> tensor = load_tensor_file(kFiles / "legacy.pt", element);
  ASSERT_FALSE(tensor);
  EXPECT_EQ(
      tensor.failure().message,
      "read tensor 'legacy.pt': a file of torch.save's old format (no zip archive); load it in PyTorch 1.6 or later and save it "
      "again");
  const Result<Tensor> nested = load_tensor_file(kFiles / "nested.pt", element);
  ASSERT_FALSE(nested);
  EXPECT_EQ(nested.failure().message, "read tensor 'nested.pt': holds an object that is not a tensor");
}

std::string bytes_of_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Pt, FailsForEveryCutOffFile) {
  const ScratchFolder folder;
  const std::string whole = bytes_of_file(kFiles / "float32.pt");
  ASSERT_GT(whole.size(), 500u);
  for (std::size_t size = 1; size < whole.size(); size += 31) {
    EXPECT_FALSE(read_file(folder.write("x.pt", std::string_view(whole).substr(0, size)))) << size;
  }
  EXPECT_EQ(failure_of(read_file(folder.write("x.pt", std::string_view(whole).substr(0, 700)))),
            "the zip archive has no directory at its end; the file was cut off or overwritten");
}

TEST(Pt, ReservesNothingForASizeThatOnlyTheDirectoryClaims) {
  const ScratchFolder folder;
  const std::string whole = bytes_of_file(kFiles / "deflated.pt");
  const auto with_sizes = [&](std::uint32_t packed, std::uint32_t size) {
    std::string changed = whole;
    const auto write = [&](std::size_t at, std::uint32_t value) {
      for (std::size_t i = 0; i < 4; ++i) changed[at + i] = static_cast<char>(value >> (8 * i));
    };
    for (std::size_t at = changed.find("PK\x01\x02"); at != std::string::npos; at = changed.find("PK\x01\x02", at + 1)) {
      write(at + 20, packed);
      write(at + 24, size);
    }
    return failure_of(read_file(folder.write("x.pt", changed)));
  };
  EXPECT_NE(with_sizes(0xffffff00u, 0xffffffcau).find("claims a size that its bytes can't hold"), std::string::npos);
  const auto file_size = static_cast<std::uint32_t>(whole.size());
  EXPECT_NE(with_sizes(file_size, 1000 * file_size).find("unpack '"), std::string::npos);
}

TEST(Pt, SurvivesWrongBytes) {
  const ScratchFolder folder;
  const std::string whole = bytes_of_file(kFiles / "nested.pt");
  std::size_t refused = 0;
  for (std::size_t i = 0; i < whole.size(); i += 5) {
    std::string changed = whole;
    changed[i] = static_cast<char>(~changed[i]);
    if (!read_file(folder.write("x.pt", changed))) ++refused;
  }
  EXPECT_GT(refused, 50u);
}

}  // namespace
}  // namespace assay
