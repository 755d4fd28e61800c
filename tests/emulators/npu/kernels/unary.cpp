// One tensor in, one out, element by element.
#include <cmath>
#include <limits>
#include <numbers>

#include "kernels/access.hpp"
#include "kernels/special.hpp"

namespace assay::emulator {
namespace {

enum class Result { kSame, kFloating, kBool, kModulus };

struct Unary {
  const char* name;
  Result result;
  double (*real)(double);
  std::int64_t (*integer)(std::int64_t) = nullptr;  // null: integers are computed as floats
  Complex (*complex)(Complex) = nullptr;            // null: refused
};

double sinc(double x) {
  const double angle = std::numbers::pi * x;
  return x == 0.0 ? 1.0 : std::sin(angle) / angle;
}

std::int64_t keep(std::int64_t x) { return x; }

constexpr double kSeluAlpha = 1.6732632423543772848170429916717;
constexpr double kSeluScale = 1.0507009873554804934193349852946;

double selu(double x) { return x > 0.0 ? kSeluScale * x : kSeluScale * kSeluAlpha * std::expm1(x); }
double mish(double x) { return x * std::tanh(softplus(x)); }
double relu(double x) { return std::isnan(x) ? x : x > 0.0 ? x : 0.0; }
double relu6(double x) { return std::isnan(x) ? x : std::fmin(std::fmax(x, 0.0), 6.0); }
double bit(bool value) { return value ? 1.0 : 0.0; }

using Cx = Complex;

const std::vector<Unary> kUnary = {
    {"aclnnAbs", Result::kModulus, [](double x) { return std::fabs(x); }, [](std::int64_t x) { return x < 0 ? -x : x; },
     [](Cx x) { return Cx(std::abs(x)); }},
    {"aclnnNeg", Result::kSame, [](double x) { return -x; }, [](std::int64_t x) { return -x; }, [](Cx x) { return -x; }},
    {"aclnnSquare", Result::kSame, [](double x) { return x * x; }, [](std::int64_t x) { return x * x; },
     [](Cx x) { return x * x; }},
    {"aclnnReciprocal", Result::kFloating, [](double x) { return 1.0 / x; }, nullptr, [](Cx x) { return 1.0 / x; }},
    {"aclnnExp", Result::kFloating, [](double x) { return std::exp(x); }, nullptr, [](Cx x) { return std::exp(x); }},
    {"aclnnExp2", Result::kFloating, [](double x) { return std::exp2(x); }},
    {"aclnnExpm1", Result::kFloating, [](double x) { return std::expm1(x); }},
    {"aclnnLog", Result::kFloating, [](double x) { return std::log(x); }, nullptr, [](Cx x) { return std::log(x); }},
    {"aclnnLog2", Result::kFloating, [](double x) { return std::log2(x); }, nullptr,
     [](Cx x) { return std::log(x) / std::numbers::ln2; }},
    {"aclnnLog10", Result::kFloating, [](double x) { return std::log10(x); }, nullptr, [](Cx x) { return std::log10(x); }},
    {"aclnnLog1p", Result::kFloating, [](double x) { return std::log1p(x); }},
    {"aclnnSqrt", Result::kFloating, [](double x) { return std::sqrt(x); }, nullptr, [](Cx x) { return std::sqrt(x); }},
    {"aclnnRsqrt", Result::kFloating, [](double x) { return 1.0 / std::sqrt(x); }, nullptr,
     [](Cx x) { return 1.0 / std::sqrt(x); }},
    {"aclnnSin", Result::kFloating, [](double x) { return std::sin(x); }, nullptr, [](Cx x) { return std::sin(x); }},
    {"aclnnCos", Result::kFloating, [](double x) { return std::cos(x); }, nullptr, [](Cx x) { return std::cos(x); }},
    {"aclnnTan", Result::kFloating, [](double x) { return std::tan(x); }, nullptr, [](Cx x) { return std::tan(x); }},
    {"aclnnAsin", Result::kFloating, [](double x) { return std::asin(x); }, nullptr, [](Cx x) { return std::asin(x); }},
    {"aclnnAcos", Result::kFloating, [](double x) { return std::acos(x); }, nullptr, [](Cx x) { return std::acos(x); }},
    {"aclnnAtan", Result::kFloating, [](double x) { return std::atan(x); }, nullptr, [](Cx x) { return std::atan(x); }},
    {"aclnnSinh", Result::kFloating, [](double x) { return std::sinh(x); }, nullptr, [](Cx x) { return std::sinh(x); }},
    {"aclnnCosh", Result::kFloating, [](double x) { return std::cosh(x); }, nullptr, [](Cx x) { return std::cosh(x); }},
    {"aclnnTanh", Result::kFloating, [](double x) { return std::tanh(x); }, nullptr, [](Cx x) { return std::tanh(x); }},
    {"aclnnAsinh", Result::kFloating, [](double x) { return std::asinh(x); }, nullptr, [](Cx x) { return std::asinh(x); }},
    {"aclnnAcosh", Result::kFloating, [](double x) { return std::acosh(x); }, nullptr, [](Cx x) { return std::acosh(x); }},
    {"aclnnAtanh", Result::kFloating, [](double x) { return std::atanh(x); }, nullptr, [](Cx x) { return std::atanh(x); }},
    {"aclnnSinc", Result::kFloating, sinc},
    {"aclnnErf", Result::kFloating, [](double x) { return std::erf(x); }},
    {"aclnnErfc", Result::kFloating, [](double x) { return std::erfc(x); }},
    {"aclnnErfinv", Result::kFloating, erfinv},
    {"aclnnDigamma", Result::kFloating, digamma},
    {"aclnnLgamma", Result::kFloating, [](double x) { return std::lgamma(x); }},
    {"aclnnFloor", Result::kSame, [](double x) { return std::floor(x); }, keep},
    {"aclnnCeil", Result::kSame, [](double x) { return std::ceil(x); }, keep},
    {"aclnnRound", Result::kSame, [](double x) { return std::nearbyint(x); }, keep},
    {"aclnnTrunc", Result::kSame, [](double x) { return std::trunc(x); }, keep},
    {"aclnnFrac", Result::kSame, [](double x) { return x - std::trunc(x); }, [](std::int64_t) { return std::int64_t{0}; }},
    {"aclnnSign", Result::kSame, [](double x) { return std::isnan(x) ? x : bit(x > 0.0) - bit(x < 0.0); },
     [](std::int64_t x) { return std::int64_t{x > 0} - std::int64_t{x < 0}; }},
    {"aclnnBitwiseNot", Result::kSame, nullptr, [](std::int64_t x) { return ~x; }},
    {"aclnnLogicalNot", Result::kBool, [](double x) { return bit(x == 0.0); }, [](std::int64_t x) { return std::int64_t{x == 0}; }},
    {"aclnnSignbit", Result::kBool, [](double x) { return bit(std::signbit(x)); },
     [](std::int64_t x) { return std::int64_t{x < 0}; }},
    {"aclnnIsFinite", Result::kBool, [](double x) { return bit(std::isfinite(x)); }, [](std::int64_t) { return std::int64_t{1}; }},
    {"aclnnIsInf", Result::kBool, [](double x) { return bit(std::isinf(x)); }, [](std::int64_t) { return std::int64_t{0}; }},
    {"aclnnIsPosInf", Result::kBool, [](double x) { return bit(std::isinf(x) && x > 0.0); },
     [](std::int64_t) { return std::int64_t{0}; }},
    {"aclnnIsNegInf", Result::kBool, [](double x) { return bit(std::isinf(x) && x < 0.0); },
     [](std::int64_t) { return std::int64_t{0}; }},
    {"aclnnRelu", Result::kSame, relu, [](std::int64_t x) { return x > 0 ? x : 0; }},
    {"aclnnSigmoid", Result::kFloating, sigmoid, nullptr, [](Cx x) { return 1.0 / (1.0 + std::exp(-x)); }},
    {"aclnnSilu", Result::kFloating, [](double x) { return x * sigmoid(x); }},
    {"aclnnMish", Result::kFloating, mish},
    {"aclnnGelu", Result::kFloating, gelu_tanh},
    {"aclnnFastGelu", Result::kFloating, [](double x) { return x * sigmoid(1.702 * x); }},
    {"aclnnHardsigmoid", Result::kSame, [](double x) { return relu6(x + 3.0) / 6.0; }},
    {"aclnnHardswish", Result::kSame, [](double x) { return x * relu6(x + 3.0) / 6.0; }},
    {"aclnnSelu", Result::kSame, selu},
    {"aclnnLogSigmoid", Result::kFloating, log_sigmoid},
};

aclDataType result_dtype(const Unary& unary, aclDataType dtype) {
  switch (unary.result) {
    case Result::kBool: return ACL_BOOL;
    case Result::kFloating: return is_integral(dtype) ? ACL_FLOAT : dtype;
    case Result::kModulus:
      return dtype == ACL_COMPLEX64    ? ACL_FLOAT
             : dtype == ACL_COMPLEX128 ? ACL_DOUBLE
             : dtype == ACL_COMPLEX32  ? ACL_FLOAT16
                                       : dtype;
    default: return dtype;
  }
}

void check(const Args& args) {
  const auto& unary = args.data<Unary>();
  const View& in = args.tensor_at(0);
  const View& out = args.tensor_at(1);
  require_shape(out, in.shape, "out");
  require_castable(result_dtype(unary, in.dtype), out, "out");
  if (kind_of(in.dtype) == Kind::kComplex && unary.complex == nullptr) {
    refuse("complex inputs are not supported");
  }
}

void run(const Args& args) {
  const auto& unary = args.data<Unary>();
  const View& in = args.tensor_at(0);
  const View& out = args.tensor_at(1);
  if (kind_of(in.dtype) == Kind::kComplex) {
    Complexes values = read_complex(in);
    for (Complex& value : values) {
      value = unary.complex(value);
    }
    write_complex(out, values);
  } else if (is_integral(in.dtype) && unary.integer != nullptr) {
    Integers values = read_integer(in);
    for (std::int64_t& value : values) {
      value = in.dtype == ACL_BOOL && unary.real == nullptr ? 1 - value : unary.integer(value);
    }
    write_integer(out, values);
  } else {
    Reals values = read_real(in);
    for (double& value : values) {
      value = unary.real(value);
    }
    write_real(out, values);
  }
}

std::vector<Kernel> kernels() {
  std::vector<Kernel> result;
  for (const Unary& unary : kUnary) {
    result.push_back({unary.name, check, run, 0, &unary});
  }
  return result;
}
const std::vector<Kernel> kKernels = kernels();
const RegisterKernels kRegister(kKernels);

}  // namespace
}  // namespace assay::emulator
