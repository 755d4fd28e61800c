#include "kernels/access.hpp"

#include <cstring>

namespace assay::emulator {
namespace {

template <class T, class Load>
std::vector<T> read(const View& view, Load load) {
  std::vector<T> values(static_cast<std::size_t>(view.count()));
  each_element(view, [&](std::size_t n, const std::byte* at) { values[n] = load(at, view.dtype); });
  return values;
}

template <class T, class Store>
void write(const View& view, const std::vector<T>& values, Store store) {
  if (static_cast<std::size_t>(view.count()) != values.size()) {
    throw std::logic_error("a kernel computed " + std::to_string(values.size()) + " elements for a tensor of " +
                           std::to_string(view.count()));
  }
  each_element(view, [&](std::size_t n, std::byte* at) { store(at, view.dtype, values[n]); });
}

}  // namespace

std::int64_t count_of(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t dim : shape) {
    count *= dim;
  }
  return count;
}

Shape strides_of(const Shape& shape) {
  Shape strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) {
    strides[i - 1] = strides[i] * shape[i];
  }
  return strides;
}

View broadcast(const View& view, const Shape& shape) {
  if (view.rank() > shape.size()) {
    refuse("a shape of " + text_of(view.shape) + " doesn't broadcast to " + text_of(shape));
  }
  View result = view;
  const std::size_t added = shape.size() - view.rank();
  result.shape = shape;
  result.strides.assign(shape.size(), 0);
  for (std::size_t i = 0; i < view.rank(); ++i) {
    if (view.shape[i] == shape[added + i]) {
      result.strides[added + i] = view.strides[i];
    } else if (view.shape[i] != 1) {
      refuse("a shape of " + text_of(view.shape) + " doesn't broadcast to " + text_of(shape));
    }
  }
  return result;
}

Shape broadcast_shapes(const Shape& a, const Shape& b) {
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  Shape result = longer;
  const std::size_t added = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    std::int64_t& dim = result[added + i];
    if (dim == 1) {
      dim = shorter[i];
    } else if (shorter[i] != 1 && shorter[i] != dim) {
      refuse("shapes " + text_of(a) + " and " + text_of(b) + " don't broadcast together");
    }
  }
  return result;
}

Reals read_real(const View& view) { return read<double>(view, load_real); }
Reals read_real(const View& view, const Shape& shape) { return read_real(broadcast(view, shape)); }
Integers read_integer(const View& view) { return read<std::int64_t>(view, load_integer); }
Integers read_integer(const View& view, const Shape& shape) { return read_integer(broadcast(view, shape)); }
Complexes read_complex(const View& view) { return read<Complex>(view, load_complex); }
Complexes read_complex(const View& view, const Shape& shape) { return read_complex(broadcast(view, shape)); }
void write_real(const View& view, const Reals& values) { write(view, values, store_real); }
void write_integer(const View& view, const Integers& values) { write(view, values, store_integer); }
void write_complex(const View& view, const Complexes& values) { write(view, values, store_complex); }

void convert(const View& from, const View& to) {
  switch (kind_of(from.dtype)) {
    case Kind::kBool:
    case Kind::kInteger: write_integer(to, read_integer(from)); break;
    case Kind::kComplex: write_complex(to, read_complex(from)); break;
    default: write_real(to, read_real(from)); break;
  }
}

std::vector<std::byte> read_bytes(const View& view, aclDataType dtype) {
  const std::size_t size = item_size(dtype);
  std::vector<std::byte> bytes(static_cast<std::size_t>(view.count()) * size);
  if (view.dtype == dtype) {
    each_element(view, [&](std::size_t n, const std::byte* at) { std::memcpy(bytes.data() + n * size, at, size); });
    return bytes;
  }
  View to = view;
  to.dtype = dtype;
  to.strides = strides_of(view.shape);
  to.data = bytes.data();
  convert(view, to);
  return bytes;
}

void write_bytes(const View& view, const std::vector<std::byte>& bytes) {
  const std::size_t size = item_size(view.dtype);
  if (static_cast<std::size_t>(view.count()) * size != bytes.size()) {
    throw std::logic_error("a kernel moved another number of elements than its output has");
  }
  each_element(view, [&](std::size_t n, std::byte* at) { std::memcpy(at, bytes.data() + n * size, size); });
}

void require_shape(const View& view, const Shape& shape, const char* name) {
  if (view.shape != shape) {
    refuse("'" + std::string(name) + "' has the shape " + text_of(view.shape) + ", expected " + text_of(shape));
  }
}

void require_castable(aclDataType from, const View& out, const char* name) {
  if (!can_cast(from, out.dtype)) {
    refuse("a result of " + std::string(name_of(from)) + " can't be cast to the " + name_of(out.dtype) + " of '" + name + "'");
  }
}

std::size_t axis_of(const View& view, std::int64_t dim) {
  const auto all = static_cast<std::int64_t>(std::max<std::size_t>(view.rank(), 1));
  if (dim < -all || dim >= all) {
    refuse("axis " + std::to_string(dim) + " doesn't exist in a tensor of rank " + std::to_string(view.rank()));
  }
  return static_cast<std::size_t>(dim < 0 ? dim + all : dim);
}

std::string text_of(const Shape& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += (i > 0 ? "," : "") + std::to_string(shape[i]);
  }
  return text + "]";
}

}  // namespace assay::emulator
