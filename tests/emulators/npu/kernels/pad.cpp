// Padding, by a value or by what the tensor has at its edges.
#include "kernels/move.hpp"

namespace assay::emulator {
namespace {

// Pairs (before, after), the last axis first.
Shape padded_shape(const View& self, const Shape& pad) {
  Shape shape = self.shape;
  if (pad.size() % 2 != 0 || pad.size() > 2 * shape.size()) {
    refuse("the padding doesn't fit the rank");
  }
  for (std::size_t i = 0; i < pad.size() / 2; ++i) {
    std::int64_t& dim = shape[shape.size() - 1 - i];
    dim += pad[2 * i] + pad[2 * i + 1];
    if (dim < 0) {
      refuse("the padding takes more than there is");
    }
  }
  return shape;
}

std::int64_t before(const Shape& pad, std::size_t axis, std::size_t rank) {
  const std::size_t pair = 2 * (rank - 1 - axis);
  return pair < pad.size() ? pad[pair] : 0;
}

void check_constant(const Args& args) {
  require_shape(args.tensor("out"), padded_shape(args.tensor("self"), args.ints("pad")), "out");
}
void run_constant(const Args& args) {
  const View& self = args.tensor("self");
  const View& out = args.tensor("out");
  const Shape& pad = args.ints("pad");
  const ScalarValue& value = args.scalar("value");
  const std::size_t size = item_size(out.dtype);
  std::vector<std::byte> element(size);
  is_integral(out.dtype) ? store_integer(element.data(), out.dtype, value.integer)
                         : store_complex(element.data(), out.dtype, value.complex);
  const std::vector<std::byte> bytes = read_bytes(self, out.dtype);
  std::vector<std::byte> result(static_cast<std::size_t>(out.count()) * size);
  const Shape strides = strides_of(self.shape);
  Shape at(out.rank(), 0);
  Shape from(out.rank(), 0);
  for (std::size_t n = 0; n * size < result.size(); ++n) {
    bool inside = true;
    for (std::size_t i = 0; i < at.size(); ++i) {
      from[i] = at[i] - before(pad, i, at.size());
      inside = inside && from[i] >= 0 && from[i] < self.shape[i];
    }
    std::memcpy(result.data() + n * size, inside ? bytes.data() + place_of(from, strides) * size : element.data(), size);
    next_index(at, out.shape);
  }
  write_bytes(out, result);
}

using Source = std::int64_t (*)(std::int64_t at, std::int64_t size);

std::int64_t reflected(std::int64_t at, std::int64_t size) { return at < 0 ? -at : at >= size ? 2 * (size - 1) - at : at; }
std::int64_t replicated(std::int64_t at, std::int64_t size) { return at < 0 ? 0 : at >= size ? size - 1 : at; }
std::int64_t circular(std::int64_t at, std::int64_t size) { return ((at % size) + size) % size; }

template <Source kSource>
void check_edge(const Args& args) {
  const View& self = args.tensor("self");
  const Shape& pad = args.ints("padding");
  require_shape(args.tensor("out"), padded_shape(self, pad), "out");
  for (std::size_t i = 0; i < pad.size(); ++i) {
    const std::int64_t size = self.shape[self.rank() - 1 - i / 2];
    if (size == 0 || (kSource == reflected && pad[i] >= size) || (kSource == circular && pad[i] > size)) {
      refuse("the padding is larger than the axis");
    }
  }
}
template <Source kSource>
void run_edge(const Args& args) {
  const View& self = args.tensor("self");
  const Shape& pad = args.ints("padding");
  move_elements(self, args.tensor("out"), [&](const Shape& at, Shape& from) {
    for (std::size_t i = 0; i < at.size(); ++i) {
      from[i] = kSource(at[i] - before(pad, i, at.size()), self.shape[i]);
    }
    return true;
  });
}

void check_gradient(const Args& args) {
  require_shape(args.tensor("gradInput"), args.tensor("self").shape, "gradInput");
  require_shape(args.tensor("gradOutput"), padded_shape(args.tensor("self"), args.ints("padding")), "gradOutput");
}
template <Source kSource>
void run_gradient(const Args& args) {
  const View& gradient = args.tensor("gradOutput");
  const View& out = args.tensor("gradInput");
  const Shape& pad = args.ints("padding");
  const Complexes values = read_complex(gradient);
  Complexes sums(static_cast<std::size_t>(out.count()));
  const Shape strides = strides_of(out.shape);
  Shape at(gradient.rank(), 0);
  Shape to(gradient.rank(), 0);
  for (const Complex& value : values) {
    for (std::size_t i = 0; i < at.size(); ++i) {
      to[i] = kSource(at[i] - before(pad, i, at.size()), out.shape[i]);
    }
    sums[place_of(to, strides)] += value;
    next_index(at, gradient.shape);
  }
  write_complex(out, sums);
}

const Kernel kKernels[] = {
    {"aclnnConstantPadNd", check_constant, run_constant},
    {"aclnnReflectionPad1d", check_edge<reflected>, run_edge<reflected>},
    {"aclnnReflectionPad2d", check_edge<reflected>, run_edge<reflected>},
    {"aclnnReflectionPad3d", check_edge<reflected>, run_edge<reflected>},
    {"aclnnReplicationPad1d", check_edge<replicated>, run_edge<replicated>},
    {"aclnnReplicationPad2d", check_edge<replicated>, run_edge<replicated>},
    {"aclnnReplicationPad3d", check_edge<replicated>, run_edge<replicated>},
    {"aclnnCircularPad2d", check_edge<circular>, run_edge<circular>},
    {"aclnnCircularPad3d", check_edge<circular>, run_edge<circular>},
    {"aclnnReflectionPad1dBackward", check_gradient, run_gradient<reflected>},
    {"aclnnReflectionPad2dBackward", check_gradient, run_gradient<reflected>},
    {"aclnnReflectionPad3dBackward", check_gradient, run_gradient<reflected>},
    {"aclnnReplicationPad1dBackward", check_gradient, run_gradient<replicated>},
    {"aclnnReplicationPad2dBackward", check_gradient, run_gradient<replicated>},
    {"aclnnReplicationPad3dBackward", check_gradient, run_gradient<replicated>},
    {"aclnnCircularPad2dBackward", check_gradient, run_gradient<circular>},
};
const RegisterKernels kRegister(kKernels);

}  // namespace
}  // namespace assay::emulator
