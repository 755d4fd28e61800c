// Gather, scatter, embedding and everything else that goes by indices.
#include <algorithm>
#include <cmath>

#include "kernels/axes.hpp"
#include "kernels/move.hpp"

namespace assay::emulator {
namespace {

std::int64_t checked(std::int64_t index, std::int64_t size) {
  const std::int64_t at = index < 0 ? index + size : index;
  if (at < 0 || at >= size) {
    throw std::out_of_range("index " + std::to_string(index) + " is not in the range of " + std::to_string(size));
  }
  return at;
}

std::size_t axis_named(const Args& args) { return axis_of(args.tensor("self"), args.integer("dim")); }

// ---- reading

void check_embedding(const Args& args) {
  Shape shape = args.tensor("indices").shape;
  shape.insert(shape.end(), args.tensor("weight").shape.begin() + 1, args.tensor("weight").shape.end());
  require_shape(args.tensor("out"), shape, "out");
}
void run_embedding(const Args& args) {
  const Integers indices = read_integer(args.tensor("indices"));
  const std::size_t added = args.tensor("indices").rank();
  const Shape strides = strides_of(args.tensor("indices").shape);
  move_elements(args.tensor("weight"), args.tensor("out"), [&](const Shape& at, Shape& from) {
    from[0] = checked(indices[place_of(Shape(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(added)), strides)],
                      args.tensor("weight").shape[0]);
    std::copy(at.begin() + static_cast<std::ptrdiff_t>(added), at.end(), from.begin() + 1);
    return true;
  });
}

// An index of any rank in place of the axis; of rank 1 for IndexSelect.
Shape select_shape(const Args& args) {
  const View& self = args.tensor("self");
  const std::size_t axis = axis_named(args);
  Shape shape = self.shape;
  if (shape.empty()) {
    return shape;
  }
  const auto at = shape.begin() + static_cast<std::ptrdiff_t>(axis);
  const auto after = shape.erase(at);
  const View& index = args.tensor("index");
  shape.insert(after, index.shape.begin(), index.shape.end());
  return shape;
}
void check_select(const Args& args) { require_shape(args.tensor("out"), select_shape(args), "out"); }
void run_select(const Args& args) {
  const View& self = args.tensor("self");
  const View& index = args.tensor("index");
  if (self.rank() == 0) {
    return convert(self, args.tensor("out"));
  }
  const std::size_t axis = axis_named(args);
  const Integers indices = read_integer(index);
  const Shape strides = strides_of(index.shape);
  move_elements(self, args.tensor("out"), [&](const Shape& at, Shape& from) {
    const auto first = at.begin() + static_cast<std::ptrdiff_t>(axis);
    const auto last = first + static_cast<std::ptrdiff_t>(index.rank());
    std::copy(at.begin(), first, from.begin());
    from[axis] = checked(indices[place_of(Shape(first, last), strides)], self.shape[axis]);
    std::copy(last, at.end(), from.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
    return true;
  });
}

void check_gather(const Args& args) {
  axis_named(args);
  require_shape(args.tensor("out"), args.tensor("index").shape, "out");
  if (args.tensor("index").rank() != args.tensor("self").rank()) {
    refuse("'index' has another rank than 'self'");
  }
}
void run_gather(const Args& args) {
  const View& self = args.tensor("self");
  const std::size_t axis = axis_named(args);
  const Integers indices = read_integer(args.tensor("index"));
  std::size_t n = 0;
  move_elements(self, args.tensor("out"), [&](const Shape& at, Shape& from) {
    from = at;
    const std::int64_t index = indices[n++];
    if (!from.empty()) {
      from[axis] = checked(index, self.shape[axis]);
    }
    return true;
  });
}

void check_take(const Args& args) { require_shape(args.tensor("out"), args.tensor("index").shape, "out"); }
void run_take(const Args& args) {
  const View& self = args.tensor("self");
  const Integers indices = read_integer(args.tensor("index"));
  const std::vector<std::byte> bytes = read_bytes(self, args.tensor("out").dtype);
  const std::size_t size = item_size(args.tensor("out").dtype);
  std::vector<std::byte> result(indices.size() * size);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    std::memcpy(result.data() + i * size, bytes.data() + static_cast<std::size_t>(checked(indices[i], self.count())) * size, size);
  }
  write_bytes(args.tensor("out"), result);
}

void check_gather_nd(const Args& args) {
  const View& indices = args.tensor("indices");
  Shape shape(indices.shape.begin(), indices.shape.end() - 1);
  const std::int64_t depth = indices.dim(-1);
  shape.insert(shape.end(), args.tensor("self").shape.begin() + depth, args.tensor("self").shape.end());
  require_shape(args.tensor("out"), shape, "out");
}
void run_gather_nd(const Args& args) {
  const View& self = args.tensor("self");
  const View& view = args.tensor("indices");
  const Integers indices = read_integer(view);
  const auto depth = static_cast<std::size_t>(view.dim(-1));
  const std::size_t leading = view.rank() - 1;
  const Shape strides = strides_of(Shape(view.shape.begin(), view.shape.end() - 1));
  move_elements(self, args.tensor("out"), [&](const Shape& at, Shape& from) {
    const std::size_t row = place_of(Shape(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(leading)), strides);
    for (std::size_t i = 0; i < depth; ++i) {
      from[i] = checked(indices[row * depth + i], self.shape[i]);
    }
    std::copy(at.begin() + static_cast<std::ptrdiff_t>(leading), at.end(), from.begin() + static_cast<std::ptrdiff_t>(depth));
    return true;
  });
}

// ---- advanced indexing: one index tensor for each leading axis, empty ones take all of it

struct Indexing {
  std::vector<Integers> indices;  // empty: all of the axis
  Shape broadcasted;
  std::size_t first = 0;  // where the indexed axes' result dimensions go
  Shape result;
};
Indexing indexing(const View& self, const std::vector<View>& views, bool with_data) {
  Indexing plan;
  std::vector<std::size_t> indexed;
  for (std::size_t i = 0; i < views.size(); ++i) {
    if (views[i].count() > 0 || views[i].rank() != 1) {
      indexed.push_back(i);
      plan.broadcasted = broadcast_shapes(plan.broadcasted, views[i].shape);
    }
  }
  plan.indices.resize(self.rank());
  for (const std::size_t axis : indexed) {
    if (with_data) {
      plan.indices.at(axis) = read_integer(views[axis], plan.broadcasted);
    }
  }
  const bool adjacent = !indexed.empty() && indexed.back() - indexed.front() + 1 == indexed.size();
  plan.first = adjacent ? indexed.front() : 0;
  for (std::size_t i = 0; i < self.rank(); ++i) {
    if (i == plan.first && !indexed.empty()) {
      plan.result.insert(plan.result.end(), plan.broadcasted.begin(), plan.broadcasted.end());
    }
    if (std::find(indexed.begin(), indexed.end(), i) == indexed.end()) {
      plan.result.push_back(self.shape[i]);
    }
  }
  return plan;
}
// The index in self of result index `at`.
void source_of(const Indexing& plan, const View& self, const Shape& at, Shape& from) {
  const std::size_t depth = plan.broadcasted.size();
  const auto first = at.begin() + static_cast<std::ptrdiff_t>(plan.first);
  const std::size_t row = place_of(Shape(first, first + static_cast<std::ptrdiff_t>(depth)), strides_of(plan.broadcasted));
  std::size_t next = 0;
  for (std::size_t i = 0; i < self.rank(); ++i) {
    if (!plan.indices[i].empty()) {
      from[i] = checked(plan.indices[i][row], self.shape[i]);
    } else {
      next = next == plan.first ? next + depth : next;
      from[i] = at[next++];
    }
  }
}
void check_index(const Args& args) {
  require_shape(args.tensor("out"), indexing(args.tensor("self"), args.list("indices"), false).result, "out");
}
void run_index(const Args& args) {
  const View& self = args.tensor("self");
  if (args.tensor("out").count() == 0) {
    return;
  }
  const Indexing plan = indexing(self, args.list("indices"), true);
  move_elements(self, args.tensor("out"), [&](const Shape& at, Shape& from) {
    source_of(plan, self, at, from);
    return true;
  });
}
void check_index_put(const Args& args) {
  broadcast(args.tensor("values"), indexing(args.tensor("selfRef"), args.list("indices"), false).result);
}
void run_index_put(const Args& args) {
  const View& self = args.tensor("selfRef");
  const Indexing plan = indexing(self, args.list("indices"), true);
  const Complexes values = read_complex(args.tensor("values"), plan.result);
  Complexes result = read_complex(self);
  const Shape strides = strides_of(self.shape);
  Shape at(plan.result.size(), 0);
  Shape to(self.rank(), 0);
  for (const Complex& value : values) {
    source_of(plan, self, at, to);
    Complex& element = result[place_of(to, strides)];
    element = args.flag("accumulate") ? element + value : value;
    next_index(at, plan.result);
  }
  write_complex(self, result);
}

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

// ---- embedding's gradient and renormalisation

void check_embedding_backward(const Args& args) {
  require_shape(args.tensor("out"), {args.integer("numWeights"), args.tensor("grad").dim(-1)}, "out");
}
void run_embedding_backward(const Args& args) {
  const Integers indices = read_integer(args.tensor("indices"));
  const Reals gradient = read_real(args.tensor("grad"));
  const View& out = args.tensor("out");
  const auto width = static_cast<std::size_t>(out.dim(-1));
  Reals sums(static_cast<std::size_t>(out.count()), 0.0);
  std::vector<std::int64_t> counts(static_cast<std::size_t>(out.dim(0)), 0);
  for (const std::int64_t index : indices) {
    ++counts[static_cast<std::size_t>(checked(index, out.dim(0)))];
  }
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] == args.integer("paddingIdx")) {
      continue;
    }
    const auto row = static_cast<std::size_t>(indices[i]);
    const double scale = args.flag("scaleGradByFreq") ? 1.0 / static_cast<double>(counts[row]) : 1.0;
    for (std::size_t j = 0; j < width; ++j) {
      sums[row * width + j] = rounded_to(sums[row * width + j] + gradient[i * width + j] * scale, ACL_FLOAT);
    }
  }
  write_real(out, sums);
}
void run_embedding_renorm(const Args& args) {
  const View& self = args.tensor("selfRef");
  Reals values = read_real(self);
  const auto width = static_cast<std::size_t>(self.dim(-1));
  const double p = args.real("normType");
  Integers indices = read_integer(args.tensor("indices"));
  std::sort(indices.begin(), indices.end());
  indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
  for (const std::int64_t index : indices) {
    double* row = values.data() + static_cast<std::size_t>(checked(index, self.dim(0))) * width;
    double sum = 0.0;
    double highest = 0.0;
    for (std::size_t j = 0; j < width; ++j) {
      sum += std::pow(std::fabs(row[j]), p);
      highest = std::fmax(highest, std::fabs(row[j]));
    }
    const double norm = std::isinf(p) ? highest : std::pow(sum, 1.0 / p);
    for (std::size_t j = 0; norm > args.real("maxNorm") && j < width; ++j) {
      row[j] *= args.real("maxNorm") / (norm + 1e-7);
    }
  }
  write_real(self, values);
}

const Kernel kKernels[] = {
    {"aclnnEmbedding", check_embedding, run_embedding},
    {"aclnnEmbeddingDenseBackward", check_embedding_backward, run_embedding_backward, kUsesWorkspace},
    {"aclnnEmbeddingRenorm", no_check, run_embedding_renorm},
    {"aclnnIndexSelect", check_select, run_select},
    {"aclnnGatherV2", check_select, run_select},
    {"aclnnGather", check_gather, run_gather},
    {"aclnnGatherNd", check_gather_nd, run_gather_nd},
    {"aclnnTake", check_take, run_take},
    {"aclnnIndex", check_index, run_index},
    {"aclnnIndexPutImpl", check_index_put, run_index_put},
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
