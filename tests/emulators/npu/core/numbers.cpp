#include "core/numbers.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace assay::emulator {
namespace {

template <class T>
T read(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
void write(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

template <class T>
void store_truncated(std::byte* to, double value) {
  if (std::isnan(value)) {
    write<T>(to, 0);
  } else if (value <= static_cast<double>(std::numeric_limits<T>::min())) {
    write(to, std::numeric_limits<T>::min());
  } else if (value >= static_cast<double>(std::numeric_limits<T>::max())) {
    write(to, std::numeric_limits<T>::max());
  } else {
    write(to, static_cast<T>(value));
  }
}

float to_float(double value) {
  const auto result = static_cast<float>(value);
  if (number_modes().flush_subnormals && std::fpclassify(result) == FP_SUBNORMAL) {
    return std::copysign(0.0F, result);
  }
  return result;
}

// A 16-bit float with that exponent width and explicit mantissa width, from a float, to nearest even.
std::uint16_t narrow(float value, int exponent_bits, int mantissa_bits) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 31U) << 15U);
  const auto largest = static_cast<std::uint16_t>((((1 << exponent_bits) - 2) << mantissa_bits) | ((1 << mantissa_bits) - 1));
  const auto infinity = static_cast<std::uint16_t>(largest + 1);
  const bool saturate = number_modes().saturate;
  if (std::isnan(value)) {
    return saturate ? std::uint16_t{0} : static_cast<std::uint16_t>(sign | infinity | (1 << (mantissa_bits - 1)));
  }
  if (std::isinf(value)) {
    return static_cast<std::uint16_t>(sign | (saturate ? largest : infinity));
  }
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int smallest = 1 - bias;  // exponent of the smallest normal
  const double magnitude = std::fabs(static_cast<double>(value));
  if (magnitude == 0.0) {
    return sign;
  }
  const int exponent = std::max(std::ilogb(magnitude), smallest);
  const auto steps = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, mantissa_bits - exponent)));
  if (number_modes().flush_subnormals && steps < (1U << mantissa_bits)) {
    return sign;
  }
  // Adding the mantissa with its leading bit carries into the exponent where rounding reached the next power of two.
  const std::uint32_t result = (static_cast<std::uint32_t>(exponent - smallest) << mantissa_bits) + steps;
  if (result > largest) {
    return static_cast<std::uint16_t>(sign | (saturate ? largest : infinity));
  }
  return static_cast<std::uint16_t>(sign | result);
}

int rank_of(aclDataType dtype) {
  switch (dtype) {
    case ACL_BOOL: return 0;
    case ACL_INT8:
    case ACL_UINT8: return 1;
    case ACL_INT16: return 2;
    case ACL_INT32: return 3;
    case ACL_INT64: return 4;
    case ACL_FLOAT16:
    case ACL_BF16: return 5;
    case ACL_FLOAT: return 6;
    case ACL_DOUBLE: return 7;
    case ACL_COMPLEX32: return 8;
    case ACL_COMPLEX64: return 9;
    case ACL_COMPLEX128: return 10;
    default: return -1;
  }
}

}  // namespace

NumberModes& number_modes() {
  static NumberModes modes;
  return modes;
}

Kind kind_of(aclDataType dtype) {
  switch (dtype) {
    case ACL_BOOL: return Kind::kBool;
    case ACL_INT8:
    case ACL_UINT8:
    case ACL_INT16:
    case ACL_UINT16:
    case ACL_INT32:
    case ACL_UINT32:
    case ACL_INT64:
    case ACL_UINT64: return Kind::kInteger;
    case ACL_FLOAT16:
    case ACL_BF16:
    case ACL_FLOAT:
    case ACL_DOUBLE: return Kind::kReal;
    case ACL_COMPLEX32:
    case ACL_COMPLEX64:
    case ACL_COMPLEX128: return Kind::kComplex;
    default: return Kind::kOther;
  }
}

std::size_t item_size(aclDataType dtype) {
  switch (dtype) {
    case ACL_BOOL:
    case ACL_INT8:
    case ACL_UINT8: return 1;
    case ACL_INT16:
    case ACL_UINT16:
    case ACL_FLOAT16:
    case ACL_BF16: return 2;
    case ACL_INT32:
    case ACL_UINT32:
    case ACL_FLOAT:
    case ACL_COMPLEX32: return 4;
    case ACL_INT64:
    case ACL_UINT64:
    case ACL_DOUBLE:
    case ACL_COMPLEX64: return 8;
    case ACL_COMPLEX128: return 16;
    default: return 0;
  }
}

const char* name_of(aclDataType dtype) {
  switch (dtype) {
    case ACL_BOOL: return "BOOL";
    case ACL_INT8: return "INT8";
    case ACL_UINT8: return "UINT8";
    case ACL_INT16: return "INT16";
    case ACL_UINT16: return "UINT16";
    case ACL_INT32: return "INT32";
    case ACL_UINT32: return "UINT32";
    case ACL_INT64: return "INT64";
    case ACL_UINT64: return "UINT64";
    case ACL_FLOAT16: return "FLOAT16";
    case ACL_BF16: return "BF16";
    case ACL_FLOAT: return "FLOAT";
    case ACL_DOUBLE: return "DOUBLE";
    case ACL_COMPLEX32: return "COMPLEX32";
    case ACL_COMPLEX64: return "COMPLEX64";
    case ACL_COMPLEX128: return "COMPLEX128";
    default: return "another dtype";
  }
}

std::uint16_t half_from_float(float value) { return narrow(value, 5, 10); }

std::uint16_t bf16_from_float(float value) { return narrow(value, 8, 7); }

float float_from_half(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1f;
  const int mantissa = bits & 0x3ff;
  float magnitude = 0;
  if (exponent == 31) {
    magnitude = mantissa != 0 ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<float>(mantissa), -24);
  } else {
    magnitude = std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

float float_from_bf16(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U); }

float round_mantissa(float value, int bits) {
  if (!std::isfinite(value) || bits >= 23 || bits < 0) {
    return value;
  }
  const auto dropped = static_cast<unsigned>(23 - bits);
  std::uint32_t pattern = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t half = (1U << (dropped - 1U)) - 1U;
  pattern += half + ((pattern >> dropped) & 1U);
  pattern &= ~((1U << dropped) - 1U);
  return std::bit_cast<float>(pattern);
}

double rounded_to(double value, aclDataType dtype) {
  switch (dtype) {
    case ACL_FLOAT: return to_float(value);
    case ACL_FLOAT16: return float_from_half(half_from_float(to_float(value)));
    case ACL_BF16: return float_from_bf16(bf16_from_float(to_float(value)));
    default: return value;
  }
}

double load_real(const std::byte* from, aclDataType dtype) {
  switch (dtype) {
    case ACL_FLOAT: return read<float>(from);
    case ACL_FLOAT16: return float_from_half(read<std::uint16_t>(from));
    case ACL_BF16: return float_from_bf16(read<std::uint16_t>(from));
    case ACL_DOUBLE: return read<double>(from);
    case ACL_UINT64: return static_cast<double>(read<std::uint64_t>(from));
    case ACL_COMPLEX32:
    case ACL_COMPLEX64:
    case ACL_COMPLEX128: return load_complex(from, dtype).real();
    default: return static_cast<double>(load_integer(from, dtype));
  }
}

std::int64_t load_integer(const std::byte* from, aclDataType dtype) {
  switch (dtype) {
    case ACL_BOOL: return read<std::uint8_t>(from) != 0 ? 1 : 0;
    case ACL_INT8: return read<std::int8_t>(from);
    case ACL_UINT8: return read<std::uint8_t>(from);
    case ACL_INT16: return read<std::int16_t>(from);
    case ACL_UINT16: return read<std::uint16_t>(from);
    case ACL_INT32: return read<std::int32_t>(from);
    case ACL_UINT32: return read<std::uint32_t>(from);
    case ACL_INT64:
    case ACL_UINT64: return read<std::int64_t>(from);
    default: {
      std::int64_t value = 0;
      store_truncated<std::int64_t>(reinterpret_cast<std::byte*>(&value), load_real(from, dtype));
      return value;
    }
  }
}

Complex load_complex(const std::byte* from, aclDataType dtype) {
  switch (dtype) {
    case ACL_COMPLEX32: return {load_real(from, ACL_FLOAT16), load_real(from + 2, ACL_FLOAT16)};
    case ACL_COMPLEX64: return {load_real(from, ACL_FLOAT), load_real(from + 4, ACL_FLOAT)};
    case ACL_COMPLEX128: return {load_real(from, ACL_DOUBLE), load_real(from + 8, ACL_DOUBLE)};
    default: return {load_real(from, dtype), 0.0};
  }
}

void store_real(std::byte* to, aclDataType dtype, double value) {
  switch (dtype) {
    case ACL_FLOAT: return write(to, to_float(value));
    case ACL_FLOAT16: return write(to, half_from_float(to_float(value)));
    case ACL_BF16: return write(to, bf16_from_float(to_float(value)));
    case ACL_DOUBLE: return write(to, value);
    case ACL_BOOL: return write(to, static_cast<std::uint8_t>(value != 0.0));
    case ACL_INT8: return store_truncated<std::int8_t>(to, value);
    case ACL_UINT8: return store_truncated<std::uint8_t>(to, value);
    case ACL_INT16: return store_truncated<std::int16_t>(to, value);
    case ACL_UINT16: return store_truncated<std::uint16_t>(to, value);
    case ACL_INT32: return store_truncated<std::int32_t>(to, value);
    case ACL_UINT32: return store_truncated<std::uint32_t>(to, value);
    case ACL_INT64: return store_truncated<std::int64_t>(to, value);
    case ACL_UINT64: return store_truncated<std::uint64_t>(to, value);
    default: return store_complex(to, dtype, {value, 0.0});
  }
}

void store_integer(std::byte* to, aclDataType dtype, std::int64_t value) {
  switch (dtype) {
    case ACL_BOOL: return write(to, static_cast<std::uint8_t>(value != 0));
    case ACL_INT8:
    case ACL_UINT8: return write(to, static_cast<std::uint8_t>(value));
    case ACL_INT16:
    case ACL_UINT16: return write(to, static_cast<std::uint16_t>(value));
    case ACL_INT32:
    case ACL_UINT32: return write(to, static_cast<std::uint32_t>(value));
    case ACL_INT64:
    case ACL_UINT64: return write(to, value);
    // To float in one rounding: a double in between would round twice.
    case ACL_FLOAT: return write(to, static_cast<float>(value));
    default: return store_real(to, dtype, static_cast<double>(value));
  }
}

void store_complex(std::byte* to, aclDataType dtype, Complex value) {
  switch (dtype) {
    case ACL_COMPLEX32: store_real(to, ACL_FLOAT16, value.real()); return store_real(to + 2, ACL_FLOAT16, value.imag());
    case ACL_COMPLEX64: store_real(to, ACL_FLOAT, value.real()); return store_real(to + 4, ACL_FLOAT, value.imag());
    case ACL_COMPLEX128: store_real(to, ACL_DOUBLE, value.real()); return store_real(to + 8, ACL_DOUBLE, value.imag());
    default: return store_real(to, dtype, value.real());
  }
}

aclDataType promoted(aclDataType a, aclDataType b) {
  if (a == b) {
    return a;
  }
  const int rank_a = rank_of(a);
  const int rank_b = rank_of(b);
  if (rank_a < 0 || rank_b < 0) {
    return ACL_DT_UNDEFINED;
  }
  if (rank_a == rank_b) {
    return is_floating(a) ? ACL_FLOAT : ACL_INT16;
  }
  const aclDataType high = rank_a > rank_b ? a : b;
  const aclDataType low = rank_a > rank_b ? b : a;
  if (kind_of(high) == Kind::kComplex && is_floating(low)) {
    if (low == ACL_DOUBLE) {
      return ACL_COMPLEX128;
    }
    return high == ACL_COMPLEX32 && low != ACL_FLOAT16 ? ACL_COMPLEX64 : high;
  }
  return high;
}

aclDataType promoted_with_scalar(aclDataType tensor, aclDataType scalar) {
  const Kind kind = kind_of(tensor);
  switch (kind_of(scalar)) {
    case Kind::kComplex:
      if (kind == Kind::kComplex) {
        return tensor;
      }
      return tensor == ACL_FLOAT16 ? ACL_COMPLEX32 : tensor == ACL_DOUBLE ? ACL_COMPLEX128 : ACL_COMPLEX64;
    case Kind::kReal: return kind == Kind::kReal || kind == Kind::kComplex ? tensor : ACL_FLOAT;
    case Kind::kInteger: return kind == Kind::kBool ? scalar : tensor;
    default: return tensor;
  }
}

bool can_cast(aclDataType from, aclDataType to) {
  switch (kind_of(from)) {
    case Kind::kBool: return kind_of(to) != Kind::kOther;
    case Kind::kInteger: return kind_of(to) != Kind::kOther && kind_of(to) != Kind::kBool;
    case Kind::kReal: return kind_of(to) == Kind::kReal || kind_of(to) == Kind::kComplex;
    case Kind::kComplex: return kind_of(to) == Kind::kComplex;
    default: return from == to;
  }
}

}  // namespace assay::emulator
