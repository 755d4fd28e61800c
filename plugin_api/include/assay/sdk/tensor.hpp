// assay/sdk/tensor.hpp: a view of a tensor that crosses the boundary, and an owned tensor that can cross it.
//
//   assay::TensorView in(*pair->actual);
//   in.for_each_offset([&](std::int64_t index, std::int64_t offset) { sum += in.number_at(offset); });
#pragma once

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "assay/sdk/dtype.hpp"
#include "assay/sdk/error.hpp"
#include "assay/sdk/half.hpp"

namespace assay {

/// Reads a borrowed assay_tensor: shape, strides, elements as numbers. Cheap to copy; never outlives the tensor.
class TensorView {
 public:
  explicit TensorView(const assay_tensor& tensor) : tensor_(&tensor) {}

  [[nodiscard]] const assay_tensor& abi() const { return *tensor_; }
  [[nodiscard]] assay_dtype dtype() const { return tensor_->dl.dtype; }
  [[nodiscard]] int ndim() const { return tensor_->dl.ndim; }
  [[nodiscard]] std::int64_t size(int dim) const { return tensor_->dl.shape[dim]; }
  [[nodiscard]] std::vector<std::int64_t> shape() const {
    return ndim() == 0 ? std::vector<std::int64_t>() : std::vector<std::int64_t>(tensor_->dl.shape, tensor_->dl.shape + ndim());
  }
  /// Number of elements; 1 for a 0-d tensor.
  [[nodiscard]] std::int64_t numel() const {
    std::int64_t n = 1;
    for (int d = 0; d < ndim(); ++d) n *= size(d);
    return n;
  }
  /// First element. Null for an empty tensor without memory.
  [[nodiscard]] const void* data() const { return static_cast<const char*>(tensor_->dl.data) + tensor_->dl.byte_offset; }
  template <class T>
  [[nodiscard]] const T* data_as() const {
    return static_cast<const T*>(data());
  }
  [[nodiscard]] bool on_cpu() const { return tensor_->dl.device.type == ASSAY_DEVICE_CPU; }

  /// Whether the elements lie compactly in row-major order.
  [[nodiscard]] bool is_contiguous() const {
    if (tensor_->dl.strides == nullptr || numel() == 0) return true;
    std::int64_t expected = 1;
    for (int d = ndim() - 1; d >= 0; --d) {
      if (size(d) != 1 && tensor_->dl.strides[d] != expected) return false;
      expected *= size(d);
    }
    return true;
  }

  /// Calls f(index, offset) for each element in row-major order; offset is in elements from data().
  template <class F>
  void for_each_offset(F&& f) const {
    const std::int64_t n = numel();
    if (is_contiguous()) {
      for (std::int64_t i = 0; i < n; ++i) f(i, i);
      return;
    }
    std::vector<std::int64_t> position(static_cast<std::size_t>(ndim()), 0);
    std::int64_t offset = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      f(i, offset);
      for (int d = ndim() - 1; d >= 0; --d) {
        const auto k = static_cast<std::size_t>(d);
        offset += tensor_->dl.strides[d];
        if (++position[k] < size(d)) break;
        offset -= tensor_->dl.strides[d] * size(d);
        position[k] = 0;
      }
    }
  }

  /// Offset in elements of row-major element `index`.
  [[nodiscard]] std::int64_t offset_of(std::int64_t index) const {
    if (is_contiguous()) return index;
    std::int64_t offset = 0;
    for (int d = ndim() - 1; d >= 0; --d) {
      offset += index % size(d) * tensor_->dl.strides[d];
      index /= size(d);
    }
    return offset;
  }

  /// The real part of the element at an offset as double; exact but for 64-bit integers beyond 2^53.
  [[nodiscard]] double number_at(std::int64_t offset) const { return component_at(offset, 0); }
  /// The imaginary part; 0 for real types.
  [[nodiscard]] double imaginary_at(std::int64_t offset) const { return is_complex(dtype()) ? component_at(offset, 1) : 0.0; }

 private:
  template <class T>
  [[nodiscard]] T load(std::int64_t index) const {
    T value;
    std::memcpy(&value, static_cast<const char*>(data()) + index * static_cast<std::int64_t>(sizeof(T)), sizeof value);
    return value;
  }

  [[nodiscard]] double component_at(std::int64_t offset, std::int64_t component) const {
    switch (dtype().code) {
      case ASSAY_DTYPE_BOOL: return load<std::uint8_t>(offset) != 0 ? 1.0 : 0.0;
      case ASSAY_DTYPE_BFLOAT: return bfloat16_to_double(load<std::uint16_t>(offset));
      case ASSAY_DTYPE_FLOAT8_E4M3FN: return float8_e4m3fn_to_double(load<std::uint8_t>(offset));
      case ASSAY_DTYPE_FLOAT8_E5M2: return float8_e5m2_to_double(load<std::uint8_t>(offset));
      case ASSAY_DTYPE_COMPLEX: return float_at(2 * offset + component, dtype().bits / 2);
      case ASSAY_DTYPE_FLOAT: return float_at(offset, dtype().bits);
      case ASSAY_DTYPE_INT:
        switch (dtype().bits) {
          case 8: return load<std::int8_t>(offset);
          case 16: return load<std::int16_t>(offset);
          case 32: return load<std::int32_t>(offset);
          default: return static_cast<double>(load<std::int64_t>(offset));
        }
      case ASSAY_DTYPE_UINT:
        switch (dtype().bits) {
          case 8: return load<std::uint8_t>(offset);
          case 16: return load<std::uint16_t>(offset);
          case 32: return load<std::uint32_t>(offset);
          default: return static_cast<double>(load<std::uint64_t>(offset));
        }
      default: throw Error(ASSAY_UNSUPPORTED, "dtype " + std::string(dtype_name(dtype())) + " has no numbers");
    }
  }

  [[nodiscard]] double float_at(std::int64_t index, int bits) const {
    switch (bits) {
      case 16: return float16_to_double(load<std::uint16_t>(index));
      case 32: return static_cast<double>(load<float>(index));
      default: return load<double>(index);
    }
  }

  const assay_tensor* tensor_;
};

/// An owned CPU tensor, shared by its copies; the memory lives as long as the last of them.
class Tensor {
 public:
  /// Uninitialised, compact row-major, aligned to 64 bytes. Throws Error(ASSAY_OUT_OF_MEMORY), Error(ASSAY_INVALID_ARGUMENT).
  static Tensor allocate(assay_dtype dtype, std::vector<std::int64_t> shape) {
    std::size_t bytes = dtype_size(dtype);
    for (const std::int64_t n : shape) {
      if (n < 0 || (n != 0 && bytes > std::numeric_limits<std::size_t>::max() / 2 / static_cast<std::size_t>(n))) {
        throw Error(ASSAY_INVALID_ARGUMENT, "tensor shape is negative or too large");
      }
      bytes *= static_cast<std::size_t>(n);
    }
    void* memory = std::aligned_alloc(64, (bytes + 63) / 64 * 64 + (bytes == 0 ? 64 : 0));
    if (memory == nullptr) throw Error(ASSAY_OUT_OF_MEMORY, "out of memory for a tensor of " + std::to_string(bytes) + " bytes");
    return wrap(memory, dtype, std::move(shape), {}, std::shared_ptr<void>(memory, std::free), false);
  }

  /// A tensor over existing memory that `owner` keeps alive; `strides` in elements, empty = compact row-major.
  static Tensor wrap(void* data, assay_dtype dtype, std::vector<std::int64_t> shape, std::vector<std::int64_t> strides,
                     std::shared_ptr<void> owner, bool read_only) {
    auto body = std::make_shared<Body>();
    body->shape = std::move(shape);
    body->strides = std::move(strides);
    body->owner = std::move(owner);
    assay_tensor& t = body->tensor;
    t.struct_size = sizeof t;
    t.flags = read_only ? static_cast<std::uint32_t>(ASSAY_TENSOR_READ_ONLY) : 0u;
    t.dl.data = data;
    t.dl.device = {ASSAY_DEVICE_CPU, 0};
    t.dl.ndim = static_cast<std::int32_t>(body->shape.size());
    t.dl.dtype = dtype;
    t.dl.shape = body->shape.data();
    t.dl.strides = body->strides.empty() ? nullptr : body->strides.data();
    Tensor tensor;
    tensor.body_ = std::move(body);
    return tensor;
  }

  [[nodiscard]] TensorView view() const { return TensorView(body_->tensor); }
  [[nodiscard]] const assay_tensor& abi() const { return body_->tensor; }
  [[nodiscard]] assay_tensor& abi() { return body_->tensor; }
  [[nodiscard]] assay_dtype dtype() const { return body_->tensor.dl.dtype; }
  [[nodiscard]] const std::vector<std::int64_t>& shape() const { return body_->shape; }
  [[nodiscard]] std::int64_t numel() const { return view().numel(); }
  [[nodiscard]] std::size_t nbytes() const { return static_cast<std::size_t>(numel()) * dtype_size(dtype()); }
  template <class T>
  [[nodiscard]] T* data_as() {
    return static_cast<T*>(body_->tensor.dl.data);
  }

 private:
  struct Body {
    assay_tensor tensor{};
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> strides;
    std::shared_ptr<void> owner;
  };
  Tensor() = default;
  std::shared_ptr<Body> body_;
};

}  // namespace assay
