#include "views.hpp"

#include <algorithm>
#include <numeric>

namespace assay::npu {

namespace {

[[noreturn]] void refuse(const std::string& what) { throw Error(ASSAY_INVALID_ARGUMENT, what); }

auto at(std::int64_t index) { return static_cast<std::ptrdiff_t>(index); }
auto place(std::int64_t index) { return static_cast<std::size_t>(index); }

std::string text_of(const Dims& shape) {
  std::string text = "[";
  for (const std::int64_t size : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  return text + "]";
}

}  // namespace

std::int64_t wrap_dim(std::int64_t dim, std::int64_t rank) {
  const std::int64_t dims = std::max<std::int64_t>(rank, 1);
  if (dim < -dims || dim >= dims) refuse("dim " + std::to_string(dim) + " is beyond a tensor of " + std::to_string(rank) + " dims");
  return dim < 0 ? dim + dims : dim;
}

Dims wrap_dims(const Dims& dims, std::int64_t rank) {
  Dims wrapped;
  if (dims.empty()) {
    wrapped.resize(place(rank));
    std::iota(wrapped.begin(), wrapped.end(), 0);
    return wrapped;
  }
  for (const std::int64_t dim : dims) wrapped.push_back(wrap_dim(dim, rank));
  Dims sorted = wrapped;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) refuse("a dim appears twice in " + text_of(dims));
  return wrapped;
}

DeviceTensor permuted(const DeviceTensor& tensor, const Dims& order) {
  if (order.size() != tensor.shape.size())
    refuse("order " + text_of(order) + " is not one of a tensor of " + std::to_string(tensor.rank()) + " dims");
  DeviceTensor view = tensor;
  if (order.empty()) return view;
  const Dims wrapped = wrap_dims(order, tensor.rank());
  for (std::size_t d = 0; d < wrapped.size(); ++d) {
    view.shape[d] = tensor.shape[place(wrapped[d])];
    view.strides[d] = tensor.strides[place(wrapped[d])];
  }
  return view;
}

DeviceTensor transposed(const DeviceTensor& tensor, std::int64_t first, std::int64_t second) {
  DeviceTensor view = tensor;
  if (tensor.rank() == 0) return view;
  const std::size_t a = place(wrap_dim(first, tensor.rank()));
  const std::size_t b = place(wrap_dim(second, tensor.rank()));
  std::swap(view.shape[a], view.shape[b]);
  std::swap(view.strides[a], view.strides[b]);
  return view;
}

DeviceTensor unsqueezed(const DeviceTensor& tensor, std::int64_t dim) {
  const std::int64_t d = wrap_dim(dim, tensor.rank() + 1);
  DeviceTensor view = tensor;
  view.shape.insert(view.shape.begin() + at(d), 1);
  view.strides.insert(view.strides.begin() + at(d), 1);
  return view;
}

DeviceTensor squeezed(const DeviceTensor& tensor, const Dims& dims) {
  DeviceTensor view = tensor;
  for (std::int64_t d = tensor.rank() - 1; d >= 0; --d) {
    const bool asked = std::find(dims.begin(), dims.end(), d) != dims.end();
    if (!asked || tensor.shape[place(d)] != 1) continue;
    view.shape.erase(view.shape.begin() + at(d));
    view.strides.erase(view.strides.begin() + at(d));
  }
  return view;
}

DeviceTensor expanded(const DeviceTensor& tensor, const Dims& shape) {
  DeviceTensor view = tensor;
  if (shape.size() < tensor.shape.size()) refuse("a tensor can't be expanded to fewer dims");
  const std::size_t lead = shape.size() - tensor.shape.size();
  view.shape.assign(shape.begin(), shape.end());
  view.strides.assign(shape.size(), 0);
  for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
    std::int64_t& size = view.shape[lead + d];
    if (size == -1) size = tensor.shape[d];
    if (size == tensor.shape[d]) {
      view.strides[lead + d] = tensor.strides[d];
    } else if (tensor.shape[d] != 1) {
      refuse("shape " + text_of(tensor.shape) + " can't be expanded to " + text_of(shape));
    }
  }
  element_count(view.shape);
  return view;
}

DeviceTensor sliced(const DeviceTensor& tensor, std::int64_t dim, std::int64_t start, std::int64_t stop, std::int64_t step) {
  if (tensor.rank() == 0) refuse("a 0-d tensor can't be sliced");
  if (step <= 0) refuse("a slice's step is not positive");
  const std::size_t d = place(wrap_dim(dim, tensor.rank()));
  const std::int64_t size = tensor.shape[d];
  const auto bound = [&](std::int64_t index) { return std::clamp<std::int64_t>(index < 0 ? index + size : index, 0, size); };
  const std::int64_t first = bound(start);
  const std::int64_t last = std::max(bound(stop), first);
  DeviceTensor view = tensor;
  view.offset += first * tensor.strides[d];
  view.shape[d] = last == first ? 0 : (last - first - 1) / step + 1;
  view.strides[d] = view.shape[d] > 1 ? tensor.strides[d] * step : tensor.strides[d];
  return view;
}

DeviceTensor selected(const DeviceTensor& tensor, std::int64_t dim, std::int64_t index) {
  if (tensor.rank() == 0) refuse("a 0-d tensor has nothing to select");
  const std::int64_t d = wrap_dim(dim, tensor.rank());
  const std::int64_t size = tensor.shape[place(d)];
  if (index < -size || index >= size) refuse("index " + std::to_string(index) + " is beyond size " + std::to_string(size));
  DeviceTensor view = tensor;
  view.offset += (index < 0 ? index + size : index) * tensor.strides[place(d)];
  view.shape.erase(view.shape.begin() + at(d));
  view.strides.erase(view.strides.begin() + at(d));
  return view;
}

Dims whole_shape(const DeviceTensor& tensor, Dims shape) {
  const auto open = std::find(shape.begin(), shape.end(), -1);
  if (open != shape.end()) {
    *open = 1;
    const std::int64_t rest = element_count(shape);
    *open = rest > 0 ? tensor.numel() / rest : 0;
  }
  if (element_count(shape) != tensor.numel()) refuse("shape " + text_of(tensor.shape) + " doesn't fit into " + text_of(shape));
  return shape;
}

DeviceTensor reshaped(const DeviceTensor& tensor, Dims shape) {
  DeviceTensor view = tensor;
  view.shape = whole_shape(tensor, std::move(shape));
  view.strides = compact_strides(view.shape);
  return view;
}

Dims broadcast_shapes(const Dims& left, const Dims& right) {
  const Dims& longer = left.size() >= right.size() ? left : right;
  const Dims& shorter = left.size() >= right.size() ? right : left;
  Dims shape = longer;
  const std::size_t lead = longer.size() - shorter.size();
  for (std::size_t d = 0; d < shorter.size(); ++d) {
    std::int64_t& size = shape[lead + d];
    if (size == 1) {
      size = shorter[d];
    } else if (shorter[d] != 1 && shorter[d] != size) {
      refuse("shapes " + text_of(left) + " and " + text_of(right) + " can't be broadcast");
    }
  }
  return shape;
}

}  // namespace assay::npu
