// What holds for every perturbation plugin, whatever it does: memory layouts, threads, counts and memory that must not be written.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cmath>

#include "assay/sdk/float_format.hpp"
#include "assay/sdk/random.hpp"
#include "support/perturbation_under_test.hpp"

namespace assay::testing {
namespace {

struct Variant {
  const char* id;
  const char* config;
};

std::ostream& operator<<(std::ostream& out, const Variant& variant) { return out << variant.id << " " << variant.config; }

const std::vector<assay_dtype> kTypes = {kFloat16,    kBFloat16,  kFloat32,   kFloat64,   kFloat8E4M3FN,
                                         kFloat8E5M2, kComplex32, kComplex64, kComplex128};

class EveryPerturbation : public ::testing::TestWithParam<Variant> {
 protected:
  EveryPerturbation() : plugin_(GetParam().id, GetParam().config, folder()) {}

  static std::filesystem::path folder() {
    const bool ours = std::string_view(GetParam().id).substr(0, 6) == "assay.";
    return ours ? plugin_folder() : std::filesystem::path(ASSAY_BINARY_DIR) / "tests/plugins";
  }

  /// Random bits: numbers of every size, and the odd NaN.
  static Tensor random_tensor(assay_dtype dtype, const std::vector<std::int64_t>& shape) {
    Tensor tensor = Tensor::allocate(dtype, shape);
    const RandomStream stream(17);
    std::vector<std::uint32_t> words(tensor.nbytes() / 4 + 1);
    stream.fill(words.data(), 0, words.size());
    if (tensor.nbytes() != 0) std::memcpy(tensor.abi().dl.data, words.data(), tensor.nbytes());
    return tensor;
  }

  [[nodiscard]] bool takes(const Tensor& tensor) const { return plugin_.refusal(tensor).empty(); }

  PerturbationUnderTest plugin_;
};

std::vector<std::uint8_t> bytes_of(const Tensor& tensor) {
  std::vector<std::uint8_t> out;
  const std::size_t size = dtype_size(tensor.dtype());
  tensor.view().for_each_offset([&](std::int64_t, std::int64_t offset) {
    const auto* const at = static_cast<const std::uint8_t*>(tensor.view().data()) + offset * static_cast<std::int64_t>(size);
    out.insert(out.end(), at, at + size);
  });
  return out;
}

/// The same elements in other memory: every dimension reversed and spread out.
Tensor scattered(assay_dtype dtype, const std::vector<std::int64_t>& shape, std::size_t misaligned_by) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t span = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    // Column-major with gaps; every second dimension runs backwards.
    strides[d] = span * 2;
    span *= 2 * shape[d];
  }
  const std::size_t bytes = static_cast<std::size_t>(span + 1) * dtype_size(dtype) + 16;
  const std::shared_ptr<void> memory(std::calloc(1, bytes), std::free);
  std::int64_t first = 0;
  for (std::size_t d = 0; d < shape.size(); d += 2) {
    first += strides[d] * (shape[d] - 1);
    strides[d] = -strides[d];
  }
  Tensor tensor = Tensor::wrap(memory.get(), dtype, shape, strides, memory, false);
  tensor.abi().dl.byte_offset = static_cast<std::uint64_t>(first) * dtype_size(dtype) + misaligned_by;
  return tensor;
}

void copy_into(const Tensor& from, const Tensor& to) {
  const std::size_t size = dtype_size(from.dtype());
  const auto* source = static_cast<const char*>(from.view().data());
  to.view().for_each_offset([&](std::int64_t, std::int64_t offset) {
    std::memcpy(static_cast<char*>(const_cast<void*>(to.view().data())) + offset * static_cast<std::int64_t>(size), source, size);
    source += size;
  });
}

TEST_P(EveryPerturbation, DependsOnNoMemoryLayout) {
  const std::vector<std::int64_t> shape = {7, 41, 13};
  for (const assay_dtype dtype : kTypes) {
    SCOPED_TRACE(dtype_name(dtype));
    const Tensor input = random_tensor(dtype, shape);
    if (!takes(input)) continue;
    const Perturbed expected = plugin_.apply(input, 5);
    for (const std::size_t misaligned_by : {std::size_t{0}, std::size_t{1}}) {
      const Tensor strided = scattered(dtype, shape, misaligned_by);
      copy_into(input, strided);
      const Perturbed actual = plugin_.apply(strided, 5, 2);
      EXPECT_EQ(bytes_of(actual.output), bytes_of(expected.output));
      EXPECT_EQ(actual.changed, expected.changed);

      Tensor output = scattered(expected.output.dtype(), shape, misaligned_by);
      EXPECT_EQ(plugin_.apply_into(input.abi(), 5, 2, output.abi()), expected.changed);
      EXPECT_EQ(bytes_of(output), bytes_of(expected.output));
    }
  }
}

TEST_P(EveryPerturbation, TakesABroadcastInput) {
  const Tensor row = random_tensor(kFloat32, {1, 600});
  const Tensor wide = Tensor::wrap(row.abi().dl.data, kFloat32, {5, 600}, {0, 1}, nullptr, true);
  if (!takes(wide)) return;
  Tensor copy = Tensor::allocate(kFloat32, {5, 600});
  std::memcpy(copy.abi().dl.data, bytes_of(wide).data(), copy.nbytes());
  EXPECT_EQ(bytes_of(plugin_.apply(wide).output), bytes_of(plugin_.apply(copy).output));
}

TEST_P(EveryPerturbation, GivesTheSameBitsForAnyNumberOfThreads) {
  for (const assay_dtype dtype : kTypes) {
    SCOPED_TRACE(dtype_name(dtype));
    // No multiple of anything, and enough that the work is split; one type is large enough to be written past the caches.
    const std::size_t bytes = (dtype == kFloat32 ? std::size_t{9} : std::size_t{3}) << 20;
    const Tensor input = random_tensor(dtype, {static_cast<std::int64_t>(bytes / dtype_size(dtype)) + 77});
    if (!takes(input)) continue;
    const Perturbed one = plugin_.apply(input, 11, 1);
    for (const std::uint32_t threads : {2u, 8u}) {
      const Perturbed many = plugin_.apply(input, 11, threads);
      EXPECT_EQ(many.changed, one.changed);
      EXPECT_TRUE(std::memcmp(many.output.abi().dl.data, one.output.abi().dl.data, one.output.nbytes()) == 0) << threads;
    }
  }
}

TEST_P(EveryPerturbation, CountsWhatChangedInValue) {
  for (const assay_dtype dtype : kTypes) {
    SCOPED_TRACE(dtype_name(dtype));
    const Tensor input = random_tensor(dtype, {4099});
    if (!takes(input)) continue;
    const Perturbed result = plugin_.apply(input, 2);
    std::uint64_t differing = 0;
    const auto other = [](double x, double y) { return x != y && !(std::isnan(x) && std::isnan(y)); };
    for (std::int64_t i = 0; i < input.numel(); ++i) {
      differing += other(input.view().number_at(i), result.output.view().number_at(i)) ||
                           other(input.view().imaginary_at(i), result.output.view().imaginary_at(i))
                       ? 1u
                       : 0u;
    }
    EXPECT_EQ(result.changed, differing);
    if ((plugin_.flags() & ASSAY_PERTURBATION_IDENTITY) != 0) {
      EXPECT_EQ(differing, 0u);
    }
  }
}

TEST_P(EveryPerturbation, TakesScalarsAndEmptyTensors) {
  const Tensor scalar = tensor_of(kFloat32, {}, std::vector<float>{1.5f});
  if (takes(scalar)) {
    EXPECT_EQ(plugin_.apply(scalar).output.shape(), scalar.shape());
  }
  Tensor empty = Tensor::allocate(kFloat32, {3, 0, 2});
  empty.abi().dl.data = nullptr;
  if (takes(empty)) {
    EXPECT_EQ(plugin_.apply(empty).changed, 0u);
  }
}

TEST_P(EveryPerturbation, NeverWritesItsInput) {
  for (const assay_dtype dtype : kTypes) {
    constexpr std::size_t kBytes = 65536;
    void* const page = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(page, MAP_FAILED);
    const Tensor content = random_tensor(dtype, {static_cast<std::int64_t>(kBytes / dtype_size(dtype))});
    std::memcpy(page, content.abi().dl.data, kBytes);
    // A write to it now ends the test program.
    ASSERT_EQ(mprotect(page, kBytes, PROT_READ), 0);
    const std::shared_ptr<void> owner(page, [](void* p) { munmap(p, kBytes); });
    const Tensor input = Tensor::wrap(page, dtype, content.shape(), {}, owner, true);
    if (!takes(input)) continue;
    static_cast<void>(plugin_.apply(input, 1, 2));
    EXPECT_EQ(std::memcmp(page, content.abi().dl.data, kBytes), 0);
  }
}

TEST_P(EveryPerturbation, RefusesAnOutputThatWasNotPlanned) {
  const Tensor input = random_tensor(kFloat16, {6, 2});
  if (!takes(input)) return;
  const assay_dtype dtype = plugin_.planned_dtype(input);
  Tensor other_shape = Tensor::allocate(dtype, {2, 6});
  Tensor other_dtype = Tensor::allocate(kInt64, {6, 2});
  Tensor read_only = Tensor::allocate(dtype, {6, 2});
  read_only.abi().flags |= ASSAY_TENSOR_READ_ONLY;
  Tensor overlapping = Tensor::wrap(read_only.abi().dl.data, dtype, {6, 2}, {0, 1}, nullptr, false);
  for (Tensor* output : {&other_shape, &other_dtype, &read_only, &overlapping}) {
    std::uint64_t changed = 0;
    EXPECT_EQ(plugin_.table().apply(plugin_.instance(), &input.abi(), 1, 1, &output->abi(), &changed, nullptr),
              ASSAY_INVALID_ARGUMENT);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Perturbations, EveryPerturbation,
    ::testing::Values(Variant{"assay.improve-precision", "{}"}, Variant{"assay.improve-precision", R"({"compat": "msprobe"})"},
                      Variant{"assay.add-noise", "{}"}, Variant{"assay.add-noise", R"({"ulp": [3, 30]})"},
                      Variant{"assay.add-noise", R"({"relative": 1e-3})"}, Variant{"assay.add-noise", R"({"absolute": 1e-4})"},
                      Variant{"assay.add-noise", R"({"scale": "tensor"})"}, Variant{"assay.add-noise", R"({"compat": "msprobe"})"},
                      Variant{"assay.bit-noise", "{}"}, Variant{"assay.bit-noise", R"({"bit": [0, 1]})"},
                      Variant{"assay.bit-noise", R"({"compat": "msprobe"})"}, Variant{"assay.change-value", "{}"},
                      Variant{"assay.change-value", R"({"compat": "msprobe"})"}, Variant{"assay.no-change", "{}"},
                      Variant{"assay.to-cpu", "{}"}, Variant{"assay.to-cpu", R"({"compat": "msprobe"})"},
                      Variant{"example.gaussian-noise", R"({"sigma": 0.01})"}));

}  // namespace
}  // namespace assay::testing
