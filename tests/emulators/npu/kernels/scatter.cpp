// Writing by indices: scatter, index_add and kin.
#include <algorithm>
#include <cmath>

#include "kernels/axes.hpp"
#include "kernels/indices.hpp"

namespace assay::emulator {
namespace {

std::size_t axis_named(const Args& args) { return axis_of(args.tensor("self"), args.integer("dim")); }

// ---- adding and replacing along an axis

void check_along(const Args& args, const char* self) {
  const View& view = args.tensor(self);
  const std::size_t axis = axis_of(view, args.integer("dim"));
  Shape expected = view.shape;
  if (!expected.empty()) {
    expected[axis] = args.tensor("index").count();
    require_shape(args.tensor("source"), expected, "source");
  }
}
// For each element of the source, the place in self.
template <class F>
void along_index(const View& self, std::size_t axis, const Integers& indices, const Shape& source, F&& visit) {
  const Shape strides = strides_of(self.shape);
  Shape at(source.size(), 0);
  const auto count = static_cast<std::size_t>(count_of(source));
  for (std::size_t n = 0; n < count; ++n) {
    Shape to = at;
    if (!to.empty()) {
      to[axis] = checked(indices[static_cast<std::size_t>(at[axis])], self.shape[axis]);
    }
    visit(n, place_of(to, strides));
    next_index(at, source);
  }
}
void check_index_add(const Args& args) {
  check_along(args, "self");
  require_shape(args.tensor("out"), args.tensor("self").shape, "out");
}
void run_index_add(const Args& args) {
  const View& self = args.tensor("self");
  const View& source = args.tensor("source");
  Complexes result = read_complex(self);
  const Complexes values = read_complex(source);
  const Complex alpha = args.scalar("alpha").complex;
  along_index(self, axis_named(args), read_integer(args.tensor("index")), source.shape, [&](std::size_t n, std::size_t to) {
    result[to] += alpha * values[n];
    if (is_floating(self.dtype) && self.dtype != ACL_DOUBLE) {
      result[to] = rounded_to(result[to].real(), ACL_FLOAT);
    }
  });
  write_complex(args.tensor("out"), result);
}
void check_index_copy(const Args& args) { check_along(args, "selfRef"); }
void run_index_copy(const Args& args) {
  const View& self = args.tensor("selfRef");
  const View& source = args.tensor("source");
  Complexes result = read_complex(self);
  const Complexes values = read_complex(source);
  along_index(self, axis_of(self, args.integer("dim")), read_integer(args.tensor("index")), source.shape,
              [&](std::size_t n, std::size_t to) { result[to] = values[n]; });
  write_complex(args.tensor("outRef"), result);
}
void check_index_fill(const Args& args) {
  axis_named(args);
  require_shape(args.tensor("out"), args.tensor("self").shape, "out");
}
template <bool kHostIndex>
void run_index_fill(const Args& args) {
  const View& self = args.tensor("self");
  const std::size_t axis = axis_named(args);
  Complexes result = read_complex(self);
  const Integers indices = kHostIndex ? args.ints("index") : read_integer(args.tensor("index"));
  Shape source = self.shape;
  if (!source.empty()) {
    source[axis] = static_cast<std::int64_t>(indices.size());
  }
  along_index(self, axis, indices, source, [&](std::size_t, std::size_t to) { result[to] = args.scalar("value").complex; });
  write_complex(args.tensor("out"), result);
}

// ---- scatter

enum Reduce : std::int64_t { kReplace = 0, kAdd = 1, kMultiply = 2, kMaximum = 3, kMinimum = 4, kMean = 5 };

double reduced(std::int64_t reduce, double a, double b) {
  switch (reduce) {
    case kAdd:
    case kMean: return a + b;
    case kMultiply: return a * b;
    case kMaximum: return std::isnan(a) || std::isnan(b) ? a + b : std::fmax(a, b);
    case kMinimum: return std::isnan(a) || std::isnan(b) ? a + b : std::fmin(a, b);
    default: return b;
  }
}

void check_scatter(const Args& args) {
  axis_named(args);
  require_shape(args.tensor("out"), args.tensor("self").shape, "out");
  if (args.tensor("index").rank() != args.tensor("self").rank()) {
    refuse("'index' has another rank than 'self'");
  }
}

// `value(n, at)` is what the n-th index brings.
template <class F>
void scatter(const Args& args, std::int64_t reduce, bool include_self, F&& value) {
  const View& self = args.tensor("self");
  const View& index = args.tensor("index");
  const std::size_t axis = axis_named(args);
  const Integers indices = read_integer(index);
  Reals result = read_real(self);
  std::vector<std::int64_t> counts(result.size(), include_self ? 1 : 0);
  const Shape strides = strides_of(self.shape);
  const bool rounds = is_floating(self.dtype) && self.dtype != ACL_DOUBLE;
  Shape at(index.rank(), 0);
  for (std::size_t n = 0; n < indices.size(); ++n) {
    Shape to = at;
    if (!to.empty()) {
      to[axis] = checked(indices[n], self.shape[axis]);
    }
    const std::size_t place = place_of(to, strides);
    const double brought = value(n, at);
    const double sum = counts[place]++ == 0 ? brought : reduced(reduce, result[place], brought);
    result[place] = rounds ? rounded_to(sum, ACL_FLOAT) : sum;
    next_index(at, index.shape);
  }
  for (std::size_t i = 0; reduce == kMean && i < result.size(); ++i) {
    const auto count = static_cast<double>(std::max<std::int64_t>(counts[i], 1));
    result[i] = rounds || self.dtype == ACL_DOUBLE ? result[i] / count : std::floor(result[i] / count);
  }
  write_real(args.tensor("out"), result);
}
// Elements of src at the indices of `index`, which may be smaller.
template <class F>
void scatter_source(const Args& args, F&& reduce_with) {
  const View& src = args.tensor("src");
  const Reals values = read_real(src);
  const Shape strides = strides_of(src.shape);
  reduce_with([&](std::size_t, const Shape& at) { return values[place_of(at, strides)]; });
}
void run_scatter(const Args& args) {
  scatter_source(args, [&](auto value) { scatter(args, args.integer("reduce"), true, value); });
}
void run_scatter_add(const Args& args) {
  scatter_source(args, [&](auto value) { scatter(args, kAdd, true, value); });
}
void run_scatter_reduce(const Args& args) {
  scatter_source(args, [&](auto value) { scatter(args, args.integer("reduce"), args.flag("includeSelf"), value); });
}
void run_scatter_value(const Args& args) {
  scatter(args, args.integer("reduce"), true, [&](std::size_t, const Shape&) { return args.scalar("value").real; });
}

void no_check(const Args&) {}
void run_put(const Args& args) {
  const View& self = args.tensor("selfRef");
  const Integers indices = read_integer(args.tensor("index"));
  const Complexes values = read_complex(args.tensor("source"));
  Complexes result = read_complex(self);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    Complex& element = result[static_cast<std::size_t>(checked(indices[i], self.count()))];
    element = args.flag("accumulate") ? element + values.at(i) : values.at(i);
  }
  write_complex(self, result);
}

const Kernel kKernels[] = {
    {"aclnnIndexAdd", check_index_add, run_index_add},
    {"aclnnIndexAddV2", check_index_add, run_index_add},
    {"aclnnIndexCopy", check_index_copy, run_index_copy},
    {"aclnnIndexFill", check_index_fill, run_index_fill<false>},
    {"aclnnIndexFillTensor", check_index_fill, run_index_fill<true>},
    {"aclnnScatter", check_scatter, run_scatter},
    {"aclnnScatterValue", check_scatter, run_scatter_value},
    {"aclnnScatterAdd", check_scatter, run_scatter_add},
    {"aclnnScatterReduce", check_scatter, run_scatter_reduce},
    {"aclnnInplacePut", no_check, run_put},
};
const RegisterKernels kRegister(kKernels);

}  // namespace
}  // namespace assay::emulator
