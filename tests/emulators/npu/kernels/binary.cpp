// Two operands, tensors or host scalars, broadcast together, element by element.
#include <cmath>
#include <limits>
#include <numeric>

#include "kernels/operand.hpp"

namespace assay::emulator {
namespace {

enum class Result { kSame, kFloating, kBool };

struct Binary {
  const char* name;
  Result result;
  double (*real)(double, double);
  std::int64_t (*integer)(std::int64_t, std::int64_t) = nullptr;  // null: integers are computed as floats
  Complex (*complex)(Complex, Complex) = nullptr;                 // null: refused
};

using Int = std::int64_t;
using Cx = Complex;
using Unsigned = std::uint64_t;

Int wrapped(Unsigned value) { return static_cast<Int>(value); }

double floor_divide(double x, double y) {
  if (y == 0.0) {
    return x / y;
  }
  const double rest = std::fmod(x, y);
  double quotient = (x - rest) / y;
  if (rest != 0.0 && (y < 0.0) != (rest < 0.0)) {
    quotient -= 1.0;
  }
  const double floored = std::floor(quotient);
  return quotient - floored > 0.5 ? floored + 1.0 : floored;
}

// Integers divided by zero give 0 here; a card doesn't trap either.
Int floor_divide_integer(Int x, Int y) {
  if (y == 0) {
    return 0;
  }
  if (y == -1) {
    return wrapped(0U - static_cast<Unsigned>(x));
  }
  const Int quotient = x / y;
  return x % y != 0 && (x % y < 0) != (y < 0) ? quotient - 1 : quotient;
}

double remainder_of(double x, double y) {
  const double rest = std::fmod(x, y);
  return rest != 0.0 && (rest < 0.0) != (y < 0.0) ? rest + y : rest;
}

Int fmod_integer(Int x, Int y) { return y == 0 || y == -1 ? 0 : x % y; }

Int remainder_integer(Int x, Int y) {
  const Int rest = fmod_integer(x, y);
  return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

Int power_integer(Int base, Int exponent) {
  if (exponent < 0) {
    return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
  }
  Unsigned result = 1;
  for (auto factor = static_cast<Unsigned>(base); exponent > 0; exponent /= 2, factor *= factor) {
    if (exponent % 2 == 1) {
      result *= factor;
    }
  }
  return wrapped(result);
}

double maximum(double x, double y) {
  return std::isnan(x) || std::isnan(y) ? std::numeric_limits<double>::quiet_NaN() : std::fmax(x, y);
}
double minimum(double x, double y) {
  return std::isnan(x) || std::isnan(y) ? std::numeric_limits<double>::quiet_NaN() : std::fmin(x, y);
}

double log_add(double x, double y, double (*power)(double), double (*logarithm1p)(double)) {
  if (std::isinf(x) && x == y) {
    return x;
  }
  const double high = maximum(x, y);
  return high + logarithm1p(power(-std::fabs(x - y)));
}

double bit(bool value) { return value ? 1.0 : 0.0; }

double x_log_y(double x, double y) { return std::isnan(y) ? y : x == 0.0 ? 0.0 : x * std::log(y); }

Int shift_left(Int x, Int y) { return y < 0 || y > 63 ? 0 : wrapped(static_cast<Unsigned>(x) << static_cast<Unsigned>(y)); }
Int shift_right(Int x, Int y) { return x >> (y < 0 || y > 63 ? 63 : y); }

// A function under the names of its forms.
#define TENSOR_AND_SCALAR(name, scalar_name, ...) \
  {name, __VA_ARGS__}, { scalar_name, __VA_ARGS__ }

const std::vector<Binary> kBinary = {
    TENSOR_AND_SCALAR(
        "aclnnMul", "aclnnMuls", Result::kSame, [](double x, double y) { return x * y; },
        [](Int x, Int y) { return wrapped(static_cast<Unsigned>(x) * static_cast<Unsigned>(y)); },
        [](Cx x, Cx y) { return x * y; }),
    TENSOR_AND_SCALAR(
        "aclnnDiv", "aclnnDivs", Result::kFloating, [](double x, double y) { return x / y; }, nullptr,
        [](Cx x, Cx y) { return x / y; }),
    TENSOR_AND_SCALAR("aclnnFloorDivide", "aclnnFloorDivides", Result::kSame, floor_divide, floor_divide_integer),
    TENSOR_AND_SCALAR("aclnnRemainderTensorTensor", "aclnnRemainderTensorScalar", Result::kSame, remainder_of, remainder_integer),
    {"aclnnRemainderScalarTensor", Result::kSame, remainder_of, remainder_integer},
    TENSOR_AND_SCALAR(
        "aclnnFmodTensor", "aclnnFmodScalar", Result::kSame, [](double x, double y) { return std::fmod(x, y); }, fmod_integer),
    TENSOR_AND_SCALAR(
        "aclnnPowTensorTensor", "aclnnPowTensorScalar", Result::kSame, [](double x, double y) { return std::pow(x, y); },
        power_integer, [](Cx x, Cx y) { return y == Cx(2.0) ? x * x : std::pow(x, y); }),
    {"aclnnPowScalarTensor", Result::kSame, [](double x, double y) { return std::pow(x, y); }, power_integer,
     [](Cx x, Cx y) { return std::pow(x, y); }},
    {"aclnnMaximum", Result::kSame, maximum, [](Int x, Int y) { return x > y ? x : y; }},
    {"aclnnMinimum", Result::kSame, minimum, [](Int x, Int y) { return x < y ? x : y; }},
    TENSOR_AND_SCALAR("aclnnClampMinTensor", "aclnnClampMin", Result::kSame, maximum, [](Int x, Int y) { return x > y ? x : y; }),
    TENSOR_AND_SCALAR("aclnnClampMaxTensor", "aclnnClampMax", Result::kSame, minimum, [](Int x, Int y) { return x < y ? x : y; }),
    {"aclnnAtan2", Result::kFloating, [](double x, double y) { return std::atan2(x, y); }},
    {"aclnnLogAddExp", Result::kFloating,
     [](double x, double y) {
       return log_add(
           x, y, [](double v) { return std::exp(v); }, [](double v) { return std::log1p(v); });
     }},
    {"aclnnLogAddExp2", Result::kFloating,
     [](double x, double y) {
       return log_add(
           x, y, [](double v) { return std::exp2(v); }, [](double v) { return std::log1p(v) / std::log(2.0); });
     }},
    TENSOR_AND_SCALAR("aclnnXLogYTensor", "aclnnXLogYScalarOther", Result::kFloating, x_log_y),
    {"aclnnXLogYScalarSelf", Result::kFloating, x_log_y},
    {"aclnnHeaviside", Result::kSame, [](double x, double y) { return std::isnan(x) ? x
                                                                      : x == 0.0    ? y
                                                                                    : bit(x > 0.0); },
     [](Int x, Int y) { return x == 0 ? y : Int{x > 0}; }},
    {"aclnnGcd", Result::kSame, nullptr, [](Int x, Int y) { return std::gcd(x, y); }},
    TENSOR_AND_SCALAR("aclnnBitwiseAndTensor", "aclnnBitwiseAndScalar", Result::kSame, nullptr, [](Int x, Int y) { return x & y; }),
    TENSOR_AND_SCALAR("aclnnBitwiseOrTensor", "aclnnBitwiseOrScalar", Result::kSame, nullptr, [](Int x, Int y) { return x | y; }),
    TENSOR_AND_SCALAR("aclnnBitwiseXorTensor", "aclnnBitwiseXorScalar", Result::kSame, nullptr, [](Int x, Int y) { return x ^ y; }),
    TENSOR_AND_SCALAR("aclnnLeftShift", "aclnnLeftShifts", Result::kSame, nullptr, shift_left),
    {"aclnnRightShift", Result::kSame, nullptr, shift_right},
    {"aclnnLogicalAnd", Result::kBool, [](double x, double y) { return bit(x != 0.0 && y != 0.0); },
     [](Int x, Int y) { return Int{x != 0 && y != 0}; }},
    {"aclnnLogicalOr", Result::kBool, [](double x, double y) { return bit(x != 0.0 || y != 0.0); },
     [](Int x, Int y) { return Int{x != 0 || y != 0}; }},
    {"aclnnLogicalXor", Result::kBool, [](double x, double y) { return bit((x != 0.0) != (y != 0.0)); },
     [](Int x, Int y) { return Int{(x != 0) != (y != 0)}; }},
    TENSOR_AND_SCALAR(
        "aclnnEqTensor", "aclnnEqScalar", Result::kBool, [](double x, double y) { return bit(x == y); },
        [](Int x, Int y) { return Int{x == y}; }, [](Cx x, Cx y) { return Cx(bit(x == y)); }),
    TENSOR_AND_SCALAR(
        "aclnnNeTensor", "aclnnNeScalar", Result::kBool, [](double x, double y) { return bit(x != y); },
        [](Int x, Int y) { return Int{x != y}; }, [](Cx x, Cx y) { return Cx(bit(x != y)); }),
    TENSOR_AND_SCALAR(
        "aclnnGtTensor", "aclnnGtScalar", Result::kBool, [](double x, double y) { return bit(x > y); },
        [](Int x, Int y) { return Int{x > y}; }),
    TENSOR_AND_SCALAR(
        "aclnnGeTensor", "aclnnGeScalar", Result::kBool, [](double x, double y) { return bit(x >= y); },
        [](Int x, Int y) { return Int{x >= y}; }),
    TENSOR_AND_SCALAR(
        "aclnnLtTensor", "aclnnLtScalar", Result::kBool, [](double x, double y) { return bit(x < y); },
        [](Int x, Int y) { return Int{x < y}; }),
    TENSOR_AND_SCALAR(
        "aclnnLeTensor", "aclnnLeScalar", Result::kBool, [](double x, double y) { return bit(x <= y); },
        [](Int x, Int y) { return Int{x <= y}; }),
};
#undef TENSOR_AND_SCALAR

aclDataType compute_dtype(const Binary& binary, const Operand& a, const Operand& b) {
  const aclDataType dtype = common_dtype(a, b);
  const bool as_float = is_integral(dtype) && (binary.result == Result::kFloating || binary.integer == nullptr);
  return as_float ? ACL_FLOAT : dtype;
}

const View& output(const Args& args) { return args.tensor("out"); }

void check(const Args& args) {
  const auto& binary = args.data<Binary>();
  const Operand a(args, 0);
  const Operand b(args, 1);
  const aclDataType dtype = compute_dtype(binary, a, b);
  const View& out = output(args);
  require_shape(out, broadcast_shapes(a.shape(), b.shape()), "out");
  require_castable(binary.result == Result::kBool ? ACL_BOOL : dtype, out, "out");
  if (kind_of(dtype) == Kind::kComplex ? binary.complex == nullptr : is_floating(dtype) && binary.real == nullptr) {
    refuse(std::string(name_of(dtype)) + " is not supported");
  }
}

void run(const Args& args) {
  const auto& binary = args.data<Binary>();
  const Operand a(args, 0);
  const Operand b(args, 1);
  const aclDataType dtype = compute_dtype(binary, a, b);
  const View& out = output(args);
  if (kind_of(dtype) == Kind::kComplex) {
    Complexes x = a.complexes(out.shape);
    const Complexes y = b.complexes(out.shape);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = binary.complex(x[i], y[i]);
    }
    write_complex(out, x);
  } else if (is_integral(dtype)) {
    Integers x = a.integers(out.shape);
    const Integers y = b.integers(out.shape);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = binary.integer(x[i], y[i]);
    }
    write_integer(out, x);
  } else {
    Reals x = a.reals(out.shape, dtype);
    const Reals y = b.reals(out.shape, dtype);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = binary.real(x[i], y[i]);
    }
    write_real(out, x);
  }
}

std::vector<Kernel> kernels() {
  std::vector<Kernel> result;
  for (const Binary& binary : kBinary) {
    result.push_back({binary.name, check, run, 0, &binary});
  }
  return result;
}
const std::vector<Kernel> kKernels = kernels();
const RegisterKernels kRegister(kKernels);

}  // namespace
}  // namespace assay::emulator
