// Sums with a factor, products and quotients added, interpolation, division with a mode.
#include <cmath>

#include "kernels/operand.hpp"

namespace assay::emulator {
namespace {

struct Sum {
  const char* name;
  bool subtract;
  bool swap;  // out = other - alpha * self
};
const std::vector<Sum> kSums = {{"aclnnAdd", false, false}, {"aclnnAdds", false, false}, {"aclnnSub", true, false},
                                {"aclnnSubs", true, false}, {"aclnnRsub", true, true},   {"aclnnRsubs", true, true}};

void check_sum(const Args& args) {
  const Operand a(args, 0);
  const Operand b(args, 1);
  const View& out = args.tensor("out");
  require_shape(out, broadcast_shapes(a.shape(), b.shape()), "out");
  require_castable(common_dtype(a, b), out, "out");
}

void run_sum(const Args& args) {
  const auto& sum = args.data<Sum>();
  const Operand first(args, sum.swap ? 1 : 0);
  const Operand second(args, sum.swap ? 0 : 1);
  const aclDataType dtype = common_dtype(first, second);
  const View& out = args.tensor("out");
  const ScalarValue& alpha = args.scalar("alpha");
  if (kind_of(dtype) == Kind::kComplex) {
    Complexes x = first.complexes(out.shape);
    const Complexes y = second.complexes(out.shape);
    const Complex factor = sum.subtract ? -alpha.complex : alpha.complex;
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] += factor * y[i];
    }
    write_complex(out, x);
  } else if (is_integral(dtype)) {
    Integers x = first.integers(out.shape);
    const Integers y = second.integers(out.shape);
    const auto factor = static_cast<std::uint64_t>(sum.subtract ? -alpha.integer : alpha.integer);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(x[i]) + factor * static_cast<std::uint64_t>(y[i]));
    }
    write_integer(out, x);
  } else {
    Reals x = first.reals(out.shape, dtype);
    const Reals y = second.reals(out.shape, dtype);
    const double factor = rounded_to(sum.subtract ? -alpha.real : alpha.real, dtype == ACL_DOUBLE ? ACL_DOUBLE : ACL_FLOAT);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] += factor * y[i];  // fused: one rounding
    }
    write_real(out, x);
  }
}

// DivMod: 0 true division, 1 towards zero, 2 floor.
void check_div_mod(const Args& args) {
  const Operand a(args, 0);
  const Operand b(args, 1);
  const aclDataType dtype = common_dtype(a, b);
  const View& out = args.tensor("out");
  if (args.integer("mode") < 0 || args.integer("mode") > 2) {
    refuse("mode " + std::to_string(args.integer("mode")) + " doesn't exist");
  }
  require_shape(out, broadcast_shapes(a.shape(), b.shape()), "out");
  require_castable(is_integral(dtype) && args.integer("mode") == 0 ? ACL_FLOAT : dtype, out, "out");
}

void run_div_mod(const Args& args) {
  const Operand a(args, 0);
  const Operand b(args, 1);
  const aclDataType dtype = common_dtype(a, b);
  const View& out = args.tensor("out");
  const std::int64_t mode = args.integer("mode");
  if (is_integral(dtype) && mode != 0) {
    Integers x = a.integers(out.shape);
    const Integers y = b.integers(out.shape);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const bool zero = y[i] == 0;
      const std::int64_t rest = zero || y[i] == -1 ? 0 : x[i] % y[i];
      const bool down = mode == 2 && rest != 0 && (rest < 0) != (y[i] < 0);
      x[i] = zero ? 0 : (y[i] == -1 ? -x[i] : x[i] / y[i]) - (down ? 1 : 0);
    }
    write_integer(out, x);
    return;
  }
  Reals x = a.reals(out.shape, dtype);
  const Reals y = b.reals(out.shape, dtype);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double quotient = dtype == ACL_DOUBLE ? x[i] / y[i] : rounded_to(x[i] / y[i], ACL_FLOAT);
    x[i] = mode == 0 ? quotient : mode == 1 ? std::trunc(quotient) : std::floor(quotient);
  }
  write_real(out, x);
}

const View& base(const Args& args) { return args.tensor_at(0); }

void check_three(const Args& args, const char* second, const char* third) {
  const View& out = args.tensor("out");
  Shape shape = broadcast_shapes(base(args).shape, args.tensor(second).shape);
  aclDataType dtype = promoted(base(args).dtype, args.tensor(second).dtype);
  if (third != nullptr) {
    shape = broadcast_shapes(shape, args.tensor(third).shape);
    dtype = promoted(dtype, args.tensor(third).dtype);
  }
  if (dtype == ACL_DT_UNDEFINED) {
    refuse("the dtypes can't be promoted to one");
  }
  require_shape(out, shape, "out");
  require_castable(dtype, out, "out");
}

void check_addc(const Args& args) { check_three(args, "tensor1", "tensor2"); }

template <bool kDivide>
void run_addc(const Args& args) {
  const View& out = args.tensor("out");
  const ScalarValue& value = args.scalar("value");
  if (is_integral(out.dtype)) {
    Integers x = read_integer(base(args), out.shape);
    const Integers y = read_integer(args.tensor("tensor1"), out.shape);
    const Integers z = read_integer(args.tensor("tensor2"), out.shape);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] += kDivide ? (z[i] == 0 ? 0 : value.integer * y[i] / z[i]) : value.integer * y[i] * z[i];
    }
    write_integer(out, x);
    return;
  }
  if (kind_of(out.dtype) == Kind::kComplex) {
    Complexes x = read_complex(base(args), out.shape);
    const Complexes y = read_complex(args.tensor("tensor1"), out.shape);
    const Complexes z = read_complex(args.tensor("tensor2"), out.shape);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] += value.complex * (kDivide ? y[i] / z[i] : y[i] * z[i]);
    }
    write_complex(out, x);
    return;
  }
  Reals x = read_real(base(args), out.shape);
  const Reals y = read_real(args.tensor("tensor1"), out.shape);
  const Reals z = read_real(args.tensor("tensor2"), out.shape);
  const aclDataType compute = out.dtype == ACL_DOUBLE ? ACL_DOUBLE : ACL_FLOAT;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double product = rounded_to(kDivide ? y[i] / z[i] : y[i] * z[i], compute);
    x[i] += value.real * product;
  }
  write_real(out, x);
}

void check_lerp(const Args& args) { check_three(args, "end", "weight"); }
void check_lerps(const Args& args) { check_three(args, "end", nullptr); }

void run_lerp(const Args& args) {
  const View& out = args.tensor("out");
  Reals x = read_real(base(args), out.shape);
  const Reals end = read_real(args.tensor("end"), out.shape);
  const bool scalar = args.tensor("weight").object == nullptr;
  const Reals weight = scalar ? Reals(x.size(), args.scalar("weight").real) : read_real(args.tensor("weight"), out.shape);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double difference = end[i] - x[i];
    x[i] = std::fabs(weight[i]) < 0.5 ? x[i] + weight[i] * difference : end[i] - difference * (1.0 - weight[i]);
  }
  write_real(out, x);
}

std::vector<Kernel> kernels() {
  std::vector<Kernel> result = {
      {"aclnnDivMod", check_div_mod, run_div_mod},   {"aclnnDivMods", check_div_mod, run_div_mod},
      {"aclnnAddcmul", check_addc, run_addc<false>}, {"aclnnAddcdiv", check_addc, run_addc<true>},
      {"aclnnLerp", check_lerp, run_lerp},           {"aclnnLerps", check_lerps, run_lerp},
  };
  for (const Sum& sum : kSums) {
    result.push_back({sum.name, check_sum, run_sum, 0, &sum});
  }
  return result;
}
const std::vector<Kernel> kKernels = kernels();
const RegisterKernels kRegister(kKernels);

}  // namespace
}  // namespace assay::emulator
