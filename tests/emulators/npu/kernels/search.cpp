// Kernels whose result's shape or place depends on the data: nonzero, unique, masked selection, searches, histograms.
#include <algorithm>
#include <cmath>

#include "kernels/axes.hpp"
#include "kernels/move.hpp"

namespace assay::emulator {
namespace {

// Gives an output its true shape, at the front of its memory, and tells the caller's tensor.
View reshaped(const View& out, const Shape& shape) {
  if (count_of(shape) > out.count()) {
    throw std::out_of_range("the output has no room for the result");
  }
  View view = out;
  view.shape = shape;
  view.strides = strides_of(shape);
  out.object->shape = view.shape;
  out.object->strides = view.strides;
  out.object->shape_pending = false;
  return view;
}

void check_room(const Args& args, const char* name, std::int64_t needed) {
  if (args.tensor(name).count() < needed) {
    refuse("'" + std::string(name) + "' must have room for the largest result");
  }
}

Integers nonzero(const View& self) {
  const Complexes values = read_complex(self);
  Integers places;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != Complex(0.0)) {
      places.push_back(static_cast<std::int64_t>(i));
    }
  }
  return places;
}

void check_nonzero(const Args& args) {
  const View& self = args.tensor("self");
  check_room(args, "out", self.count() * static_cast<std::int64_t>(self.rank()));
}
template <bool kAxesFirst>
void run_nonzero(const Args& args) {
  const View& self = args.tensor("self");
  const Integers places = nonzero(self);
  const Shape strides = strides_of(self.shape);
  const auto count = static_cast<std::int64_t>(places.size());
  const auto rank = static_cast<std::int64_t>(self.rank());
  Integers result(static_cast<std::size_t>(count * rank));
  for (std::size_t i = 0; i < places.size(); ++i) {
    std::int64_t rest = places[i];
    for (std::size_t axis = 0; axis < self.rank(); ++axis) {
      result[kAxesFirst ? axis * places.size() + i : i * self.rank() + axis] = rest / strides[axis];
      rest %= strides[axis];
    }
  }
  write_integer(reshaped(args.tensor("out"), kAxesFirst ? Shape{rank, count} : Shape{count, rank}), result);
}

Shape mask_shape(const Args& args) { return broadcast_shapes(args.tensor("self").shape, args.tensor("mask").shape); }
void check_masked_select(const Args& args) { check_room(args, "out", count_of(mask_shape(args))); }
void run_masked_select(const Args& args) {
  const View& out = args.tensor("out");
  const Shape shape = mask_shape(args);
  const Integers mask = read_integer(args.tensor("mask"), shape);
  const std::vector<std::byte> bytes = read_bytes(broadcast(args.tensor("self"), shape), out.dtype);
  const auto size = static_cast<std::ptrdiff_t>(item_size(out.dtype));
  std::vector<std::byte> chosen;
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (mask[i] != 0) {
      const auto at = bytes.begin() + static_cast<std::ptrdiff_t>(i) * size;
      chosen.insert(chosen.end(), at, at + size);
    }
  }
  write_bytes(reshaped(out, {static_cast<std::int64_t>(chosen.size()) / size}), chosen);
}

void check_unique(const Args& args) {
  const std::int64_t count = args.tensor("self").count();
  check_room(args, "valueOut", count);
  if (args.flag("returnInverse")) {
    check_room(args, "inverseOut", count);
  }
  if (args.flag("returnCounts")) {
    check_room(args, "countsOut", count);
  }
}
void write_unique(const Args& args, const Reals& values, const Integers& inverse, const Integers& counts) {
  const Shape shape = {static_cast<std::int64_t>(values.size())};
  write_real(reshaped(args.tensor("valueOut"), shape), values);
  if (args.flag("returnInverse")) {
    write_integer(reshaped(args.tensor("inverseOut"), args.tensor("self").shape), inverse);
  }
  if (args.flag("returnCounts")) {
    write_integer(reshaped(args.tensor("countsOut"), shape), counts);
  }
}
void run_unique(const Args& args) {
  const Reals x = read_real(args.tensor("self"));
  Reals values = x;
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  Integers inverse(x.size());
  Integers counts(values.size(), 0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    inverse[i] = std::lower_bound(values.begin(), values.end(), x[i]) - values.begin();
    ++counts[static_cast<std::size_t>(inverse[i])];
  }
  write_unique(args, values, inverse, counts);
}
void check_unique_consecutive(const Args& args) {
  check_unique(args);
  constexpr std::int64_t kFlattened = 1000;
  if (args.integer("dim") != kFlattened && args.tensor("self").rank() != 1) {
    refuse("only flattened tensors are supported");
  }
}
void run_unique_consecutive(const Args& args) {
  const Reals x = read_real(args.tensor("self"));
  Reals values;
  Integers inverse(x.size());
  Integers counts;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i == 0 || x[i] != x[i - 1]) {
      values.push_back(x[i]);
      counts.push_back(0);
    }
    ++counts.back();
    inverse[i] = static_cast<std::int64_t>(values.size()) - 1;
  }
  write_unique(args, values, inverse, counts);
}

// ---- places in sorted rows

std::int64_t place_in(const double* row, std::int64_t length, double value, bool right) {
  const auto before = [](double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; };
  return right ? std::upper_bound(row, row + length, value, before) - row
               : std::lower_bound(row, row + length, value, before) - row;
}
void search(const View& sorted, const Reals& values, bool right, const View& out) {
  const Reals rows = read_real(sorted);
  const std::int64_t length = sorted.dim(-1);
  const std::size_t row_count = length == 0 ? 1 : rows.size() / static_cast<std::size_t>(length);
  const std::size_t each = std::max<std::size_t>(1, values.size() / std::max<std::size_t>(1, row_count));
  Integers places(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t row = row_count == 1 ? 0 : i / each;
    places[i] = place_in(rows.data() + row * static_cast<std::size_t>(length), length, values[i], right);
  }
  write_integer(out, places);
}
void check_search(const Args& args) {
  require_shape(args.tensor("out"), args.tensor("self").shape, "out");
  if (args.tensor("out").dtype != (args.flag("outInt32") ? ACL_INT32 : ACL_INT64)) {
    refuse("the dtype of 'out' is not what 'outInt32' says");
  }
  if (args.has("sorter")) {
    refuse("a sorter is not supported");
  }
}
void run_search(const Args& args) {
  search(args.tensor("sortedSequence"), read_real(args.tensor("self")), args.flag("right"), args.tensor("out"));
}
void check_bucketize(const Args& args) { require_shape(args.tensor("out"), args.tensor("self").shape, "out"); }
void run_bucketize(const Args& args) {
  search(args.tensor("boundaries"), read_real(args.tensor("self")), args.flag("right"), args.tensor("out"));
}

// ---- counting

void check_bincount(const Args& args) {
  if (args.tensor("self").rank() != 1 || args.tensor("out").rank() != 1) {
    refuse("expected tensors of rank 1");
  }
}
void run_bincount(const Args& args) {
  const Integers x = read_integer(args.tensor("self"));
  const Reals weights = args.has("weights") ? read_real(args.tensor("weights")) : Reals(x.size(), 1.0);
  Reals sums(static_cast<std::size_t>(args.tensor("out").count()), 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    sums.at(static_cast<std::size_t>(x[i])) += weights[i];
  }
  write_real(args.tensor("out"), sums);
}
void check_histc(const Args& args) { require_shape(args.tensor("out"), {args.integer("bins")}, "out"); }
void run_histc(const Args& args) {
  const Reals x = read_real(args.tensor("self"));
  double low = args.scalar("min").real;
  double high = args.scalar("max").real;
  if (low == high && !x.empty()) {
    low = *std::min_element(x.begin(), x.end());
    high = *std::max_element(x.begin(), x.end());
  }
  if (low == high) {
    low -= 1.0;
    high += 1.0;
  }
  const std::int64_t bins = args.integer("bins");
  Reals counts(static_cast<std::size_t>(bins), 0.0);
  for (const double value : x) {
    if (value >= low && value <= high) {
      const auto bin = static_cast<std::int64_t>((value - low) / (high - low) * static_cast<double>(bins));
      counts[static_cast<std::size_t>(std::min(bin, bins - 1))] += 1.0;
    }
  }
  write_real(args.tensor("out"), counts);
}

// ---- repeats by number

Shape flat_repeats(const Args& args, bool host) {
  const View& self = args.tensor("self");
  if (host) {
    return Shape(static_cast<std::size_t>(self.count()), args.integer("repeats"));
  }
  return read_integer(args.tensor("repeats"), {self.count()});
}
void check_repeat(const Args& args) { require_shape(args.tensor("out"), {args.integer("outputSize")}, "out"); }
template <bool kHost>
void run_repeat(const Args& args) {
  const View& self = args.tensor("self");
  const std::vector<std::byte> bytes = read_bytes(self, args.tensor("out").dtype);
  const auto size = static_cast<std::ptrdiff_t>(item_size(args.tensor("out").dtype));
  const Shape repeats = flat_repeats(args, kHost);
  std::vector<std::byte> result;
  for (std::size_t i = 0; i < repeats.size(); ++i) {
    const auto at = bytes.begin() + static_cast<std::ptrdiff_t>(i) * size;
    for (std::int64_t n = 0; n < repeats[i]; ++n) {
      result.insert(result.end(), at, at + size);
    }
  }
  write_bytes(args.tensor("out"), result);
}

const Kernel kKernels[] = {
    {"aclnnNonzero", check_nonzero, run_nonzero<false>, kShapesFromData},
    {"aclnnNonzeroV2", check_nonzero, run_nonzero<true>, kShapesFromData},
    {"aclnnMaskedSelect", check_masked_select, run_masked_select, kShapesFromData},
    {"aclnnUnique2", check_unique, run_unique, kShapesFromData},
    {"aclnnUniqueConsecutive", check_unique_consecutive, run_unique_consecutive, kShapesFromData},
    {"aclnnSearchSorted", check_search, run_search},
    {"aclnnBucketize", check_bucketize, run_bucketize},
    {"aclnnBincount", check_bincount, run_bincount, kUsesWorkspace},
    {"aclnnHistc", check_histc, run_histc, kUsesWorkspace},
    {"aclnnRepeatInterleave", check_repeat, run_repeat<false>},
    {"aclnnRepeatInterleaveInt", check_repeat, run_repeat<true>},
};
const RegisterKernels kRegister(kKernels);

}  // namespace
}  // namespace assay::emulator
