#include "dump/tensor_bytes.hpp"

#include <algorithm>
#include <cstring>

#include "base/text.hpp"
#include "dump/float_fill.hpp"

namespace assay {

namespace {

/// A tensor whose elements share memory (a stride of 0) may be this much larger than what is stored.
constexpr std::uint64_t kMaxExpandedBytes = std::uint64_t{1} << 30;

/// One past the last element that the strides reach, counted from the tensor's first; 0 when there are no elements.
bool reach_of(const StoredTensor& stored, std::uint64_t elements, std::uint64_t& reach) {
  if (stored.strides.empty() || elements == 0) {
    reach = elements;
    return true;
  }
  reach = 1;
  for (std::size_t d = 0; d < stored.shape.size(); ++d) {
    std::uint64_t span = 0;
    if (__builtin_mul_overflow(static_cast<std::uint64_t>(stored.shape[d] - 1), static_cast<std::uint64_t>(stored.strides[d]),
                               &span) ||
        __builtin_add_overflow(reach, span, &reach)) {
      return false;
    }
  }
  return true;
}

}  // namespace

void swap_bytes(char* data, std::size_t size, std::size_t item) {
  for (std::size_t i = 0; i + item <= size; i += item) std::reverse(data + i, data + i + item);
}

Result<Tensor> make_tensor(StoredTensor stored) {
  const std::uint64_t item = dtype_size(stored.dtype);
  const auto too_large = [&stored] {
    return input_failure("shape " + format_shape(stored.shape) + " names more than a memory can hold");
  };
  std::uint64_t logical = item;
  bool empty = false;
  for (const std::int64_t size : stored.shape) {
    if (size == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(logical, static_cast<std::uint64_t>(size), &logical)) {
      return too_large();
    }
  }
  if (logical > std::uint64_t{1} << 62) return too_large();
  if (empty) return Tensor::allocate(stored.dtype, std::move(stored.shape));

  std::uint64_t needed = 0;
  const std::string subject = "shape " + format_shape(stored.shape) + " of " + std::string(dtype_name(stored.dtype)) + " needs ";
  if (!reach_of(stored, logical / item, needed) || __builtin_add_overflow(needed, stored.first_element, &needed) ||
      __builtin_mul_overflow(needed, item, &needed)) {
    return input_failure(subject + "more than a memory can hold");
  }
  if (needed > stored.bytes.size()) {
    return input_failure(subject + std::to_string(needed) + " bytes, there are " + std::to_string(stored.bytes.size()));
  }
  if (logical > stored.bytes.size() && logical > kMaxExpandedBytes) return too_large();

  const std::uint64_t begin = stored.first_element * item;
  const char* const source = stored.bytes.data() + begin;
  const std::uint64_t alignment = is_complex(stored.dtype) ? item / 2 : item;
  if (!stored.swapped && reinterpret_cast<std::uintptr_t>(source) % alignment == 0) {
    // The mapping is read-only, which the tensor's flag says.
    void* const memory = const_cast<char*>(source);
    auto owner = std::const_pointer_cast<std::byte>(stored.owner);
    return Tensor::wrap(memory, stored.dtype, std::move(stored.shape), std::move(stored.strides), std::move(owner), true);
  }
  const std::size_t size = needed - begin;
  Tensor copy = Tensor::allocate(kUInt8, {static_cast<std::int64_t>(size)});
  char* const memory = copy.data_as<char>();
  std::memcpy(memory, source, size);
  if (stored.swapped) swap_bytes(memory, size, alignment);
  auto owner = std::make_shared<Tensor>(std::move(copy));
  return Tensor::wrap(memory, stored.dtype, std::move(stored.shape), std::move(stored.strides), std::move(owner), false);
}

Tensor convert_floats(const Tensor& tensor, assay_dtype dtype) {
  Tensor out = Tensor::allocate(dtype, tensor.shape());
  const TensorView in = tensor.view();
  with_float_type(dtype, [&](auto narrow, auto sample) {
    auto* const data = out.data_as<decltype(sample)>();
    in.for_each_offset([&](std::int64_t i, std::int64_t offset) { data[i] = narrow(in.number_at(offset)); });
  });
  return out;
}

}  // namespace assay
