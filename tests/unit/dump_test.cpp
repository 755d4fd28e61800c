#include "dump/dump.hpp"

#include <sys/resource.h>

#include "dump/inputs.hpp"
#include "dump_fixture.hpp"

namespace assay {
namespace {

constexpr std::string_view kTensor =
    R"({"type": "mindspore.Tensor", "dtype": "Float32", "shape": [2, 2], "Max": NaN, "Min": -Infinity, "data_name": "x.npy"})";

Dump open_or_throw(const std::filesystem::path& path) {
  Result<Dump> dump = Dump::open(path, {});
  if (!dump) throw std::runtime_error(dump.failure().message);
  return *dump;
}

TEST(Dump, PairsForwardAndBackwardInOrderOfFirstEntry) {
  const ScratchFolder folder;
  folder.write("dump.json", dump_text(R"("Torch.add.0.forward": {"input_args": [null]},
                                         "Torch.linalg.norm.12.forward": {"output": []},
                                         "Torch.add.0.backward": {"input": []})"));
  const Dump dump = open_or_throw(folder.path());
  ASSERT_EQ(dump.size(), 2u);
  EXPECT_EQ(dump.stem(0), "Torch.add.0");
  EXPECT_EQ(dump.find("Torch.linalg.norm.12"), 1u);
  EXPECT_EQ(dump.find("Torch.sub.0"), dump.size());
  const RecordedCall norm = dump.read(1);
  EXPECT_EQ(norm.type, "Torch");
  EXPECT_EQ(norm.api, "Torch.linalg.norm");
  EXPECT_EQ(norm.index, 12);
  EXPECT_TRUE(dump.read(0).forward && dump.read(0).backward);
  EXPECT_FALSE(norm.backward);
}

TEST(Dump, MapsTensorsWithoutCopying) {
  const ScratchFolder folder;
  folder.write("dump.json", dump_text("\"Mint.abs.0.forward\": {\"input_args\": [" + std::string(kTensor) + "]}", "mindspore"));
  folder.write("dump_tensor_data/x.npy",
               npy_bytes("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }", bytes_of<float>({1, 2, 3, 4})));
  const Dump dump = open_or_throw(folder.path());
  const RecordedCall call = dump.read(0);
  const auto* element = call.forward->inputs.at(0).get_if<TensorElement>();
  ASSERT_NE(element, nullptr);
  Result<Tensor> tensor = dump.load(*element);
  ASSERT_TRUE(tensor) << tensor.failure().message;
  EXPECT_EQ(numbers_of(*tensor), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_TRUE((tensor->abi().flags & ASSAY_TENSOR_READ_ONLY) != 0);

  const InputBuilder inputs(dump, InputRule::kAssay, 0);
  const Result<Value> value = inputs.build(call.forward->inputs[0], call.stem, "forward", "0");
  ASSERT_TRUE(value) << value.failure().message;
  EXPECT_TRUE(value->is<Tensor>());
}

TEST(Dump, IndexesAHundredThousandCallsInLittleMemory) {
  const ScratchFolder folder;
  constexpr std::size_t kCalls = 100'000;
  const std::filesystem::path file = folder.path() / "dump.json";
  {
    // Written piece by piece, so that the memory of this test says something about the reader.
    std::ofstream out(file);
    out << R"({"task": "tensor", "level": "L1", "framework": "mindspore", "dump_data_dir": null, "data": {)";
    for (std::size_t i = 0; i < kCalls; ++i) {
      out << (i == 0 ? "" : ",\n") << "\"Torch.add." << i << R"(.forward": {"input_args": [)" << kTensor << ", " << kTensor
          << R"(], "input_kwargs": {}, "output": []})";
    }
    out << "}}";
  }
  const auto peak_kib = [] {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  };
  const long before = peak_kib();
  const Dump dump = open_or_throw(file);
  EXPECT_EQ(dump.size(), kCalls);
  EXPECT_EQ(dump.find("Torch.add.99999"), kCalls - 1);
  EXPECT_EQ(dump.read(kCalls - 1).forward->inputs.size(), 2u);
  // The mapped file counts once itself.
  EXPECT_LT(peak_kib() - before, static_cast<long>(2 * std::filesystem::file_size(file) / 1024));
}

TEST(Dump, NamesItselfByTheChecksumOfItsText) {
  const ScratchFolder folder;
  folder.write("dump.json", dump_text(""));
  const std::string first = open_or_throw(folder.path()).fingerprint();
  EXPECT_EQ(first.size(), 8u);
  folder.write("dump.json", dump_text("") + "\n");
  EXPECT_NE(open_or_throw(folder.path()).fingerprint(), first);
}

}  // namespace
}  // namespace assay
