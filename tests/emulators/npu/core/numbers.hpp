// Element types of the emulated chip and how numbers enter and leave memory.
//
//   double x = load_real(address, ACL_BF16);
//   store_real(address, ACL_FLOAT16, x);   // rounds to float, then to half, as the vector unit's converter does
//
// Kernels compute in double or float on what load_* gives; store_* rounds once and knows saturation and flushing.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>

#include "acl/aclnn.h"

namespace assay::emulator {

using Complex = std::complex<double>;

enum class Kind { kBool, kInteger, kReal, kComplex, kOther };

Kind kind_of(aclDataType dtype);
std::size_t item_size(aclDataType dtype);  // 0: not an element type of whole bytes
const char* name_of(aclDataType dtype);
inline bool is_floating(aclDataType dtype) { return kind_of(dtype) == Kind::kReal; }
inline bool is_integral(aclDataType dtype) { return kind_of(dtype) == Kind::kInteger || kind_of(dtype) == Kind::kBool; }

/// What a switch of the device changes about numbers.
struct NumberModes {
  bool saturate = false;          // 16-bit results: infinity becomes the largest finite value, NaN zero
  bool flush_subnormals = false;  // results below the smallest normal become signed zero
  int hf32_mantissa = 11;         // explicit mantissa bits of an HF32 input
  bool shuffle = false;           // sums in another order each time
};
NumberModes& number_modes();

std::uint16_t half_from_float(float value);
float float_from_half(std::uint16_t bits);
std::uint16_t bf16_from_float(float value);
float float_from_bf16(std::uint16_t bits);
/// `value` with as many explicit mantissa bits, to nearest even.
float round_mantissa(float value, int bits);
/// `value` as an element of that floating type holds it.
double rounded_to(double value, aclDataType dtype);

double load_real(const std::byte* from, aclDataType dtype);
std::int64_t load_integer(const std::byte* from, aclDataType dtype);
Complex load_complex(const std::byte* from, aclDataType dtype);

/// Reals become integers by truncation with saturation, NaN becomes 0; integers narrow by wrapping.
void store_real(std::byte* to, aclDataType dtype, double value);
void store_integer(std::byte* to, aclDataType dtype, std::int64_t value);
void store_complex(std::byte* to, aclDataType dtype, Complex value);

/// The dtype in which two are computed together; ACL_DT_UNDEFINED: never together.
aclDataType promoted(aclDataType a, aclDataType b);
/// The same for a tensor with a host scalar: the tensor's kind wins over the scalar's width.
aclDataType promoted_with_scalar(aclDataType tensor, aclDataType scalar);
/// Whether a result of `from` may be stored in an output of `to` without being asked to cast.
bool can_cast(aclDataType from, aclDataType to);

}  // namespace assay::emulator
