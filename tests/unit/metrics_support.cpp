#include "metrics_support.hpp"

#include <cstring>
#include <numeric>

namespace assay::test {
namespace {

template <class T>
void store(void* memory, std::size_t index, T value) {
  std::memcpy(static_cast<char*>(memory) + index * sizeof(T), &value, sizeof value);
}

void store_float(int bits, void* memory, std::size_t index, double value) {
  if (bits == 16) return store(memory, index, double_to_float16(value));
  if (bits == 32) return store(memory, index, static_cast<float>(value));
  store(memory, index, value);
}

void store_integer(assay_dtype dtype, void* memory, std::size_t index, double value) {
  const bool is_signed = dtype.code == ASSAY_DTYPE_INT;
  switch (dtype.bits) {
    case 8:
      return is_signed ? store(memory, index, static_cast<std::int8_t>(value))
                       : store(memory, index, static_cast<std::uint8_t>(value));
    case 16:
      return is_signed ? store(memory, index, static_cast<std::int16_t>(value))
                       : store(memory, index, static_cast<std::uint16_t>(value));
    case 32:
      return is_signed ? store(memory, index, static_cast<std::int32_t>(value))
                       : store(memory, index, static_cast<std::uint32_t>(value));
    default:
      return is_signed ? store(memory, index, static_cast<std::int64_t>(value))
                       : store(memory, index, static_cast<std::uint64_t>(value));
  }
}

void store_number(assay_dtype dtype, void* memory, std::size_t index, double value) {
  switch (dtype.code) {
    case ASSAY_DTYPE_BOOL: return store(memory, index, static_cast<std::uint8_t>(value != 0 ? 1 + index % 200 : 0));
    case ASSAY_DTYPE_BFLOAT: return store(memory, index, double_to_bfloat16(value));
    case ASSAY_DTYPE_FLOAT8_E4M3FN: return store(memory, index, double_to_float8_e4m3fn(value));
    case ASSAY_DTYPE_FLOAT8_E5M2: return store(memory, index, double_to_float8_e5m2(value));
    case ASSAY_DTYPE_FLOAT: return store_float(dtype.bits, memory, index, value);
    case ASSAY_DTYPE_COMPLEX: return store_float(dtype.bits / 2, memory, index, value);
    default: return store_integer(dtype, memory, index, value);
  }
}

}  // namespace

engine::MetricSet all_metrics() { return engine::MetricSet().set(); }

Tensor make_tensor(assay_dtype dtype, const std::vector<double>& values) {
  const std::size_t parts = is_complex(dtype) ? 2 : 1;
  return make_tensor(dtype, {static_cast<std::int64_t>(values.size() / parts)}, values);
}

Tensor make_tensor(assay_dtype dtype, std::vector<std::int64_t> shape, const std::vector<double>& values) {
  Tensor tensor = Tensor::allocate(dtype, std::move(shape));
  for (std::size_t i = 0; i < values.size(); ++i) store_number(dtype, tensor.data_as<void>(), i, values[i]);
  return tensor;
}

Tensor make_strided(const Tensor& compact) {
  const std::size_t element = dtype_size(compact.dtype());
  std::vector<std::int64_t> shape = compact.shape();
  const std::int64_t columns = shape.empty() ? 1 : shape.back();
  const std::int64_t rows = columns == 0 ? 0 : compact.numel() / columns;
  const std::int64_t row_stride = 2 * columns + 3;
  const std::size_t bytes = static_cast<std::size_t>(rows * row_stride + 2 * columns + 1) * element;
  auto memory = std::shared_ptr<std::byte>(new std::byte[bytes + 1], std::default_delete<std::byte[]>());
  std::memset(memory.get(), 0x5a, bytes + 1);

  // Rows run upwards, columns downwards at every second place.
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t stride = row_stride;
  for (std::size_t d = shape.size(); d-- > 0;) {
    strides[d] = d + 1 == shape.size() ? -2 : stride;
    if (d + 1 != shape.size()) stride *= shape[d];
  }
  const std::int64_t first = columns == 0 ? 0 : 2 * (columns - 1);
  const char* from = static_cast<const char*>(compact.view().data());
  for (std::int64_t i = 0; i < compact.numel(); ++i) {
    const std::int64_t at = first + i / columns * row_stride - i % columns * 2;
    std::memcpy(memory.get() + 1 + static_cast<std::size_t>(at) * element, from + static_cast<std::size_t>(i) * element, element);
  }
  Tensor tensor = Tensor::wrap(memory.get(), compact.dtype(), std::move(shape), std::move(strides), memory, true);
  tensor.abi().dl.byte_offset = 1 + static_cast<std::uint64_t>(first) * element;
  return tensor;
}

Numbers run_engine(const Tensor& actual, const Tensor& expected, const engine::EngineOptions& options, std::uint32_t max_threads) {
  const engine::Engine engine(options);
  std::size_t length = 0;
  for (const assay_metric_info* info : engine.infos()) length += info->length;
  std::vector<double> values(length, 42.0);
  std::vector<std::uint8_t> available(engine.infos().size(), 7);
  const assay_pair pair{sizeof(assay_pair), max_threads, &actual.abi(), &expected.abi(), nullptr};
  engine.compare(pair, values.data(), available.data());

  Numbers numbers;
  const double* at = values.data();
  for (std::size_t i = 0; i < engine.infos().size(); ++i) {
    const assay_metric_info& info = *engine.infos()[i];
    numbers[info.name] = available[i] == 1 ? std::vector<double>(at, at + info.length) : std::vector<double>();
    at += info.length;
  }
  return numbers;
}

std::vector<double> numbers_of(const Tensor& tensor) {
  const TensorView view = tensor.view();
  std::vector<double> numbers;
  view.for_each_offset([&](std::int64_t, std::int64_t offset) {
    numbers.push_back(view.number_at(offset));
    if (is_complex(view.dtype())) numbers.push_back(view.imaginary_at(offset));
  });
  return numbers;
}

}  // namespace assay::test
