// Kernels that move elements: joins, splits, permutations, repeats, slices, triangles, padding.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "kernels/access.hpp"
#include "kernels/move.hpp"

namespace assay::emulator {
namespace {

// A part of a view along an axis.
View part(const View& view, std::size_t axis, std::int64_t start, std::int64_t length, std::int64_t step = 1) {
  View result = view;
  result.shape[axis] = length;
  result.strides[axis] *= step;
  if (view.data != nullptr) {
    result.data += start * view.strides[axis] * static_cast<std::int64_t>(item_size(view.dtype));
  }
  return result;
}

// ---- cat, stack

bool is_skipped(const View& view) { return view.shape == Shape{0}; }  // an empty vector joins with anything

void check_cat(const Args& args) {
  const View& out = args.tensor("out");
  const std::size_t axis = axis_of(out, args.integer("dim"));
  std::int64_t total = 0;
  if (args.list("tensors").empty()) {
    refuse("no tensors to join");
  }
  for (const View& view : args.list("tensors")) {
    if (is_skipped(view)) {
      continue;
    }
    Shape expected = out.shape;
    if (view.rank() != out.rank() || out.rank() == 0) {
      refuse("a tensor of rank " + std::to_string(view.rank()) + " in a result of rank " + std::to_string(out.rank()));
    }
    expected[axis] = view.shape[axis];
    require_shape(view, expected, "tensors");
    require_castable(view.dtype, out, "out");
    total += view.shape[axis];
  }
  Shape shape = out.shape;
  shape[axis] = total;
  require_shape(out, shape, "out");
}
void run_cat(const Args& args) {
  const View& out = args.tensor("out");
  const std::size_t axis = axis_of(out, args.integer("dim"));
  std::int64_t start = 0;
  for (const View& view : args.list("tensors")) {
    if (!is_skipped(view)) {
      convert(view, part(out, axis, start, view.shape[axis]));
      start += view.shape[axis];
    }
  }
}

std::size_t stack_axis(const Args& args) {
  const std::vector<View>& tensors = args.list("tensors");
  if (tensors.empty()) {
    refuse("no tensors to stack");
  }
  const auto rank = static_cast<std::int64_t>(tensors.front().rank()) + 1;
  const std::int64_t dim = args.integer("dim");
  if (dim < -rank || dim >= rank) {
    refuse("the axis doesn't exist");
  }
  return static_cast<std::size_t>(dim < 0 ? dim + rank : dim);
}
void check_stack(const Args& args) {
  Shape shape = args.list("tensors").empty() ? Shape{} : args.list("tensors").front().shape;
  const std::size_t axis = stack_axis(args);
  for (const View& view : args.list("tensors")) {
    require_shape(view, shape, "tensors");
  }
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), static_cast<std::int64_t>(args.list("tensors").size()));
  require_shape(args.tensor("out"), shape, "out");
}
void run_stack(const Args& args) {
  const std::size_t axis = stack_axis(args);
  std::int64_t start = 0;
  for (const View& view : args.list("tensors")) {
    View to = part(args.tensor("out"), axis, start++, 1);
    to.shape.erase(to.shape.begin() + static_cast<std::ptrdiff_t>(axis));
    to.strides.erase(to.strides.begin() + static_cast<std::ptrdiff_t>(axis));
    convert(view, to);
  }
}

// ---- split

Shape split_sizes(const Args& args) {
  const View& self = args.tensor("self");
  const std::int64_t all = self.dim(args.integer("dim"));
  if (args.op().kernel == std::string_view("aclnnSplitWithSize")) {
    return args.ints("splitSize");
  }
  Shape sizes;
  const std::int64_t size = args.integer("splitSections");
  for (std::int64_t start = 0; size > 0 && start < all; start += size) {
    sizes.push_back(std::min(size, all - start));
  }
  return sizes;
}
void check_split(const Args& args) {
  const View& self = args.tensor("self");
  const std::size_t axis = axis_of(self, args.integer("dim"));
  const Shape sizes = split_sizes(args);
  if (sizes.size() != args.list("out").size() || std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}) != self.shape[axis]) {
    refuse("the sizes of the parts don't fit");
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    Shape shape = self.shape;
    shape[axis] = sizes[i];
    require_shape(args.list("out")[i], shape, "out");
  }
}
void run_split(const Args& args) {
  const View& self = args.tensor("self");
  const std::size_t axis = axis_of(self, args.integer("dim"));
  const Shape sizes = split_sizes(args);
  std::int64_t start = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    convert(part(self, axis, start, sizes[i]), args.list("out")[i]);
    start += sizes[i];
  }
}

// ---- permutations and repeats

View permuted(const Args& args) {
  const View& self = args.tensor("self");
  const Shape& dims = args.ints("dims");
  View view = self;
  std::vector<bool> seen(self.rank(), false);
  if (dims.size() != self.rank()) {
    refuse("'dims' has another length than the rank");
  }
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const std::size_t axis = axis_of(self, dims[i]);
    if (seen[axis]) {
      refuse("an axis comes twice");
    }
    seen[axis] = true;
    view.shape[i] = self.shape[axis];
    view.strides[i] = self.strides[axis];
  }
  return view;
}
void check_permute(const Args& args) { require_shape(args.tensor("out"), permuted(args).shape, "out"); }
void run_permute(const Args& args) { convert(permuted(args), args.tensor("out")); }

void check_expand(const Args& args) { broadcast(args.tensor("self"), args.tensor("out").shape); }
void run_expand(const Args& args) { convert(broadcast(args.tensor("self"), args.tensor("out").shape), args.tensor("out")); }

Shape repeat_shape(const Args& args) {
  const View& self = args.tensor("self");
  Shape shape = args.ints("repeats");
  if (shape.size() < self.rank()) {
    refuse("fewer repeats than dimensions");
  }
  for (std::size_t i = 0; i < self.rank(); ++i) {
    shape[shape.size() - self.rank() + i] *= self.shape[i];
  }
  return shape;
}
void check_repeat(const Args& args) { require_shape(args.tensor("out"), repeat_shape(args), "out"); }
void run_repeat(const Args& args) {
  const View& self = args.tensor("self");
  const std::size_t added = args.tensor("out").rank() - self.rank();
  move_elements(self, args.tensor("out"), [&](const Shape& at, Shape& from) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      from[i] = at[added + i] % self.shape[i];
    }
    return true;
  });
}

void check_flatten(const Args& args) {
  if (args.tensor("out").count() != args.tensor("self").count() || args.tensor("out").rank() != 2) {
    refuse("'out' must have two dimensions and as many elements");
  }
}
void run_reshape(const Args& args) {
  const View& self = args.tensor("self");
  write_bytes(args.tensor("out"), read_bytes(self, args.tensor("out").dtype));
}

void check_flip(const Args& args) {
  for (const std::int64_t dim : args.ints("dims")) {
    axis_of(args.tensor("self"), dim);
  }
  require_shape(args.tensor("out"), args.tensor("self").shape, "out");
}
void run_flip(const Args& args) {
  const View& self = args.tensor("self");
  std::vector<bool> flipped(self.rank() + 1, false);
  for (const std::int64_t dim : args.ints("dims")) {
    flipped[axis_of(self, dim)] = true;
  }
  move_elements(self, args.tensor("out"), [&](const Shape& at, Shape& from) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      from[i] = flipped[i] ? self.shape[i] - 1 - at[i] : at[i];
    }
    return true;
  });
}

void check_roll(const Args& args) {
  require_shape(args.tensor("out"), args.tensor("x").shape, "out");
  const Shape& dims = args.ints("dims");
  if (!dims.empty() && dims.size() != args.ints("shifts").size()) {
    refuse("shifts and dims have different lengths");
  }
}
void run_roll(const Args& args) {
  const View& x = args.tensor("x");
  const Shape& dims = args.ints("dims");
  const Shape& shifts = args.ints("shifts");
  if (x.count() == 0) {
    return;
  }
  if (dims.empty()) {
    std::vector<std::byte> bytes = read_bytes(x, x.dtype);
    const std::int64_t by = ((shifts.at(0) % x.count()) + x.count()) % x.count();
    std::rotate(bytes.begin(), bytes.end() - by * static_cast<std::int64_t>(item_size(x.dtype)), bytes.end());
    return write_bytes(args.tensor("out"), bytes);
  }
  Shape offset(x.rank(), 0);
  for (std::size_t i = 0; i < dims.size(); ++i) {
    offset[axis_of(x, dims[i])] += shifts[i];
  }
  move_elements(x, args.tensor("out"), [&](const Shape& at, Shape& from) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      from[i] = (((at[i] - offset[i]) % x.shape[i]) + x.shape[i]) % x.shape[i];
    }
    return true;
  });
}

// ---- triangles

void check_triangle(const Args& args) {
  if (args.tensor("self").rank() < 2) {
    refuse("'self' must have two dimensions or more");
  }
  require_shape(args.tensor("out"), args.tensor("self").shape, "out");
}
template <bool kUpper>
void run_triangle(const Args& args) {
  const std::int64_t diagonal = args.integer("diagonal");
  move_elements(args.tensor("self"), args.tensor("out"), [&](const Shape& at, Shape& from) {
    from = at;
    const std::int64_t distance = at[at.size() - 1] - at[at.size() - 2];
    return kUpper ? distance >= diagonal : distance <= diagonal;
  });
}

Shape diag_shape(const Args& args) {
  const View& self = args.tensor("self");
  const std::int64_t k = args.integer("diagonal");
  if (self.rank() == 1) {
    const std::int64_t size = self.shape[0] + std::abs(k);
    return {size, size};
  }
  const std::int64_t rows = self.dim(0) + std::min<std::int64_t>(k, 0);
  const std::int64_t columns = self.dim(1) - std::max<std::int64_t>(k, 0);
  return {std::max<std::int64_t>(0, std::min(rows, columns))};
}
void check_diag(const Args& args) { require_shape(args.tensor("out"), diag_shape(args), "out"); }
void run_diag(const Args& args) {
  const View& self = args.tensor("self");
  const std::int64_t k = args.integer("diagonal");
  move_elements(self, args.tensor("out"), [&](const Shape& at, Shape& from) {
    if (self.rank() == 1) {
      from[0] = k >= 0 ? at[0] : at[1];
      return at[1] - at[0] == k;
    }
    from = {at[0] - std::min<std::int64_t>(k, 0), at[0] + std::max<std::int64_t>(k, 0)};
    return true;
  });
}

// ---- slices

std::int64_t clamp_index(std::int64_t index, std::int64_t size) {
  return std::clamp(index < 0 ? index + size : index, std::int64_t{0}, size);
}

View sliced(View view, std::int64_t dim, std::int64_t start, std::int64_t end, std::int64_t step) {
  const std::size_t axis = axis_of(view, dim);
  if (step <= 0 || view.rank() == 0) {
    refuse("a slice needs a positive step");
  }
  const std::int64_t first = clamp_index(start, view.shape[axis]);
  const std::int64_t last = clamp_index(end, view.shape[axis]);
  return part(view, axis, first, std::max<std::int64_t>(0, (last - first + step - 1) / step), step);
}
View slice_of(const Args& args) {
  if (args.op().kernel == std::string_view("aclnnSlice")) {
    return sliced(args.tensor("self"), args.integer("dim"), args.integer("start"), args.integer("end"), args.integer("step"));
  }
  View view = args.tensor("self");
  for (std::size_t i = 0; i < args.ints("axes").size(); ++i) {
    view = sliced(view, args.ints("axes")[i], args.ints("starts").at(i), args.ints("ends").at(i), args.ints("steps").at(i));
  }
  return view;
}
void check_slice(const Args& args) { require_shape(args.tensor("out"), slice_of(args).shape, "out"); }
void run_slice(const Args& args) { convert(slice_of(args), args.tensor("out")); }

void check_shuffle(const Args& args) {
  require_shape(args.tensor("out"), args.tensor("self").shape, "out");
  if (args.integer("groups") <= 0 || args.tensor("self").dim(1) % args.integer("groups") != 0) {
    refuse("the channels don't divide into groups");
  }
}
void run_shuffle(const Args& args) {
  const std::int64_t groups = args.integer("groups");
  const std::int64_t each = args.tensor("self").dim(1) / groups;
  move_elements(args.tensor("self"), args.tensor("out"), [&](const Shape& at, Shape& from) {
    from = at;
    from[1] = at[1] % groups * each + at[1] / groups;
    return true;
  });
}

const Kernel kKernels[] = {
    {"aclnnCat", check_cat, run_cat, kUsesWorkspace},
    {"aclnnStack", check_stack, run_stack},
    {"aclnnSplitTensor", check_split, run_split},
    {"aclnnSplitWithSize", check_split, run_split},
    {"aclnnPermute", check_permute, run_permute},
    {"aclnnExpand", check_expand, run_expand},
    {"aclnnRepeat", check_repeat, run_repeat},
    {"aclnnFlatten", check_flatten, run_reshape},
    {"aclnnFlip", check_flip, run_flip},
    {"aclnnRoll", check_roll, run_roll},
    {"aclnnTril", check_triangle, run_triangle<false>},
    {"aclnnTriu", check_triangle, run_triangle<true>},
    {"aclnnDiag", check_diag, run_diag},
    {"aclnnSlice", check_slice, run_slice},
    {"aclnnSliceV2", check_slice, run_slice},
    {"aclnnChannelShuffle", check_shuffle, run_shuffle},
};
const RegisterKernels kRegister(kKernels);

}  // namespace
}  // namespace assay::emulator
