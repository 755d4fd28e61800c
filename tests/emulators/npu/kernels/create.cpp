// Casts, copies, fills and tensors made from scalars.
#include <cmath>

#include "kernels/access.hpp"

namespace assay::emulator {
namespace {

void check_cast(const Args& args) {
  require_shape(args.tensor("out"), args.tensor("self").shape, "out");
  if (args.dtype("dtype") != args.tensor("out").dtype) {
    refuse("'dtype' is not the dtype of 'out'");
  }
}
void run_cast(const Args& args) { convert(args.tensor("self"), args.tensor("out")); }

void check_copy(const Args& args) { broadcast(args.tensor("src"), args.tensor("selfRef").shape); }
void run_copy(const Args& args) {
  const View& to = args.tensor("selfRef");
  convert(broadcast(args.tensor("src"), to.shape), to);
}

void fill(const View& view, const ScalarValue& value) {
  const auto count = static_cast<std::size_t>(view.count());
  switch (kind_of(view.dtype)) {
    case Kind::kBool: write_integer(view, Integers(count, value.complex != Complex(0.0) ? 1 : 0)); break;
    case Kind::kInteger: write_integer(view, Integers(count, value.integer)); break;
    default: write_complex(view, Complexes(count, value.complex)); break;
  }
}

ScalarValue number(double value) { return {ACL_DOUBLE, value, static_cast<std::int64_t>(value), value}; }

void no_check(const Args&) {}
void run_fill(const Args& args) { fill(args.tensor("selfRef"), args.scalar("value")); }
void run_zero(const Args& args) { fill(args.tensor("selfRef"), number(0.0)); }
void run_one(const Args& args) { fill(args.tensor("selfRef"), number(1.0)); }

void check_fill_tensor(const Args& args) {
  if (args.tensor("value").count() != 1) {
    refuse("'value' must have one element");
  }
}
void run_fill_tensor(const Args& args) {
  const View& to = args.tensor("selfRef");
  View from = args.tensor("value");
  from.shape.clear();
  from.strides.clear();
  convert(broadcast(from, to.shape), to);
}

// start, start + step, ...: integers exactly, else in float steps of one product each.
void write_steps(const View& out, const ScalarValue& start, const ScalarValue& step) {
  const auto count = static_cast<std::size_t>(out.count());
  if (is_integral(out.dtype) && is_integral(start.dtype) && is_integral(step.dtype)) {
    Integers values(count);
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = start.integer + static_cast<std::int64_t>(i) * step.integer;
    }
    return write_integer(out, values);
  }
  Reals values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = start.real + static_cast<double>(i) * step.real;
  }
  write_real(out, values);
}

void check_steps(const Args& args, std::int64_t expected) { require_shape(args.tensor("out"), {expected}, "out"); }
double span(const Args& args) { return (args.scalar("end").real - args.scalar("start").real) / args.scalar("step").real; }
void check_arange(const Args& args) {
  if (args.scalar("step").real == 0.0) {
    refuse("a step of 0");
  }
  check_steps(args, static_cast<std::int64_t>(std::fmax(0.0, std::ceil(span(args)))));
}
void check_range(const Args& args) {
  if (args.scalar("step").real == 0.0) {
    refuse("a step of 0");
  }
  check_steps(args, static_cast<std::int64_t>(std::floor(span(args))) + 1);
}
void run_steps(const Args& args) { write_steps(args.tensor("out"), args.scalar("start"), args.scalar("step")); }

void check_linspace(const Args& args) { check_steps(args, args.integer("steps")); }
void run_linspace(const Args& args) {
  const double start = args.scalar("start").real;
  const double end = args.scalar("end").real;
  const std::int64_t steps = args.integer("steps");
  Reals values(static_cast<std::size_t>(steps));
  const double step = steps > 1 ? (end - start) / static_cast<double>(steps - 1) : 0.0;
  for (std::int64_t i = 0; i < steps; ++i) {
    // From both ends, so that the last value is the end itself.
    values[static_cast<std::size_t>(i)] =
        i < steps / 2 ? start + static_cast<double>(i) * step : end - static_cast<double>(steps - 1 - i) * step;
  }
  if (steps == 1) {
    values[0] = start;
  }
  write_real(args.tensor("out"), values);
}

void check_eye(const Args& args) { require_shape(args.tensor("out"), {args.integer("n"), args.integer("m")}, "out"); }
void run_eye(const Args& args) {
  const std::int64_t m = args.integer("m");
  Integers values(static_cast<std::size_t>(args.integer("n") * m), 0);
  for (std::int64_t i = 0; i < std::min(args.integer("n"), m); ++i) {
    values[static_cast<std::size_t>(i * m + i)] = 1;
  }
  write_integer(args.tensor("out"), values);
}

Shape one_hot_shape(const Args& args) {
  Shape shape = args.tensor("self").shape;
  const std::int64_t axis = args.integer("axis");
  const auto rank = static_cast<std::int64_t>(shape.size());
  if (axis < -1 || axis > rank) {
    refuse("the axis doesn't exist");
  }
  shape.insert(axis == -1 ? shape.end() : shape.begin() + axis, args.integer("numClasses"));
  return shape;
}
void check_one_hot(const Args& args) { require_shape(args.tensor("out"), one_hot_shape(args), "out"); }
void run_one_hot(const Args& args) {
  const View& out = args.tensor("out");
  const std::int64_t axis = args.integer("axis") == -1 ? static_cast<std::int64_t>(out.rank()) - 1 : args.integer("axis");
  // The output with the classes last: a row for each index.
  View rows = out;
  const auto at = static_cast<std::ptrdiff_t>(axis);
  rows.shape.erase(rows.shape.begin() + at);
  rows.strides.erase(rows.strides.begin() + at);
  rows.shape.push_back(out.shape[static_cast<std::size_t>(axis)]);
  rows.strides.push_back(out.strides[static_cast<std::size_t>(axis)]);
  const Integers indices = read_integer(args.tensor("self"));
  const auto classes = static_cast<std::size_t>(args.integer("numClasses"));
  const double on = read_real(args.tensor("onValue")).at(0);
  const double off = read_real(args.tensor("offValue")).at(0);
  Reals values(indices.size() * classes, off);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] >= 0 && indices[i] < static_cast<std::int64_t>(classes)) {
      values[i * classes + static_cast<std::size_t>(indices[i])] = on;
    }
  }
  write_real(rows, values);
}

void check_diagonal(const Args& args) {
  if (args.tensor("selfRef").rank() < 2) {
    refuse("'selfRef' must have two dimensions or more");
  }
}
void run_diagonal(const Args& args) {
  const View& self = args.tensor("selfRef");
  View diagonal = self;
  std::int64_t length = self.shape[0];
  std::int64_t step = 0;
  for (std::size_t i = 0; i < self.rank(); ++i) {
    length = std::min(length, self.shape[i]);
    step += self.strides[i];
  }
  diagonal.shape = {length};
  diagonal.strides = {step};
  fill(diagonal, args.scalar("fillValue"));
  if (args.flag("wrap") && self.rank() == 2) {
    // A tall matrix starts a new diagonal after every columns + 1 rows.
    for (std::int64_t row = self.shape[1] + 1; row < self.shape[0]; row += self.shape[1] + 1) {
      View further = diagonal;
      further.data = self.data + row * self.strides[0] * static_cast<std::int64_t>(item_size(self.dtype));
      further.shape = {std::min(self.shape[1], self.shape[0] - row)};
      fill(further, args.scalar("fillValue"));
    }
  }
}

void check_complex(const Args& args) {
  require_shape(args.tensor("out"), broadcast_shapes(args.tensor("real").shape, args.tensor("imag").shape), "out");
}
void run_complex(const Args& args) {
  const View& out = args.tensor("out");
  const Reals real = read_real(args.tensor("real"), out.shape);
  const Reals imaginary = read_real(args.tensor("imag"), out.shape);
  Complexes values(real.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = {real[i], imaginary[i]};
  }
  write_complex(out, values);
}
void check_real(const Args& args) { require_shape(args.tensor("out"), args.tensor("self").shape, "out"); }
void run_real(const Args& args) { write_real(args.tensor("out"), read_real(args.tensor("self"))); }

const Kernel kKernels[] = {
    {"aclnnCast", check_cast, run_cast},
    {"aclnnInplaceCopy", check_copy, run_copy},
    {"aclnnInplaceFillScalar", no_check, run_fill},
    {"aclnnInplaceFillTensor", check_fill_tensor, run_fill_tensor},
    {"aclnnInplaceZero", no_check, run_zero},
    {"aclnnInplaceOne", no_check, run_one},
    {"aclnnArange", check_arange, run_steps},
    {"aclnnRange", check_range, run_steps},
    {"aclnnLinspace", check_linspace, run_linspace},
    {"aclnnEye", check_eye, run_eye},
    {"aclnnOneHot", check_one_hot, run_one_hot},
    {"aclnnInplaceFillDiagonal", check_diagonal, run_diagonal},
    {"aclnnComplex", check_complex, run_complex},
    {"aclnnReal", check_real, run_real},
};
const RegisterKernels kRegister(kKernels);

}  // namespace
}  // namespace assay::emulator
