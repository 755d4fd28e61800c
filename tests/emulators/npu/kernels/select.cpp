// Choice by condition, limits, masks, and comparisons with tolerance.
#include <cmath>
#include <limits>

#include "kernels/operand.hpp"

namespace assay::emulator {
namespace {

void check_where(const Args& args) {
  const View& self = args.tensor("self");
  const View& other = args.tensor("other");
  const View& out = args.tensor("out");
  require_shape(out, broadcast_shapes(args.tensor("condition").shape, broadcast_shapes(self.shape, other.shape)), "out");
  const aclDataType dtype = promoted(self.dtype, other.dtype);
  if (dtype == ACL_DT_UNDEFINED) {
    refuse("the dtypes can't be promoted to one");
  }
  require_castable(dtype, out, "out");
}
void run_where(const Args& args) {
  const View& out = args.tensor("out");
  const Integers condition = read_integer(args.tensor("condition"), out.shape);
  std::vector<std::byte> chosen = read_bytes(broadcast(args.tensor("self"), out.shape), out.dtype);
  const std::vector<std::byte> other = read_bytes(broadcast(args.tensor("other"), out.shape), out.dtype);
  const std::size_t size = item_size(out.dtype);
  for (std::size_t i = 0; i < condition.size(); ++i) {
    if (condition[i] == 0) {
      std::copy_n(other.begin() + static_cast<std::ptrdiff_t>(i * size), size,
                  chosen.begin() + static_cast<std::ptrdiff_t>(i * size));
    }
  }
  write_bytes(out, chosen);
}

// Clamp between two scalars or tensors, either may be absent.
Shape clamp_shape(const Args& args) {
  Shape shape = args.tensor("self").shape;
  for (std::size_t i = 1; i <= 2; ++i) {
    if (args.items()[i].present) {
      shape = broadcast_shapes(shape, Operand(args, i).shape());
    }
  }
  return shape;
}
void check_clamp(const Args& args) {
  if (!args.items()[1].present && !args.items()[2].present) {
    refuse("both limits are null");
  }
  require_shape(args.tensor("out"), clamp_shape(args), "out");
}
void run_clamp(const Args& args) {
  const View& out = args.tensor("out");
  if (is_integral(out.dtype)) {
    Integers values = read_integer(args.tensor("self"), out.shape);
    for (std::size_t side = 1; side <= 2; ++side) {
      if (args.items()[side].present) {
        const Integers limits = Operand(args, side).integers(out.shape);
        for (std::size_t i = 0; i < values.size(); ++i) {
          values[i] = side == 1 ? std::max(values[i], limits[i]) : std::min(values[i], limits[i]);
        }
      }
    }
    return write_integer(out, values);
  }
  Reals values = read_real(args.tensor("self"), out.shape);
  for (std::size_t side = 1; side <= 2; ++side) {
    if (args.items()[side].present) {
      const Reals limits = Operand(args, side).reals(out.shape, out.dtype);
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::isnan(limits[i])) {
          values[i] = limits[i];
        } else if (!std::isnan(values[i])) {
          values[i] = side == 1 ? std::fmax(values[i], limits[i]) : std::fmin(values[i], limits[i]);
        }
      }
    }
  }
  write_real(out, values);
}

void check_same(const Args& args) { require_shape(args.tensor("out"), args.tensor_at(0).shape, "out"); }
void run_nan_to_num(const Args& args) {
  Reals values = read_real(args.tensor("self"));
  for (double& value : values) {
    value = std::isnan(value)   ? args.real("nan")
            : std::isinf(value) ? (value > 0.0 ? args.real("posinf") : args.real("neginf"))
                                : value;
  }
  write_real(args.tensor("out"), values);
}
void run_logit(const Args& args) {
  const double eps = args.real("eps");
  Reals values = read_real(args.tensor("input"));
  for (double& value : values) {
    const double x = eps < 0.0 || std::isnan(value)
                         ? value
                         : std::fmin(std::fmax(value, rounded_to(eps, ACL_FLOAT)), rounded_to(1.0 - eps, ACL_FLOAT));
    value = std::log(x / (1.0 - x));
  }
  write_real(args.tensor("out"), values);
}
void check_logit_grad(const Args& args) { require_shape(args.tensor("out"), args.tensor("x").shape, "out"); }
void run_logit_grad(const Args& args) {
  const double eps = args.real("eps");
  const Reals x = read_real(args.tensor("x"));
  Reals g = read_real(args.tensor("dy"));
  for (std::size_t i = 0; i < g.size(); ++i) {
    const bool outside = eps < 0.0 ? x[i] < 0.0 || x[i] > 1.0 : x[i] < eps || x[i] > 1.0 - eps;
    g[i] = outside ? (eps < 0.0 ? std::numeric_limits<double>::quiet_NaN() : 0.0) : g[i] / (x[i] * (1.0 - x[i]));
  }
  write_real(args.tensor("out"), g);
}
void run_round_decimals(const Args& args) {
  const View& self = args.tensor("self");
  if (is_integral(self.dtype)) {
    return convert(self, args.tensor("out"));
  }
  const auto decimals = static_cast<double>(args.integer("decimals"));
  const double factor = std::pow(10.0, std::fabs(decimals));
  Reals values = read_real(self);
  const aclDataType dtype = self.dtype == ACL_DOUBLE ? ACL_DOUBLE : ACL_FLOAT;
  for (double& value : values) {
    if (std::isfinite(value)) {
      value = decimals >= 0.0 ? std::nearbyint(rounded_to(value * factor, dtype)) / factor
                              : std::nearbyint(rounded_to(value / factor, dtype)) * factor;
    }
  }
  write_real(args.tensor("out"), values);
}

void check_close(const Args& args) {
  require_shape(args.tensor("out"), broadcast_shapes(args.tensor("self").shape, args.tensor("other").shape), "out");
}
void run_close(const Args& args) {
  const View& out = args.tensor("out");
  const Complexes a = read_complex(args.tensor("self"), out.shape);
  const Complexes b = read_complex(args.tensor("other"), out.shape);
  Integers values(a.size());
  const auto is_nan = [](Complex value) { return std::isnan(value.real()) || std::isnan(value.imag()); };
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double distance = std::abs(a[i] - b[i]);
    const bool both_nan = args.flag("equalNan") && is_nan(a[i]) && is_nan(b[i]);
    values[i] =
        a[i] == b[i] || both_nan || (std::isfinite(distance) && distance <= args.real("atol") + args.real("rtol") * std::abs(b[i]));
  }
  write_integer(out, values);
}

void check_equal(const Args& args) {
  if (args.tensor("out").count() != 1) {
    refuse("'out' must have one element");
  }
}
void run_equal(const Args& args) {
  const View& a = args.tensor("self");
  const View& b = args.tensor("other");
  const bool equal = a.shape == b.shape && (is_integral(a.dtype) && is_integral(b.dtype) ? read_integer(a) == read_integer(b)
                                                                                         : read_complex(a) == read_complex(b));
  write_integer(args.tensor("out"), {equal ? 1 : 0});
}

void check_mask(const Args& args) { broadcast(args.tensor("mask"), args.tensor("selfRef").shape); }

// Replaces the masked elements by what source(n-th masked) says, as bytes of the tensor's dtype.
template <class F>
void replace_masked(const Args& args, F&& source) {
  const View& self = args.tensor("selfRef");
  const Integers mask = read_integer(args.tensor("mask"), self.shape);
  std::vector<std::byte> bytes = read_bytes(self, self.dtype);
  const std::size_t size = item_size(self.dtype);
  std::size_t seen = 0;
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (mask[i] != 0) {
      std::copy_n(source(seen++), size, bytes.begin() + static_cast<std::ptrdiff_t>(i * size));
    }
  }
  write_bytes(self, bytes);
}
void run_masked_fill(const Args& args) {
  const View& self = args.tensor("selfRef");
  std::vector<std::byte> element(item_size(self.dtype));
  const ScalarValue& value = args.scalar("value");
  if (is_integral(self.dtype)) {
    store_integer(element.data(), self.dtype, self.dtype == ACL_BOOL ? std::int64_t{value.complex != Complex(0.0)} : value.integer);
  } else {
    store_complex(element.data(), self.dtype, value.complex);
  }
  replace_masked(args, [&](std::size_t) { return element.data(); });
}
void check_masked_fill_tensor(const Args& args) {
  check_mask(args);
  if (args.tensor("value").count() != 1) {
    refuse("'value' must have one element");
  }
}
void run_masked_fill_tensor(const Args& args) {
  const std::vector<std::byte> element = read_bytes(args.tensor("value"), args.tensor("selfRef").dtype);
  replace_masked(args, [&](std::size_t) { return element.data(); });
}
void run_masked_scatter(const Args& args) {
  const std::vector<std::byte> elements = read_bytes(args.tensor("source"), args.tensor("selfRef").dtype);
  const std::size_t size = item_size(args.tensor("selfRef").dtype);
  replace_masked(args, [&](std::size_t n) {
    if ((n + 1) * size > elements.size()) {
      throw std::out_of_range("'source' has fewer elements than the mask takes");
    }
    return elements.data() + n * size;
  });
}

const Kernel kKernels[] = {
    {"aclnnSWhere", check_where, run_where},
    {"aclnnClamp", check_clamp, run_clamp},
    {"aclnnClampTensor", check_clamp, run_clamp},
    {"aclnnNanToNum", check_same, run_nan_to_num},
    {"aclnnLogit", check_same, run_logit},
    {"aclnnLogitGrad", check_logit_grad, run_logit_grad},
    {"aclnnRoundDecimals", check_same, run_round_decimals},
    {"aclnnIsClose", check_close, run_close},
    {"aclnnEqual", check_equal, run_equal},
    {"aclnnInplaceMaskedFillScalar", check_mask, run_masked_fill},
    {"aclnnInplaceMaskedFillTensor", check_masked_fill_tensor, run_masked_fill_tensor},
    {"aclnnInplaceMaskedScatter", check_mask, run_masked_scatter},
};
const RegisterKernels kRegister(kKernels);

}  // namespace
}  // namespace assay::emulator
