// Softmax, its logarithm, and their gradients.
#include <cmath>
#include <limits>

#include "kernels/axes.hpp"
#include "kernels/vector_unit.hpp"

namespace assay::emulator {
namespace {

aclDataType compute_dtype(const View& view) { return view.dtype == ACL_DOUBLE ? ACL_DOUBLE : ACL_FLOAT; }

double row_max(const double* row, std::size_t n) {
  double high = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < n; ++i) {
    high = std::isnan(row[i]) || std::isnan(high) ? std::numeric_limits<double>::quiet_NaN() : std::fmax(high, row[i]);
  }
  return high;
}

// f(row, n) changes each row of values in place.
template <class F>
void along(const View& in, const View& out, std::int64_t dim, F&& f) {
  const std::size_t axis = axis_of(in, dim);
  Reals values = read_real(axis_last(in, axis));
  const Rows rows = rows_along(in, axis);
  for (std::int64_t row = 0; row < rows.count; ++row) {
    f(values.data() + row * rows.length, static_cast<std::size_t>(rows.length), static_cast<std::size_t>(row * rows.length));
  }
  write_real(axis_last(out, axis), values);
}

void softmax_row(double* row, std::size_t n, aclDataType dtype) {
  const double high = row_max(row, n);
  for (std::size_t i = 0; i < n; ++i) {
    row[i] = rounded_to(std::exp(rounded_to(row[i] - high, dtype)), dtype);
  }
  const double sum = tree_sum(row, n, 1, dtype);
  for (std::size_t i = 0; i < n; ++i) {
    row[i] /= sum;
  }
}

void check_forward(const Args& args) {
  axis_of(args.tensor("self"), args.integer("dim"));
  require_shape(args.tensor("out"), args.tensor("self").shape, "out");
}

void run_softmax(const Args& args) {
  const View& self = args.tensor("self");
  along(self, args.tensor("out"), args.integer("dim"),
        [&](double* row, std::size_t n, std::size_t) { softmax_row(row, n, compute_dtype(self)); });
}

void run_log_softmax(const Args& args) {
  const View& self = args.tensor("self");
  const aclDataType dtype = compute_dtype(self);
  along(self, args.tensor("out"), args.integer("dim"), [&](double* row, std::size_t n, std::size_t) {
    const double high = row_max(row, n);
    Reals powers(n);
    for (std::size_t i = 0; i < n; ++i) {
      row[i] = rounded_to(row[i] - high, dtype);
      powers[i] = rounded_to(std::exp(row[i]), dtype);
    }
    const double logarithm = rounded_to(std::log(tree_sum(powers, dtype)), dtype);
    for (std::size_t i = 0; i < n; ++i) {
      row[i] -= logarithm;
    }
  });
}

void check_backward(const Args& args) {
  const View& output = args.tensor("output");
  axis_of(output, args.integer("dim"));
  require_shape(args.tensor("gradOutput"), output.shape, "gradOutput");
  require_shape(args.tensor("out"), output.shape, "out");
}

template <bool kLogarithm>
void run_backward(const Args& args) {
  const View& output = args.tensor("output");
  const aclDataType dtype = compute_dtype(output);
  const Reals results = read_real(axis_last(output, axis_of(output, args.integer("dim"))));
  along(args.tensor("gradOutput"), args.tensor("out"), args.integer("dim"), [&](double* row, std::size_t n, std::size_t first) {
    Reals products(n);
    for (std::size_t i = 0; i < n; ++i) {
      products[i] = kLogarithm ? row[i] : rounded_to(row[i] * results[first + i], dtype);
    }
    const double sum = tree_sum(products, dtype);
    for (std::size_t i = 0; i < n; ++i) {
      const double result = results[first + i];
      row[i] = kLogarithm ? row[i] - std::exp(result) * sum : rounded_to(row[i] - sum, dtype) * result;
    }
  });
}

// Softmax of scale * x over the last axis; masked places count as -10000.
constexpr double kMasked = -10000.0;

void check_masked(const Args& args) {
  require_shape(args.tensor("y"), args.tensor("x").shape, "y");
  broadcast(args.tensor("mask"), args.tensor("x").shape);
}
void run_masked(const Args& args) {
  const View& x = args.tensor("x");
  const Integers mask = read_integer(args.tensor("mask"), x.shape);
  const double scale = args.real("scale");
  along(x, args.tensor("y"), -1, [&](double* row, std::size_t n, std::size_t first) {
    for (std::size_t i = 0; i < n; ++i) {
      row[i] = mask[first + i] != 0 ? kMasked : rounded_to(row[i] * scale, ACL_FLOAT);
    }
    softmax_row(row, n, ACL_FLOAT);
  });
}
void check_masked_backward(const Args& args) {
  require_shape(args.tensor("out"), args.tensor("y").shape, "out");
  require_shape(args.tensor("gradOutput"), args.tensor("y").shape, "gradOutput");
}
void run_masked_backward(const Args& args) {
  const View& y = args.tensor("y");
  const Reals results = read_real(y);
  const Integers mask = read_integer(args.tensor("mask"), y.shape);
  const double scale = args.real("scale");
  along(args.tensor("gradOutput"), args.tensor("out"), -1, [&](double* row, std::size_t n, std::size_t first) {
    Reals products(n);
    for (std::size_t i = 0; i < n; ++i) {
      products[i] = rounded_to(row[i] * results[first + i], ACL_FLOAT);
    }
    const double sum = tree_sum(products, ACL_FLOAT);
    for (std::size_t i = 0; i < n; ++i) {
      row[i] = mask[first + i] != 0 ? 0.0 : (row[i] - sum) * results[first + i] * scale;
    }
  });
}

const Kernel kKernels[] = {
    {"aclnnSoftmax", check_forward, run_softmax, kUsesWorkspace},
    {"aclnnLogSoftmax", check_forward, run_log_softmax, kUsesWorkspace},
    {"aclnnSoftmaxBackward", check_backward, run_backward<false>, kUsesWorkspace},
    {"aclnnLogSoftmaxBackward", check_backward, run_backward<true>, kUsesWorkspace},
    {"aclnnScaledMaskedSoftmax", check_masked, run_masked, kUsesWorkspace},
    {"aclnnScaledMaskedSoftmaxBackward", check_masked_backward, run_masked_backward, kUsesWorkspace},
};
const RegisterKernels kRegister(kKernels);

}  // namespace
}  // namespace assay::emulator
