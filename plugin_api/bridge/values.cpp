#include "bridge/values.hpp"

#include <algorithm>
#include <cstring>
#include <thread>

#include "bridge/protocol.hpp"

namespace assay::bridge {
namespace {

constexpr std::int32_t kMaxRank = 64;
constexpr std::size_t kLargeCopy = std::size_t{8} << 20;
constexpr std::size_t kMostCopyThreads = 4;

/// Bytes of a compact tensor; throws where the sizes make no sense.
std::uint64_t compact_bytes(const std::vector<std::int64_t>& shape, assay_dtype dtype) {
  std::uint64_t bytes = dtype_size(dtype);
  for (const std::int64_t n : shape) {
    if (n < 0 || (n != 0 && bytes > (std::uint64_t{1} << 46) / static_cast<std::uint64_t>(n)))
      throw Error(ASSAY_INVALID_ARGUMENT, "a tensor's shape is negative or too large");
    bytes *= static_cast<std::uint64_t>(n);
  }
  return bytes;
}

/// Copies dimension `dim` and below; the innermost one as a whole where it is compact.
char* copy_strided(const assay_dltensor& t, int dim, const char* from, char* to, std::size_t element) {
  const std::int64_t n = t.shape[dim];
  const std::int64_t step = t.strides[dim] * static_cast<std::int64_t>(element);
  if (dim == t.ndim - 1) {
    if (t.strides[dim] == 1) {
      std::memcpy(to, from, static_cast<std::size_t>(n) * element);
      return to + static_cast<std::size_t>(n) * element;
    }
    for (std::int64_t i = 0; i < n; ++i, to += element) std::memcpy(to, from + i * step, element);
    return to;
  }
  for (std::int64_t i = 0; i < n; ++i) to = copy_strided(t, dim + 1, from + i * step, to, element);
  return to;
}

/// One thread does not fill the memory's bandwidth.
void copy_large(char* to, const char* from, std::size_t bytes) {
  const std::size_t threads = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kMostCopyThreads);
  const std::size_t part = bytes / threads;
  std::vector<std::thread> helpers;
  for (std::size_t i = 1; i < threads; ++i)
    helpers.emplace_back([=] { std::memcpy(to + i * part, from + i * part, i + 1 < threads ? part : bytes - i * part); });
  std::memcpy(to, from, threads > 1 ? part : bytes);
  for (std::thread& helper : helpers) helper.join();
}

void write_dtype(Writer& out, assay_dtype dtype) {
  out.u8(dtype.code);
  out.u8(dtype.bits);
  out.u16(dtype.lanes);
}

}  // namespace

std::uint64_t TensorPlacer::place(const assay_tensor& tensor) {
  const TensorView view(tensor);
  if (!view.on_cpu()) throw Error(ASSAY_UNSUPPORTED, "tensors go to another process from CPU memory only");
  if (view.ndim() < 0 || view.ndim() > kMaxRank) throw Error(ASSAY_INVALID_ARGUMENT, "a tensor has a rank outside 0..64");
  if (dtype_name(view.dtype()) == "unknown")
    throw Error(ASSAY_UNSUPPORTED, "a tensor has a dtype that can't go to another process");
  const std::uint64_t bytes = compact_bytes(view.shape(), view.dtype());
  const std::uint64_t offset = (bytes_ + kTensorAlignment - 1) / kTensorAlignment * kTensorAlignment;
  placed_.push_back({&tensor, offset});
  bytes_ = offset + bytes;
  return offset;
}

void TensorPlacer::copy_to(char* memory) const {
  for (const Placed& placed : placed_) {
    const TensorView view(*placed.tensor);
    const auto bytes = static_cast<std::size_t>(compact_bytes(view.shape(), view.dtype()));
    if (bytes == 0) continue;
    const char* const from = view.data_as<char>();
    char* const to = memory + placed.offset;
    if (view.is_contiguous()) {
      if (bytes < kLargeCopy) {
        std::memcpy(to, from, bytes);
      } else {
        copy_large(to, from, bytes);
      }
    } else {
      copy_strided(placed.tensor->dl, 0, from, to, dtype_size(view.dtype()));
    }
  }
}

void write_value(Writer& out, const assay_value& value, TensorPlacer& placer) {
  out.u8(static_cast<std::uint8_t>(value.kind));
  switch (value.kind) {
    case ASSAY_VALUE_NONE:
    case ASSAY_VALUE_ELLIPSIS: return;
    case ASSAY_VALUE_BOOL: return out.u8(value.as.boolean != 0 ? 1 : 0);
    case ASSAY_VALUE_INT: return out.i64(value.as.integer);
    case ASSAY_VALUE_FLOAT: return out.f64(value.as.real);
    case ASSAY_VALUE_COMPLEX: out.f64(value.as.complex.real); return out.f64(value.as.complex.imag);
    case ASSAY_VALUE_STRING:
    case ASSAY_VALUE_MEMORY_FORMAT: return out.text({value.as.string.data, static_cast<std::size_t>(value.as.string.size)});
    case ASSAY_VALUE_DTYPE: return write_dtype(out, value.as.dtype);
    case ASSAY_VALUE_DEVICE: out.i32(value.as.device.type); return out.i32(value.as.device.id);
    case ASSAY_VALUE_SLICE:
      out.u8(static_cast<std::uint8_t>(value.as.slice.present));
      out.i64(value.as.slice.start);
      out.i64(value.as.slice.stop);
      return out.i64(value.as.slice.step);
    case ASSAY_VALUE_TENSOR: {
      const assay_dltensor& t = value.as.tensor->dl;
      const std::uint64_t offset = placer.place(*value.as.tensor);
      write_dtype(out, t.dtype);
      out.u32(static_cast<std::uint32_t>(t.ndim));
      for (int d = 0; d < t.ndim; ++d) out.i64(t.shape[d]);
      return out.u64(offset);
    }
    case ASSAY_VALUE_LIST:
    case ASSAY_VALUE_TUPLE: return write_values(out, value.as.sequence.items, value.as.sequence.size, placer);
    case ASSAY_VALUE_DICT: return write_named(out, value.as.dict.items, value.as.dict.size, placer);
    default: throw Error(ASSAY_UNSUPPORTED, "no other process is given values of kind " + std::to_string(value.kind));
  }
}

void write_values(Writer& out, const assay_value* values, std::uint64_t count, TensorPlacer& placer) {
  out.count(count);
  for (std::uint64_t i = 0; i < count; ++i) write_value(out, values[i], placer);
}

void write_named(Writer& out, const assay_named_value* values, std::uint64_t count, TensorPlacer& placer) {
  out.count(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    out.text(values[i].name);
    write_value(out, values[i].value, placer);
  }
}

void write_segment(Writer& out, const SegmentRef& segment) {
  out.u32(segment.id);
  out.u64(segment.size);
  out.u32(segment.flags);
}

SegmentRef read_segment(Reader& in) {
  SegmentRef segment;
  segment.id = in.u32();
  segment.size = in.u64();
  segment.flags = in.u32();
  return segment;
}

std::vector<Value> ValueReader::values() { return items(0); }
std::vector<NamedValue> ValueReader::named() { return pairs(0); }

std::vector<Value> ValueReader::items(int depth) {
  std::vector<Value> out(in_.count());
  for (Value& item : out) item = value_at(depth);
  return out;
}

std::vector<NamedValue> ValueReader::pairs(int depth) {
  std::vector<NamedValue> out(in_.count());
  for (NamedValue& item : out) {
    item.first = in_.text();
    item.second = value_at(depth);
  }
  return out;
}

assay_dtype ValueReader::dtype() {
  const std::uint8_t code = in_.u8();
  const std::uint8_t bits = in_.u8();
  const assay_dtype dtype{code, bits, in_.u16()};
  if (dtype_name(dtype) == "unknown") throw Reader::malformed();
  return dtype;
}

Tensor ValueReader::tensor() {
  const assay_dtype type = dtype();
  std::vector<std::int64_t> shape(in_.count());
  for (std::int64_t& n : shape) n = in_.i64();
  const std::uint64_t offset = in_.u64();
  const std::uint64_t bytes = compact_bytes(shape, type);
  if (bytes == 0) return Tensor::allocate(type, std::move(shape));
  if (lease_ == nullptr || offset > lease_->mapping().size() || bytes > lease_->mapping().size() - offset)
    throw Reader::malformed();
  return Tensor::wrap(lease_->mapping().data() + offset, type, std::move(shape), {}, lease_, true);
}

Value ValueReader::value_at(int depth) {
  if (depth > ASSAY_VALUE_MAX_DEPTH) throw Reader::malformed();
  switch (in_.u8()) {
    case ASSAY_VALUE_NONE: return None{};
    case ASSAY_VALUE_ELLIPSIS: return Ellipsis{};
    case ASSAY_VALUE_BOOL: return in_.u8() != 0;
    case ASSAY_VALUE_INT: return in_.i64();
    case ASSAY_VALUE_FLOAT: return in_.f64();
    case ASSAY_VALUE_COMPLEX: {
      const double real = in_.f64();
      return std::complex<double>(real, in_.f64());
    }
    case ASSAY_VALUE_STRING: return in_.text();
    case ASSAY_VALUE_MEMORY_FORMAT: return MemoryFormat{in_.text()};
    case ASSAY_VALUE_DTYPE: return dtype();
    case ASSAY_VALUE_DEVICE: {
      const std::int32_t type = in_.i32();
      return assay_device{type, in_.i32()};
    }
    case ASSAY_VALUE_SLICE: {
      assay_slice slice{};
      slice.present = in_.u8();
      slice.start = in_.i64();
      slice.stop = in_.i64();
      slice.step = in_.i64();
      return slice;
    }
    case ASSAY_VALUE_TENSOR: return tensor();
    case ASSAY_VALUE_LIST: return List{items(depth + 1)};
    case ASSAY_VALUE_TUPLE: return Tuple{items(depth + 1)};
    case ASSAY_VALUE_DICT: return Dict{pairs(depth + 1)};
    default: throw Reader::malformed();
  }
}

}  // namespace assay::bridge
