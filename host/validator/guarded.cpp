#include "validator/guarded.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <new>

namespace assay::validator {

namespace {

template <class T>
void put(unsigned char* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

void put_float(unsigned char* to, int bits, double value) {
  if (bits == 16) {
    put(to, double_to_float16(value));
  } else if (bits == 32) {
    put(to, static_cast<float>(value));
  } else {
    put(to, value);
  }
}

void store(unsigned char* to, assay_dtype dtype, double value) {
  switch (dtype.code) {
    case ASSAY_DTYPE_BOOL: return put(to, static_cast<std::uint8_t>(value != 0));
    case ASSAY_DTYPE_BFLOAT: return put(to, double_to_bfloat16(value));
    case ASSAY_DTYPE_FLOAT8_E4M3FN: return put(to, double_to_float8_e4m3fn(value));
    case ASSAY_DTYPE_FLOAT8_E5M2: return put(to, double_to_float8_e5m2(value));
    case ASSAY_DTYPE_FLOAT: return put_float(to, dtype.bits, value);
    case ASSAY_DTYPE_COMPLEX:
      put_float(to, dtype.bits / 2, value);
      return put_float(to + dtype.bits / 16, dtype.bits / 2, 1 - value);
    default: break;
  }
  const auto whole = static_cast<std::int64_t>(value);
  switch (dtype.bits) {
    case 8: return put(to, static_cast<std::int8_t>(whole));
    case 16: return put(to, static_cast<std::int16_t>(whole));
    case 32: return put(to, static_cast<std::int32_t>(whole));
    default: return put(to, whole);
  }
}

std::int64_t product(const std::vector<std::int64_t>& shape) {
  std::int64_t n = 1;
  for (const std::int64_t size : shape) n *= size;
  return n;
}

/// Strides in elements, and in `first` the element that index 0 lies at.
std::vector<std::int64_t> strides_of(const std::vector<std::int64_t>& shape, Layout layout, std::int64_t& first) {
  const std::size_t rank = shape.size();
  std::vector<std::int64_t> strides(rank);
  std::int64_t step = layout == Layout::kSpread ? 2 : 1;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t d = layout == Layout::kTransposed ? i : rank - 1 - i;
    strides[d] = step;
    step *= shape[d];
  }
  first = 0;
  if (layout == Layout::kReversed) {
    for (std::size_t d = 0; d < rank; ++d) {
      if (shape[d] > 0) first += strides[d] * (shape[d] - 1);
      strides[d] = -strides[d];
    }
  }
  return strides;
}

}  // namespace

const char* layout_name(Layout layout) {
  switch (layout) {
    case Layout::kCompact: return "compact";
    case Layout::kStrides: return "compact with strides";
    case Layout::kTransposed: return "column-major";
    case Layout::kReversed: return "reversed";
    case Layout::kSpread: return "every second element";
    case Layout::kByteOffset: return "odd byte_offset";
  }
  return "";
}

GuardedTensor::Body::~Body() {
  if (memory != nullptr) ::munmap(memory, size);
}

std::shared_ptr<GuardedTensor::Body> GuardedTensor::place(assay_dtype dtype, std::vector<std::int64_t> shape, Layout layout) {
  auto body = std::make_shared<Body>();
  const std::int64_t n = product(shape);
  const std::size_t item = dtype_size(dtype);
  const std::size_t span = static_cast<std::size_t>(n) * item * (layout == Layout::kSpread ? 2 : 1);
  const std::size_t lead = layout == Layout::kByteOffset ? 1 : 0;
  std::int64_t first = 0;
  if (layout != Layout::kCompact && layout != Layout::kByteOffset) body->strides = strides_of(shape, layout, first);
  body->shape = std::move(shape);

  assay_tensor& tensor = body->tensor;
  tensor.struct_size = sizeof tensor;
  tensor.dl.device = {ASSAY_DEVICE_CPU, 0};
  tensor.dl.ndim = static_cast<std::int32_t>(body->shape.size());
  tensor.dl.dtype = dtype;
  tensor.dl.shape = body->shape.empty() ? nullptr : body->shape.data();
  tensor.dl.strides = body->strides.empty() ? nullptr : body->strides.data();
  if (n == 0) return body;

  // Pages: guard, data (its last byte against the next guard), guard.
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t data_pages = (span + lead + page - 1) / page;
  body->size = (data_pages + 2) * page;
  void* memory = ::mmap(nullptr, body->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  body->memory = memory;
  auto* data = static_cast<unsigned char*>(memory) + page;
  if (::mprotect(data, data_pages * page, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  unsigned char* begin = data + data_pages * page - span;
  tensor.dl.data = begin - lead + static_cast<std::size_t>(first) * item;
  tensor.dl.byte_offset = lead;
  return body;
}

GuardedTensor GuardedTensor::input(assay_dtype dtype, std::vector<std::int64_t> shape, const Fill& fill, Layout layout) {
  GuardedTensor tensor;
  tensor.body_ = place(dtype, std::move(shape), layout);
  Body& body = *tensor.body_;
  body.tensor.flags = ASSAY_TENSOR_READ_ONLY;
  if (body.memory == nullptr) return tensor;
  const std::size_t item = dtype_size(dtype);
  auto* base = static_cast<unsigned char*>(body.tensor.dl.data) + body.tensor.dl.byte_offset;
  tensor.view().for_each_offset(
      [&](std::int64_t index, std::int64_t offset) { store(base + offset * static_cast<std::int64_t>(item), dtype, fill(index)); });
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  if (::mprotect(static_cast<unsigned char*>(body.memory) + page, body.size - 2 * page, PROT_READ) != 0) throw std::bad_alloc();
  return tensor;
}

GuardedTensor GuardedTensor::output(assay_dtype dtype, std::vector<std::int64_t> shape, Layout layout) {
  GuardedTensor tensor;
  tensor.body_ = place(dtype, std::move(shape), layout);
  return tensor;
}

std::vector<unsigned char> GuardedTensor::bytes() const {
  const std::size_t item = dtype_size(body_->tensor.dl.dtype);
  std::vector<unsigned char> all;
  const auto* base = static_cast<const unsigned char*>(view().data());
  view().for_each_offset([&](std::int64_t, std::int64_t offset) {
    const unsigned char* element = base + offset * static_cast<std::int64_t>(item);
    all.insert(all.end(), element, element + item);
  });
  return all;
}

Fill varied(assay_dtype dtype, std::uint64_t seed) {
  return [dtype, seed](std::int64_t index) {
    const auto mixed = (static_cast<std::uint64_t>(index) * 37 + seed * 11) % 61;
    if (dtype.code == ASSAY_DTYPE_UINT) return static_cast<double>(mixed);
    if (dtype.code == ASSAY_DTYPE_BOOL) return static_cast<double>(mixed % 2);
    if (dtype.code == ASSAY_DTYPE_INT) return static_cast<double>(mixed) - 30;
    // Two bits after the point, three before it: exact even in the eight-bit formats up to rounding that is the same everywhere.
    return (static_cast<double>(mixed) - 30) / 4;
  };
}

}  // namespace assay::validator
