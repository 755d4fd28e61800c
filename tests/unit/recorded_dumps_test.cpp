// Every recorded dump of tests/data is read: the counts that its makers state, and each tensor against its own statistics.
#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "dump_fixture.hpp"

namespace assay {
namespace {

const std::filesystem::path kData = std::filesystem::path(ASSAY_BINARY_DIR) / "test-data";

struct Counts {
  std::size_t calls = 0;
  std::size_t backward = 0;
  std::size_t files = 0;
  std::size_t opaque = 0;
  std::set<std::string> names;
};

void for_each_element(const std::vector<Element>& elements, const std::function<void(const Element&)>& f);

void visit(const Element& element, const std::function<void(const Element&)>& f) {
  f(element);
  if (const auto* list = element.get_if<ElementList>()) for_each_element(list->items, f);
  if (const auto* dict = element.get_if<ElementDict>()) {
    for (const auto& [name, item] : dict->items) visit(item, f);
  }
}

void for_each_element(const std::vector<Element>& elements, const std::function<void(const Element&)>& f) {
  for (const Element& element : elements) visit(element, f);
}

/// The extremes as the recording computes them: of the absolute values where numbers are complex, NaN if there is one.
std::pair<double, double> extremes(const Tensor& tensor) {
  double low = INFINITY;
  double high = -INFINITY;
  const TensorView view = tensor.view();
  view.for_each_offset([&](std::int64_t, std::int64_t offset) {
    double x = view.number_at(offset);
    if (is_complex(view.dtype())) x = std::hypot(x, view.imaginary_at(offset));
    if (std::isnan(x) || std::isnan(low)) {
      low = high = NAN;
    } else {
      low = std::min(low, x);
      high = std::max(high, x);
    }
  });
  return {low, high};
}

bool same(double actual, double expected) {
  return (std::isnan(actual) && std::isnan(expected)) || actual == expected ||
         std::fabs(actual - expected) <= 1e-6 * std::max(std::fabs(actual), std::fabs(expected));
}

void check_tensor(const Dump& dump, const TensorElement& element, const std::string& stem) {
  const Result<Tensor> tensor = dump.load(element);
  ASSERT_TRUE(tensor) << stem << ": " << tensor.failure().message;
  EXPECT_EQ(tensor->shape(), element.shape);
  EXPECT_EQ(dtype_name(tensor->dtype()), dtype_name(*element.dtype));
  if (!element.max || !element.min) return;
  const auto [low, high] = extremes(*tensor);
  // MindSpore's kernels for the extremes pass over a NaN.
  if (std::isnan(low) && element.type == "mindspore.Tensor") return;
  EXPECT_TRUE(same(low, *element.min)) << element.data_name << ": " << low << " against " << *element.min;
  EXPECT_TRUE(same(high, *element.max)) << element.data_name << ": " << high << " against " << *element.max;
}

void read_dump(const std::filesystem::path& folder, Counts& counts) {
  const Result<Dump> dump = Dump::open(folder, {});
  ASSERT_TRUE(dump) << dump.failure().message;
  EXPECT_TRUE(dump->skipped_keys().empty());
  counts.calls += dump->size();
  for (std::size_t i = 0; i < dump->size(); ++i) {
    const RecordedCall call = dump->read(i);
    counts.names.insert(call.api);
    ASSERT_TRUE(call.forward);
    if (call.backward) ++counts.backward;
    const auto check = [&](const Element& element) {
      if (element.get_if<OpaqueElement>() != nullptr) ++counts.opaque;
      const auto* tensor = element.get_if<TensorElement>();
      // The recording names a file for a NumPy array and writes none.
      if (tensor == nullptr || tensor->type == "numpy.ndarray" || dump->header().task == "statistics") return;
      if (!tensor->data_name.empty()) ++counts.files;
      check_tensor(*dump, *tensor, call.stem);
    };
    for (const auto* direction : {&call.forward, &call.backward}) {
      if (!*direction) continue;
      ASSERT_FALSE((*direction)->error) << *(*direction)->error;
      for_each_element((*direction)->inputs, check);
      for_each_element((*direction)->outputs, check);
      for (const auto& [name, element] : (*direction)->kwargs) visit(element, check);
    }
  }
}

Counts read_folders(const std::filesystem::path& root, const std::vector<std::string>& folders) {
  Counts counts;
  for (const std::string& folder : folders) read_dump(root / folder, counts);
  return counts;
}

TEST(RecordedDumps, ReadsEveryCallOfOpinfo) {
  const Counts counts = read_folders(kData / "opinfo", {"beyond", "bfloat16", "bool", "complex64", "float16", "float32", "float64",
                                                        "int64", "lossy", "pt", "random", "variants"});
  EXPECT_EQ(counts.calls, 1209u);
  EXPECT_EQ(counts.backward, 342u);
  EXPECT_EQ(counts.names.size(), 612u);
  EXPECT_EQ(counts.files, 3940u);
  EXPECT_EQ(counts.opaque, 5u);
}

TEST(RecordedDumps, ReadsEveryCallOfMint) {
  const Counts counts =
      read_folders(kData / "mint_ops", {"beyond", "bfloat16", "bool", "float16", "float32", "float64", "int32", "int64"});
  EXPECT_EQ(counts.calls, 309u);
  EXPECT_EQ(counts.backward, 146u);
  EXPECT_EQ(counts.names.size(), 99u);
  EXPECT_EQ(counts.files, 1046u);
}

TEST(RecordedDumps, ReadsModelsOfBothFrameworks) {
  struct Model {
    std::string folder;
    std::size_t calls, backward, files;
  };
  for (const Model& model : {Model{"llama_mint_tensor", 49, 43, 225}, Model{"llama_mint_statistics", 49, 43, 0},
                             Model{"llama_torch_tensor", 67, 43, 274}, Model{"llama_torch_statistics", 67, 43, 0},
                             Model{"torch_modules", 57, 57, 284}}) {
    SCOPED_TRACE(model.folder);
    const Counts counts = read_folders(kData / "dumps", {model.folder});
    EXPECT_EQ(counts.calls, model.calls);
    EXPECT_EQ(counts.backward, model.backward);
    EXPECT_EQ(counts.files, model.files);
  }
}

}  // namespace
}  // namespace assay
