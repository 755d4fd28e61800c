#include "judge/rounding.hpp"

#include <bit>
#include <cstdint>

namespace assay {

namespace {

struct Format {
  int precision;     ///< bits with the hidden one
  int max_exponent;  ///< of the largest number
  int min_exponent;  ///< of the smallest subnormal
};

Format format_of(assay_dtype real) {
  switch (real.code) {
    case ASSAY_DTYPE_BFLOAT: return {8, 127, -133};
    case ASSAY_DTYPE_FLOAT8_E4M3FN: return {4, 8, -9};
    case ASSAY_DTYPE_FLOAT8_E5M2: return {3, 15, -16};
    default: break;
  }
  if (real.bits == 16) return {11, 15, -24};
  if (real.bits == 32) return {24, 127, -149};
  return {53, 1023, -1074};
}

/// The bits of a number that is normal in a format of 16 bits or fewer, rounded to nearest even by integer arithmetic; -1 where it
/// is not normal there (subnormal, overflow, infinity, nan), which the SDK's general conversion handles.
template <int kFractionBits, int kBias>
int narrow_normal(double value) {
  constexpr int kShift = 52 - kFractionBits;
  constexpr std::uint64_t kHalf = std::uint64_t{1} << (kShift - 1);
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const int exponent = static_cast<int>((bits >> 52) & 0x7ff) - 1023;
  if (exponent < 1 - kBias || exponent >= kBias) return -1;
  const std::uint64_t magnitude = (static_cast<std::uint64_t>(exponent + kBias) << 52) | (bits & 0x000fffffffffffffull);
  const std::uint64_t rounded = (magnitude + kHalf - 1 + ((magnitude >> kShift) & 1)) >> kShift;
  return static_cast<int>(rounded | (bits >> 63) << 15);
}

struct ToFloat64 {
  using Storage = double;
  Storage operator()(double value) const { return value; }
};
struct ToFloat32 {
  using Storage = float;
  Storage operator()(double value) const { return static_cast<float>(value); }
};
struct ToFloat16 {
  using Storage = std::uint16_t;
  Storage operator()(double value) const {
    const int bits = narrow_normal<10, 15>(value);
    return bits >= 0 ? static_cast<Storage>(bits) : double_to_float16(value);
  }
};
struct ToBFloat16 {
  using Storage = std::uint16_t;
  Storage operator()(double value) const {
    const int bits = narrow_normal<7, 127>(value);
    return bits >= 0 ? static_cast<Storage>(bits) : double_to_bfloat16(value);
  }
};
struct ToFloat8E4M3FN {
  using Storage = std::uint8_t;
  Storage operator()(double value) const { return double_to_float8_e4m3fn(value); }
};
struct ToFloat8E5M2 {
  using Storage = std::uint8_t;
  Storage operator()(double value) const { return double_to_float8_e5m2(value); }
};

template <class Narrow>
void narrow_real(const TensorView& from, void* data, Narrow narrow) {
  auto* const to = static_cast<typename Narrow::Storage*>(data);
  const std::int64_t n = from.numel();
  const auto copy = [&](const auto* source) {
    for (std::int64_t i = 0; i < n; ++i) to[i] = narrow(static_cast<double>(source[i]));
  };
  const bool aligned = reinterpret_cast<std::uintptr_t>(from.data()) % alignof(double) == 0;
  if (from.is_contiguous() && aligned && from.dtype() == kFloat64) return copy(from.data_as<double>());
  if (from.is_contiguous() && aligned && from.dtype() == kFloat32) return copy(from.data_as<float>());
  from.for_each_offset([&](std::int64_t i, std::int64_t offset) { to[i] = narrow(from.number_at(offset)); });
}

template <class Narrow>
void narrow_complex(const TensorView& from, void* data, Narrow narrow) {
  auto* const to = static_cast<typename Narrow::Storage*>(data);
  from.for_each_offset([&](std::int64_t i, std::int64_t offset) {
    to[2 * i] = narrow(from.number_at(offset));
    to[2 * i + 1] = narrow(from.imaginary_at(offset));
  });
}

template <class Narrow>
void narrow_with(const TensorView& from, void* data, Narrow narrow) {
  if (is_complex(from.dtype())) return narrow_complex(from, data, narrow);
  narrow_real(from, data, narrow);
}

void narrow_all(const TensorView& from, void* data, assay_dtype real) {
  switch (real.code) {
    case ASSAY_DTYPE_BFLOAT: return narrow_with(from, data, ToBFloat16());
    case ASSAY_DTYPE_FLOAT8_E4M3FN: return narrow_with(from, data, ToFloat8E4M3FN());
    case ASSAY_DTYPE_FLOAT8_E5M2: return narrow_with(from, data, ToFloat8E5M2());
    default: break;
  }
  if (real.bits == 16) return narrow_with(from, data, ToFloat16());
  if (real.bits == 32) return narrow_with(from, data, ToFloat32());
  narrow_with(from, data, ToFloat64());
}

assay_dtype component_type(assay_dtype dtype) { return is_complex(dtype) ? make_dtype(ASSAY_DTYPE_FLOAT, dtype.bits / 2) : dtype; }

}  // namespace

bool widens(assay_dtype narrow, assay_dtype wide) {
  if (narrow == wide) return true;
  if (is_complex(narrow) != is_complex(wide)) return false;
  if (!is_complex(narrow) && !(is_floating(narrow) && is_floating(wide))) return false;
  const Format n = format_of(component_type(narrow));
  const Format w = format_of(component_type(wide));
  return w.precision >= n.precision && w.max_exponent >= n.max_exponent && w.min_exponent <= n.min_exponent;
}

std::optional<Tensor> round_to(const Tensor& tensor, assay_dtype dtype) {
  if (tensor.dtype() == dtype) return tensor;
  if (!widens(dtype, tensor.dtype())) return std::nullopt;
  Tensor out = Tensor::allocate(dtype, tensor.shape());
  narrow_all(tensor.view(), out.data_as<void>(), component_type(dtype));
  return out;
}

}  // namespace assay
