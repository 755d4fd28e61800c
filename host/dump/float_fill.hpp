// Writes numbers into tensors of any real floating-point type, rounding to nearest.
#pragma once

#include <cstdint>

#include "assay/sdk/half.hpp"
#include "assay/sdk/tensor.hpp"

namespace assay {

/// Calls f(narrow, T{}) with the conversion from double and the storage type of a floating-point dtype.
template <class F>
void with_float_type(assay_dtype dtype, F&& f) {
  switch (dtype.code) {
    case ASSAY_DTYPE_BFLOAT: return f(double_to_bfloat16, std::uint16_t{});
    case ASSAY_DTYPE_FLOAT8_E4M3FN: return f(double_to_float8_e4m3fn, std::uint8_t{});
    case ASSAY_DTYPE_FLOAT8_E5M2: return f(double_to_float8_e5m2, std::uint8_t{});
    default: break;
  }
  if (dtype.bits == 16) return f(double_to_float16, std::uint16_t{});
  if (dtype.bits == 32) return f([](double x) { return static_cast<float>(x); }, float{});
  f([](double x) { return x; }, double{});
}

/// Element i becomes value(i), in order. The tensor is compact.
template <class F>
void fill_floats(Tensor& tensor, F&& value) {
  const std::int64_t count = tensor.numel();
  with_float_type(tensor.dtype(), [&](auto narrow, auto sample) {
    auto* const data = tensor.data_as<decltype(sample)>();
    for (std::int64_t i = 0; i < count; ++i) data[i] = narrow(value(i));
  });
}

}  // namespace assay
