// Reading by indices: gather, embedding and its gradient, advanced indexing.
#include <algorithm>
#include <cmath>

#include "kernels/axes.hpp"
#include "kernels/indices.hpp"

namespace assay::emulator {
namespace {

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
void no_check(const Args&) {}
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
};
const RegisterKernels kRegister(kKernels);

}  // namespace
}  // namespace assay::emulator
