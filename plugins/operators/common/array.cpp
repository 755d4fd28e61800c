#include "array.hpp"

#include <cstring>

namespace assay::operators {

namespace {

constexpr std::int64_t kLargestEmpty = std::int64_t{1} << 31;

void require_readable(const TensorView& view) {
  if (!view.on_cpu()) throw Error(ASSAY_UNSUPPORTED, "a tensor is not in CPU memory");
  if (dtype_name(view.dtype()) == "unknown") throw Error(ASSAY_UNSUPPORTED, "a tensor has an unknown dtype");
  if (is_complex(view.dtype())) throw Error(ASSAY_UNSUPPORTED, "complex tensors are not supported");
  // An empty tensor may claim any other sizes, and results of those sizes would be computed.
  std::int64_t others = 1;
  for (const std::int64_t size : view.shape()) {
    if (size > kLargestEmpty && view.numel() == 0) others = kLargestEmpty + 1;
    if (size != 0 && others <= kLargestEmpty) others *= size;
  }
  if (view.numel() == 0 && others > kLargestEmpty)
    throw Error(ASSAY_UNSUPPORTED, "an empty tensor of shape " + text(view.shape()) + " is too large");
}

}  // namespace

std::int64_t count(const Shape& shape) { return count(shape, 0, shape.size()); }

std::int64_t count(const Shape& shape, std::size_t first, std::size_t last) {
  std::int64_t n = 1;
  for (std::size_t d = first; d < last; ++d) n *= shape[d];
  return n;
}

std::string text(const Shape& shape) {
  std::string out = "[";
  for (std::size_t d = 0; d < shape.size(); ++d) out += (d == 0 ? "" : ", ") + std::to_string(shape[d]);
  return out + "]";
}

std::size_t wrap_dim(std::int64_t dim, std::size_t rank) {
  const auto n = static_cast<std::int64_t>(rank);
  if (dim < -n || dim >= n) {
    throw Error(ASSAY_INVALID_ARGUMENT,
                "dimension " + std::to_string(dim) + " is outside a tensor of " + std::to_string(rank) + " dimensions");
  }
  return static_cast<std::size_t>(dim < 0 ? dim + n : dim);
}

Array Array::zeros(Shape shape) {
  Array out;
  out.data.assign(static_cast<std::size_t>(count(shape)), 0.0);
  out.shape = std::move(shape);
  return out;
}

Array to_array(const TensorView& view) {
  require_readable(view);
  Array out = Array::zeros(view.shape());
  view.for_each_offset([&](std::int64_t i, std::int64_t offset) { *out.at(i) = view.number_at(offset); });
  return out;
}

Tensor to_tensor(const Array& array) {
  Tensor out = Tensor::allocate(kFloat64, array.shape);
  if (!array.data.empty()) std::memcpy(out.abi().dl.data, array.data.data(), array.data.size() * sizeof(double));
  return out;
}

Array from_sums(Shape shape, const std::vector<long double>& sums) {
  Array out = Array::zeros(std::move(shape));
  for (std::size_t i = 0; i < sums.size(); ++i) out.data[i] = static_cast<double>(sums[i]);
  return out;
}

Array map(const Array& x, const std::function<double(double)>& f) {
  Array out = x;
  for (double& element : out.data) element = f(element);
  return out;
}

std::vector<std::int64_t> broadcast_offsets(const Shape& from, const Shape& shape, const char* what) {
  const std::size_t rank = shape.size();
  bool fits = from.size() <= rank;
  std::vector<std::int64_t> strides(rank, 0);
  std::int64_t stride = 1;
  for (std::size_t k = 0; fits && k < from.size(); ++k) {
    const std::int64_t size = from[from.size() - 1 - k];
    const std::size_t d = rank - 1 - k;
    fits = size == shape[d] || size == 1;
    strides[d] = size == 1 ? 0 : stride;
    stride *= size;
  }
  if (!fits) throw Error(ASSAY_INVALID_ARGUMENT, std::string(what) + " of shape " + text(from) + " does not fit " + text(shape));
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(count(shape)));
  std::vector<std::int64_t> position(rank, 0);
  std::int64_t offset = 0;
  for (std::int64_t& element : offsets) {
    element = offset;
    for (std::size_t d = rank; d-- > 0;) {
      offset += strides[d];
      if (++position[d] < shape[d]) break;
      offset -= strides[d] * shape[d];
      position[d] = 0;
    }
  }
  return offsets;
}

Array sum_to(const Array& full, const Shape& shape) {
  const std::vector<std::int64_t> offsets = broadcast_offsets(shape, full.shape, "a gradient's target");
  std::vector<long double> sums(static_cast<std::size_t>(count(shape)), 0.0L);
  for (std::size_t i = 0; i < offsets.size(); ++i) sums[static_cast<std::size_t>(offsets[i])] += full.data[i];
  return from_sums(shape, sums);
}

Tensor take(const TensorView& view, const std::vector<std::int64_t>& order, const Shape& shape) {
  require_readable(view);
  const bool floating = is_floating(view.dtype());
  Tensor out = Tensor::allocate(floating ? kFloat64 : view.dtype(), shape);
  const auto size = static_cast<std::int64_t>(dtype_size(view.dtype()));
  char* target = static_cast<char*>(out.abi().dl.data);
  for (const std::int64_t index : order) {
    const std::int64_t offset = view.offset_of(index);
    if (floating) {
      const double number = view.number_at(offset);
      std::memcpy(target, &number, sizeof number);
      target += sizeof number;
    } else {
      std::memcpy(target, static_cast<const char*>(view.data()) + offset * size, static_cast<std::size_t>(size));
      target += size;
    }
  }
  return out;
}

}  // namespace assay::operators
