// A built perturbation plugin, used as the host uses it, and small helpers to make and read tensors by their bits.
//
//   PerturbationUnderTest noise("assay.add-noise", R"({"ulp": 1})");
//   const Perturbed result = noise.apply(tensor_of<float>(kFloat32, {3}, {1.0f, 2.0f, 3.0f}));
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "assay/abi/perturbation.h"
#include "assay/sdk/tensor.hpp"
#include "base/locations.hpp"
#include "loader/registry.hpp"

namespace assay::testing {

/// A compact tensor whose memory is these elements, bit for bit.
template <class T>
Tensor tensor_of(assay_dtype dtype, const std::vector<std::int64_t>& shape, const std::vector<T>& elements) {
  Tensor tensor = Tensor::allocate(dtype, shape);
  EXPECT_EQ(tensor.nbytes(), elements.size() * sizeof(T));
  if (!elements.empty()) std::memcpy(tensor.abi().dl.data, elements.data(), std::min(tensor.nbytes(), elements.size() * sizeof(T)));
  return tensor;
}

/// A compact tensor of any dtype of up to 64 bits from element bits.
inline Tensor tensor_of_bits(assay_dtype dtype, const std::vector<std::int64_t>& shape, const std::vector<std::uint64_t>& bits) {
  Tensor tensor = Tensor::allocate(dtype, shape);
  const std::size_t size = dtype_size(dtype);
  for (std::size_t i = 0; i < bits.size(); ++i) std::memcpy(static_cast<char*>(tensor.abi().dl.data) + i * size, &bits[i], size);
  return tensor;
}

/// The bits of every element (of up to 64 bits) in row-major order.
inline std::vector<std::uint64_t> bits_of(const assay_tensor& tensor) {
  const TensorView view(tensor);
  const std::size_t size = dtype_size(view.dtype());
  std::vector<std::uint64_t> bits;
  view.for_each_offset([&](std::int64_t, std::int64_t offset) {
    std::uint64_t element = 0;
    std::memcpy(&element, static_cast<const char*>(view.data()) + offset * static_cast<std::int64_t>(size), size);
    bits.push_back(element);
  });
  return bits;
}
inline std::vector<std::uint64_t> bits_of(const Tensor& tensor) { return bits_of(tensor.abi()); }

/// The elements of a compact tensor.
template <class T>
std::vector<T> elements_of(const Tensor& tensor) {
  std::vector<T> out(tensor.nbytes() / sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), tensor.abi().dl.data, tensor.nbytes());
  return out;
}

struct Perturbed {
  Tensor output;
  std::uint64_t changed;
};

class PerturbationUnderTest {
 public:
  explicit PerturbationUnderTest(const std::string& id, const std::string& config = "{}",
                                 const std::filesystem::path& folder = plugin_folder())
      : registry_(Registry::discover({folder})), instance_(registry_.create(id, ASSAY_KIND_PERTURBATION, config)) {
    if (instance_) table_ = instance_->extension<assay_perturbation>(ASSAY_EXT_PERTURBATION);
    EXPECT_NE(table_, nullptr) << (instance_ ? "no table" : instance_.failure().message);
  }

  [[nodiscard]] std::uint32_t flags() const { return table_->flags; }
  [[nodiscard]] const assay_perturbation& table() const { return *table_; }
  [[nodiscard]] assay_instance* instance() const { return instance_->get(); }

  /// Why the tensor isn't eligible; empty if it is.
  [[nodiscard]] std::string refusal(const Tensor& input) const {
    assay_perturbed_layout layout{};
    layout.struct_size = sizeof layout;
    ErrorSlot error;
    const assay_status status = table_->plan(instance_->get(), &input.abi(), &layout, error.get());
    if (status == ASSAY_OK) return "";
    EXPECT_EQ(status, ASSAY_UNSUPPORTED) << error.message();
    return error.message();
  }

  [[nodiscard]] assay_dtype planned_dtype(const Tensor& input) const {
    assay_perturbed_layout layout{};
    layout.struct_size = sizeof layout;
    ErrorSlot error;
    EXPECT_EQ(table_->plan(instance_->get(), &input.abi(), &layout, error.get()), ASSAY_OK) << error.message();
    return layout.dtype;
  }

  /// The changed copy, compact.
  [[nodiscard]] Perturbed apply(const Tensor& input, std::uint64_t seed = 1, std::uint32_t max_threads = 1) const {
    Perturbed result{Tensor::allocate(planned_dtype(input), input.shape()), 0};
    result.changed = apply_into(input.abi(), seed, max_threads, result.output.abi());
    return result;
  }

  std::uint64_t apply_into(const assay_tensor& input, std::uint64_t seed, std::uint32_t max_threads, assay_tensor& output) const {
    std::uint64_t changed = ~std::uint64_t{0};
    ErrorSlot error;
    EXPECT_EQ(table_->apply(instance_->get(), &input, seed, max_threads, &output, &changed, error.get()), ASSAY_OK)
        << error.message();
    return changed;
  }

 private:
  Registry registry_;
  Result<Instance> instance_;
  const assay_perturbation* table_ = nullptr;
};

/// Why a configuration is refused; empty if it isn't.
inline std::string config_refusal(const std::string& id, const std::string& config) {
  Registry registry = Registry::discover({plugin_folder()});
  const Result<Instance> instance = registry.create(id, ASSAY_KIND_PERTURBATION, config);
  return instance ? "" : instance.failure().message;
}

}  // namespace assay::testing
