#include "decode.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "assay/sdk/half.hpp"

namespace assay::engine {
namespace {

template <class T>
T load(const std::byte* raw, int index) {
  T value;
  std::memcpy(&value, raw + static_cast<std::size_t>(index) * sizeof(T), sizeof value);
  return value;
}

template <class T>
void decode_plain(const std::byte* raw, int n, double* out) {
  for (int i = 0; i < n; ++i) out[i] = static_cast<double>(load<T>(raw, i));
}

void decode_bfloat16(const std::byte* raw, int n, double* out) {
  for (int i = 0; i < n; ++i) out[i] = bfloat16_to_double(load<std::uint16_t>(raw, i));
}

/// Without branches, so that the loop becomes vector code: subnormals come out of one exact subtraction.
void decode_float16(const std::byte* raw, int n, double* out) {
  for (int i = 0; i < n; ++i) {
    const std::uint32_t bits = load<std::uint16_t>(raw, i);
    const std::uint32_t magnitude = bits & 0x7fffu;
    const std::uint32_t rebias = magnitude >= 0x7c00u ? 0x70000000u : 0x38000000u;
    const float normal = detail::bit_cast<float>((magnitude << 13) + rebias);
    const float subnormal = detail::bit_cast<float>(magnitude + 0x3f000000u) - 0.5f;
    const float value = magnitude < 0x400u ? subnormal : normal;
    out[i] = static_cast<double>(detail::bit_cast<float>(detail::bit_cast<std::uint32_t>(value) | (bits & 0x8000u) << 16));
  }
}

template <double (*kWiden)(std::uint8_t)>
void decode_float8(const std::byte* raw, int n, double* out) {
  static const std::array<double, 256> table = [] {
    std::array<double, 256> values{};
    for (unsigned i = 0; i < 256; ++i) values[i] = kWiden(static_cast<std::uint8_t>(i));
    return values;
  }();
  for (int i = 0; i < n; ++i) out[i] = table[load<std::uint8_t>(raw, i)];
}

double round_integer(double value, double lowest, double highest) {
  return std::isnan(value) ? 0.0 : std::clamp(std::nearbyint(value), lowest, highest);
}

}  // namespace

assay_dtype part_dtype(assay_dtype dtype) { return is_complex(dtype) ? make_dtype(ASSAY_DTYPE_FLOAT, dtype.bits / 2) : dtype; }

void decode(assay_dtype dtype, const std::byte* raw, int n, double* out) {
  switch (dtype.code) {
    case ASSAY_DTYPE_BOOL:
      for (int i = 0; i < n; ++i) out[i] = load<std::uint8_t>(raw, i) != 0 ? 1.0 : 0.0;
      return;
    case ASSAY_DTYPE_BFLOAT: return decode_bfloat16(raw, n, out);
    case ASSAY_DTYPE_FLOAT8_E4M3FN: return decode_float8<float8_e4m3fn_to_double>(raw, n, out);
    case ASSAY_DTYPE_FLOAT8_E5M2: return decode_float8<float8_e5m2_to_double>(raw, n, out);
    case ASSAY_DTYPE_FLOAT:
      if (dtype.bits == 16) return decode_float16(raw, n, out);
      return dtype.bits == 32 ? decode_plain<float>(raw, n, out) : decode_plain<double>(raw, n, out);
    case ASSAY_DTYPE_INT:
      if (dtype.bits == 8) return decode_plain<std::int8_t>(raw, n, out);
      if (dtype.bits == 16) return decode_plain<std::int16_t>(raw, n, out);
      return dtype.bits == 32 ? decode_plain<std::int32_t>(raw, n, out) : decode_plain<std::int64_t>(raw, n, out);
    default:
      if (dtype.bits == 8) return decode_plain<std::uint8_t>(raw, n, out);
      if (dtype.bits == 16) return decode_plain<std::uint16_t>(raw, n, out);
      return dtype.bits == 32 ? decode_plain<std::uint32_t>(raw, n, out) : decode_plain<std::uint64_t>(raw, n, out);
  }
}

double round_to(assay_dtype dtype, double value) {
  switch (dtype.code) {
    case ASSAY_DTYPE_BOOL: return value != 0 ? 1.0 : 0.0;
    case ASSAY_DTYPE_BFLOAT: return bfloat16_to_double(double_to_bfloat16(value));
    case ASSAY_DTYPE_FLOAT8_E4M3FN: return float8_e4m3fn_to_double(double_to_float8_e4m3fn(value));
    case ASSAY_DTYPE_FLOAT8_E5M2: return float8_e5m2_to_double(double_to_float8_e5m2(value));
    case ASSAY_DTYPE_FLOAT:
      if (dtype.bits == 16) return float16_to_double(double_to_float16(value));
      return dtype.bits == 32 ? static_cast<double>(static_cast<float>(value)) : value;
    case ASSAY_DTYPE_INT: {
      const double half_range = std::ldexp(1.0, dtype.bits - 1);
      return round_integer(value, -half_range, dtype.bits == 64 ? half_range : half_range - 1);
    }
    default: {
      const double range = std::ldexp(1.0, dtype.bits);
      return round_integer(value, 0, dtype.bits == 64 ? range : range - 1);
    }
  }
}

Integer load_integer(assay_dtype dtype, const std::byte* raw, int index) {
  std::int64_t value = 0;
  if (dtype.code == ASSAY_DTYPE_BOOL) return {false, load<std::uint8_t>(raw, index) != 0 ? 1u : 0u};
  if (dtype.code == ASSAY_DTYPE_UINT) {
    switch (dtype.bits) {
      case 8: return {false, load<std::uint8_t>(raw, index)};
      case 16: return {false, load<std::uint16_t>(raw, index)};
      case 32: return {false, load<std::uint32_t>(raw, index)};
      default: return {false, load<std::uint64_t>(raw, index)};
    }
  }
  switch (dtype.bits) {
    case 8: value = load<std::int8_t>(raw, index); break;
    case 16: value = load<std::int16_t>(raw, index); break;
    case 32: value = load<std::int32_t>(raw, index); break;
    default: value = load<std::int64_t>(raw, index);
  }
  const auto bits = static_cast<std::uint64_t>(value);
  return {value < 0, value < 0 ? 0u - bits : bits};
}

std::uint64_t integer_distance(Integer actual, Integer expected) {
  const std::uint64_t a = actual.magnitude;
  const std::uint64_t e = expected.magnitude;
  if (actual.negative == expected.negative) return a > e ? a - e : e - a;
  const std::uint64_t sum = a + e;
  return sum < a ? std::numeric_limits<std::uint64_t>::max() : sum;
}

}  // namespace assay::engine
