// Largest and smallest: over axes, with their places, running, medians.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "kernels/axes.hpp"

namespace assay::emulator {
namespace {

// Reals and integers in one order: NaN above everything. Exact for both.
struct Key {
  double real = 0;
  std::int64_t integer = 0;
};

bool less(const Key& a, const Key& b) {
  if (std::isnan(a.real) || std::isnan(b.real)) {
    return !std::isnan(a.real) && std::isnan(b.real);
  }
  return a.real != b.real ? a.real < b.real : a.integer < b.integer;
}

std::vector<Key> read_keys(const View& view) {
  std::vector<Key> keys(static_cast<std::size_t>(view.count()));
  const bool integral = is_integral(view.dtype);
  each_element(view, [&](std::size_t n, const std::byte* at) {
    keys[n].real = load_real(at, view.dtype);
    keys[n].integer = integral ? load_integer(at, view.dtype) : 0;
  });
  return keys;
}

void write_keys(const View& view, const std::vector<Key>& keys, bool integral) {
  Reals reals;
  Integers integers;
  for (const Key& key : keys) {
    integral ? integers.push_back(key.integer) : reals.push_back(key.real);
  }
  integral ? write_integer(view, integers) : write_real(view, reals);
}

// Whether `a` is a better candidate than `b`: NaN wins both ways.
bool better(const Key& a, const Key& b, bool largest) {
  if (std::isnan(a.real) || std::isnan(b.real)) {
    return std::isnan(a.real) && !std::isnan(b.real);
  }
  return largest ? less(b, a) : less(a, b);
}

struct Found {
  std::vector<Key> keys;
  Integers places;
};

Found find(const Reduction& r, bool largest) {
  const std::vector<Key> keys = read_keys(r.rows_view());
  Found found;
  const auto length = static_cast<std::size_t>(r.length());
  for (std::size_t row = 0; row < static_cast<std::size_t>(r.rows()); ++row) {
    const Key* first = keys.data() + row * length;
    std::size_t best = 0;
    for (std::size_t i = 1; i < length; ++i) {
      if (better(first[i], first[best], largest)) {
        best = i;
      }
    }
    found.keys.push_back(first[best]);
    found.places.push_back(static_cast<std::int64_t>(best));
  }
  return found;
}

bool integral(const Args& args) { return is_integral(args.tensor_at(0).dtype); }

void require_elements(const Reduction& r) {
  if (r.length() == 0 && r.rows() > 0) {
    refuse("no extreme of no elements");
  }
}

Reduction over_all(const Args& args) { return {args.tensor_at(0), {}}; }
Reduction over_dims(const Args& args, const char* name) { return {args.tensor_at(0), args.has(name) ? args.ints(name) : Shape{}}; }
Reduction over_dim(const Args& args) { return {args.tensor_at(0), {args.integer("dim")}}; }

void check_max(const Args& args) {
  require_elements(over_all(args));
  if (args.tensor("out").count() != 1) {
    refuse("'out' must have one element");
  }
}
template <bool kLargest>
void run_max(const Args& args) {
  write_keys(args.tensor("out"), find(over_all(args), kLargest).keys, integral(args));
}

void check_amax(const Args& args) {
  const Reduction r = over_dims(args, "dim");
  require_elements(r);
  require_shape(args.tensor("out"), r.result_shape(args.flag("keepDim")), "out");
}
template <bool kLargest>
void run_amax(const Args& args) {
  write_keys(args.tensor("out"), find(over_dims(args, "dim"), kLargest).keys, integral(args));
}

void check_max_v2(const Args& args) {
  const Reduction r = over_dims(args, "dims");
  require_elements(r);
  require_shape(args.tensor("out"), r.result_shape(args.flag("keepDims")), "out");
}
void run_max_v2(const Args& args) { write_keys(args.tensor("out"), find(over_dims(args, "dims"), true).keys, integral(args)); }

void check_aminmax(const Args& args) {
  const Reduction r = over_dims(args, "dim");
  require_elements(r);
  require_shape(args.tensor("minOut"), r.result_shape(args.flag("keepDim")), "minOut");
  require_shape(args.tensor("maxOut"), r.result_shape(args.flag("keepDim")), "maxOut");
}
void run_aminmax(const Args& args) {
  const Reduction r = over_dims(args, "dim");
  write_keys(args.tensor("minOut"), find(r, false).keys, integral(args));
  write_keys(args.tensor("maxOut"), find(r, true).keys, integral(args));
}
void check_aminmax_dim(const Args& args) {
  const Reduction r = over_dim(args);
  require_elements(r);
  require_shape(args.tensor("minOut"), r.result_shape(args.flag("keepDim")), "minOut");
  require_shape(args.tensor("maxOut"), r.result_shape(args.flag("keepDim")), "maxOut");
}
void run_aminmax_dim(const Args& args) {
  const Reduction r = over_dim(args);
  write_keys(args.tensor("minOut"), find(r, false).keys, integral(args));
  write_keys(args.tensor("maxOut"), find(r, true).keys, integral(args));
}

void check_max_dim(const Args& args) {
  const Reduction r = over_dim(args);
  require_elements(r);
  require_shape(args.tensor("out"), r.result_shape(args.flag("keepdim")), "out");
  require_shape(args.tensor("indices"), r.result_shape(args.flag("keepdim")), "indices");
}
template <bool kLargest>
void run_max_dim(const Args& args) {
  const Found found = find(over_dim(args), kLargest);
  write_keys(args.tensor("out"), found.keys, integral(args));
  write_integer(args.tensor("indices"), found.places);
}

void check_arg(const Args& args) {
  const Reduction r = over_dim(args);
  require_elements(r);
  require_shape(args.tensor("out"), r.result_shape(args.flag("keepdim")), "out");
}
template <bool kLargest>
void run_arg(const Args& args) {
  write_integer(args.tensor("out"), find(over_dim(args), kLargest).places);
}

// The k-th smallest of each row with its place; NaN is the largest, except where it makes a median NaN.
Found kth(const Reduction& r, const std::function<std::int64_t(const Key*, std::int64_t)>& which) {
  const std::vector<Key> keys = read_keys(r.rows_view());
  Found found;
  const auto length = static_cast<std::size_t>(r.length());
  for (std::size_t row = 0; row < static_cast<std::size_t>(r.rows()); ++row) {
    const Key* first = keys.data() + row * length;
    std::vector<std::size_t> order(length);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return less(first[a], first[b]); });
    const std::size_t place = order[static_cast<std::size_t>(which(first, r.length()))];
    found.keys.push_back(first[place]);
    found.places.push_back(static_cast<std::int64_t>(place));
  }
  return found;
}

std::int64_t numbers_in(const Key* row, std::int64_t length) {
  return std::count_if(row, row + length, [](const Key& key) { return !std::isnan(key.real); });
}

std::int64_t median_place(const Key* row, std::int64_t length) {
  const std::int64_t numbers = numbers_in(row, length);
  return numbers < length ? numbers : (length - 1) / 2;  // the first NaN
}
std::int64_t nan_median_place(const Key* row, std::int64_t length) {
  const std::int64_t numbers = numbers_in(row, length);
  return numbers == 0 ? 0 : (numbers - 1) / 2;
}

const char* values_name(const Args& args) { return args.op().kernel == std::string_view("aclnnMedian") ? "valuesOut" : "out"; }

void check_median(const Args& args) {
  require_elements(over_all(args));
  if (args.tensor(values_name(args)).count() != 1) {
    refuse("the output must have one element");
  }
}
void run_median(const Args& args) { write_keys(args.tensor("valuesOut"), kth(over_all(args), median_place).keys, integral(args)); }
void run_nan_median(const Args& args) {
  write_keys(args.tensor("out"), kth(over_all(args), nan_median_place).keys, integral(args));
}

template <bool kKth>
void check_along(const Args& args) {
  const Reduction r = over_dim(args);
  require_elements(r);
  const bool keep = args.flag(kKth ? "keepdim" : "keepDim");
  require_shape(args.tensor("valuesOut"), r.result_shape(keep), "valuesOut");
  require_shape(args.tensor("indicesOut"), r.result_shape(keep), "indicesOut");
  if (kKth && (args.integer("k") < 1 || args.integer("k") > r.length())) {
    refuse("k is not in the range of the axis");
  }
}
void write_along(const Args& args, const Found& found) {
  write_keys(args.tensor("valuesOut"), found.keys, integral(args));
  write_integer(args.tensor("indicesOut"), found.places);
}
void run_median_dim(const Args& args) { write_along(args, kth(over_dim(args), median_place)); }
void run_nan_median_dim(const Args& args) { write_along(args, kth(over_dim(args), nan_median_place)); }
void run_kth(const Args& args) {
  const std::int64_t k = args.integer("k");
  write_along(args, kth(over_dim(args), [k](const Key*, std::int64_t) { return k - 1; }));
}

void check_running(const Args& args) {
  axis_of(args.tensor("self"), args.integer("dim"));
  require_shape(args.tensor("valuesOut"), args.tensor("self").shape, "valuesOut");
  require_shape(args.tensor("indicesOut"), args.tensor("self").shape, "indicesOut");
}
template <bool kLargest>
void run_running(const Args& args) {
  const View& self = args.tensor("self");
  const std::size_t axis = axis_of(self, args.integer("dim"));
  std::vector<Key> keys = read_keys(axis_last(self, axis));
  Integers places(keys.size(), 0);
  const Rows rows = rows_along(self, axis);
  for (std::int64_t row = 0; row < rows.count; ++row) {
    for (std::int64_t i = 1; i < rows.length; ++i) {
      const auto at = static_cast<std::size_t>(row * rows.length + i);
      // Equal or better: the later place, as torch has it.
      if (better(keys[at - 1], keys[at], kLargest)) {
        keys[at] = keys[at - 1];
        places[at] = places[at - 1];
      } else {
        places[at] = i;
      }
    }
  }
  write_keys(axis_last(args.tensor("valuesOut"), axis), keys, integral(args));
  write_integer(axis_last(args.tensor("indicesOut"), axis), places);
}

const Kernel kKernels[] = {
    {"aclnnMax", check_max, run_max<true>, kUsesWorkspace},
    {"aclnnMin", check_max, run_max<false>, kUsesWorkspace},
    {"aclnnAmax", check_amax, run_amax<true>},
    {"aclnnAmin", check_amax, run_amax<false>},
    {"aclnnMaxV2", check_max_v2, run_max_v2},
    {"aclnnAminmax", check_aminmax, run_aminmax},
    {"aclnnAminmaxDim", check_aminmax_dim, run_aminmax_dim},
    {"aclnnMaxDim", check_max_dim, run_max_dim<true>},
    {"aclnnMinDim", check_max_dim, run_max_dim<false>},
    {"aclnnArgMax", check_arg, run_arg<true>},
    {"aclnnArgMin", check_arg, run_arg<false>},
    {"aclnnMedian", check_median, run_median},
    {"aclnnNanMedian", check_median, run_nan_median},
    {"aclnnMedianDim", check_along<false>, run_median_dim},
    {"aclnnNanMedianDim", check_along<false>, run_nan_median_dim},
    {"aclnnKthvalue", check_along<true>, run_kth},
    {"aclnnCummax", check_running, run_running<true>},
    {"aclnnCummin", check_running, run_running<false>},
};
const RegisterKernels kRegister(kKernels);

}  // namespace
}  // namespace assay::emulator
