// Running sums and products, sorting, the k largest.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/axes.hpp"

namespace assay::emulator {
namespace {

// out[i] = step(out[i - 1], in[i]) along the axis, rounded to float at each step.
void accumulate(const View& in, const View& out, std::size_t axis, bool product) {
  const Rows rows = rows_along(in, axis);
  const View from = axis_last(in, axis);
  const View to = axis_last(out, axis);
  if (is_integral(out.dtype)) {
    Integers values = read_integer(from);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i % static_cast<std::size_t>(rows.length) != 0) {
        values[i] = product ? values[i] * values[i - 1] : values[i] + values[i - 1];
      }
    }
    return write_integer(to, values);
  }
  if (kind_of(out.dtype) == Kind::kComplex) {
    Complexes values = read_complex(from);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i % static_cast<std::size_t>(rows.length) != 0) {
        values[i] = product ? values[i] * values[i - 1] : values[i] + values[i - 1];
      }
    }
    return write_complex(to, values);
  }
  Reals values = read_real(from);
  const aclDataType compute = out.dtype == ACL_DOUBLE ? ACL_DOUBLE : ACL_FLOAT;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i % static_cast<std::size_t>(rows.length) != 0) {
      values[i] = rounded_to(product ? values[i] * values[i - 1] : values[i] + values[i - 1], compute);
    }
  }
  write_real(to, values);
}

void check_cumsum(const Args& args) {
  axis_of(args.tensor("self"), args.integer("dim"));
  require_shape(args.tensor("out"), args.tensor("self").shape, "out");
  if (args.dtype("dtype") != args.tensor("out").dtype) {
    refuse("'dtype' is not the dtype of 'out'");
  }
}
void run_cumsum(const Args& args) {
  accumulate(args.tensor("self"), args.tensor("out"), axis_of(args.tensor("self"), args.integer("dim")), false);
}

void check_cumsum_v2(const Args& args) {
  axis_of(args.tensor("self"), args.integer("dim"));
  require_shape(args.tensor("out"), args.tensor("self").shape, "out");
}
void run_cumsum_v2(const Args& args) {
  const View& self = args.tensor("self");
  const std::size_t axis = axis_of(self, args.integer("dim"));
  const Rows rows = rows_along(self, axis);
  const Reals values = read_real(axis_last(self, axis));
  Reals sums(values.size());
  for (std::int64_t row = 0; row < rows.count; ++row) {
    double sum = 0.0;
    for (std::int64_t i = 0; i < rows.length; ++i) {
      const auto at = static_cast<std::size_t>(row * rows.length + (args.flag("reverse") ? rows.length - 1 - i : i));
      const double next = self.dtype == ACL_DOUBLE ? sum + values[at] : rounded_to(sum + values[at], ACL_FLOAT);
      sums[at] = args.flag("exclusive") ? sum : next;
      sum = next;
    }
  }
  write_real(axis_last(args.tensor("out"), axis), sums);
}

void check_cumprod(const Args& args) {
  axis_of(args.tensor("input"), args.scalar("dim").integer);
  require_shape(args.tensor("out"), args.tensor("input").shape, "out");
}
void run_cumprod(const Args& args) {
  accumulate(args.tensor("input"), args.tensor("out"), axis_of(args.tensor("input"), args.scalar("dim").integer), true);
}
void check_cumprod_in_place(const Args& args) { axis_of(args.tensor("input"), args.scalar("dim").integer); }
void run_cumprod_in_place(const Args& args) {
  accumulate(args.tensor("input"), args.tensor("input"), axis_of(args.tensor("input"), args.scalar("dim").integer), true);
}

// The places of a row's elements in order; NaN is the largest. Stable.
std::vector<std::size_t> order_of(const double* reals, const std::int64_t* integers, std::size_t length, bool descending) {
  std::vector<std::size_t> order(length);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto before = [&](std::size_t a, std::size_t b) {
    if (integers != nullptr) {
      return integers[a] < integers[b];
    }
    return std::isnan(reals[b]) ? !std::isnan(reals[a]) : reals[a] < reals[b];
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return descending ? before(b, a) : before(a, b); });
  return order;
}

// Writes the first `kept` of each sorted row; either output may be absent.
void sort_rows(const View& self, std::size_t axis, bool descending, std::int64_t kept, const View* values_out,
               const View* places_out) {
  const Rows rows = rows_along(self, axis);
  const View from = axis_last(self, axis);
  const bool integral = is_integral(self.dtype);
  const Reals reals = integral ? Reals{} : read_real(from);
  const Integers integers = integral ? read_integer(from) : Integers{};
  Reals real_result;
  Integers integer_result;
  Integers places;
  for (std::int64_t row = 0; row < rows.count; ++row) {
    const auto first = static_cast<std::size_t>(row * rows.length);
    const auto order = order_of(reals.data() + (integral ? 0 : first), integral ? integers.data() + first : nullptr,
                                static_cast<std::size_t>(rows.length), descending);
    for (std::int64_t i = 0; i < kept; ++i) {
      const std::size_t place = order[static_cast<std::size_t>(i)];
      places.push_back(static_cast<std::int64_t>(place));
      integral ? integer_result.push_back(integers[first + place]) : real_result.push_back(reals[first + place]);
    }
  }
  if (values_out != nullptr) {
    integral ? write_integer(axis_last(*values_out, axis), integer_result) : write_real(axis_last(*values_out, axis), real_result);
  }
  if (places_out != nullptr) {
    write_integer(axis_last(*places_out, axis), places);
  }
}

void check_sort(const Args& args) {
  axis_of(args.tensor("self"), args.integer("dim"));
  require_shape(args.tensor("valuesOut"), args.tensor("self").shape, "valuesOut");
  require_shape(args.tensor("indicesOut"), args.tensor("self").shape, "indicesOut");
}
void run_sort(const Args& args) {
  const View& self = args.tensor("self");
  const std::size_t axis = axis_of(self, args.integer("dim"));
  sort_rows(self, axis, args.flag("descending"), rows_along(self, axis).length, &args.tensor("valuesOut"),
            &args.tensor("indicesOut"));
}

void check_argsort(const Args& args) {
  axis_of(args.tensor("self"), args.integer("dim"));
  require_shape(args.tensor("out"), args.tensor("self").shape, "out");
}
void run_argsort(const Args& args) {
  const View& self = args.tensor("self");
  const std::size_t axis = axis_of(self, args.integer("dim"));
  sort_rows(self, axis, args.flag("descending"), rows_along(self, axis).length, nullptr, &args.tensor("out"));
}

void check_topk(const Args& args) {
  const View& self = args.tensor("self");
  const std::size_t axis = axis_of(self, args.integer("dim"));
  Shape shape = self.shape;
  const std::int64_t k = args.integer("k");
  if (k < 0 || k > rows_along(self, axis).length) {
    refuse("k is larger than the axis");
  }
  if (!args.flag("sorted")) {
    refuse("'sorted' must be true");
  }
  if (!shape.empty()) {
    shape[axis] = k;
  }
  require_shape(args.tensor("valuesOut"), shape, "valuesOut");
  require_shape(args.tensor("indicesOut"), shape, "indicesOut");
}
void run_topk(const Args& args) {
  const View& self = args.tensor("self");
  sort_rows(self, axis_of(self, args.integer("dim")), args.flag("largest"), args.integer("k"), &args.tensor("valuesOut"),
            &args.tensor("indicesOut"));
}

const Kernel kKernels[] = {
    {"aclnnCumsum", check_cumsum, run_cumsum},           {"aclnnCumsumV2", check_cumsum_v2, run_cumsum_v2},
    {"aclnnCumprod", check_cumprod, run_cumprod},        {"aclnnInplaceCumprod", check_cumprod_in_place, run_cumprod_in_place},
    {"aclnnSort", check_sort, run_sort, kUsesWorkspace}, {"aclnnArgsort", check_argsort, run_argsort, kUsesWorkspace},
    {"aclnnTopk", check_topk, run_topk, kUsesWorkspace},
};
const RegisterKernels kRegister(kKernels);

}  // namespace
}  // namespace assay::emulator
