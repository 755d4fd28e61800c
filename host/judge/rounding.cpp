#include "judge/rounding.hpp"

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

void store(void* data, std::int64_t index, assay_dtype real, double value) {
  switch (real.code) {
    case ASSAY_DTYPE_BFLOAT: static_cast<std::uint16_t*>(data)[index] = double_to_bfloat16(value); return;
    case ASSAY_DTYPE_FLOAT8_E4M3FN: static_cast<std::uint8_t*>(data)[index] = double_to_float8_e4m3fn(value); return;
    case ASSAY_DTYPE_FLOAT8_E5M2: static_cast<std::uint8_t*>(data)[index] = double_to_float8_e5m2(value); return;
    default: break;
  }
  if (real.bits == 16) {
    static_cast<std::uint16_t*>(data)[index] = double_to_float16(value);
  } else if (real.bits == 32) {
    static_cast<float*>(data)[index] = static_cast<float>(value);
  } else {
    static_cast<double*>(data)[index] = value;
  }
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
  void* const data = out.data_as<void>();
  const TensorView view = tensor.view();
  const assay_dtype real = component_type(dtype);
  if (is_complex(dtype)) {
    view.for_each_offset([&](std::int64_t i, std::int64_t offset) {
      store(data, 2 * i, real, view.number_at(offset));
      store(data, 2 * i + 1, real, view.imaginary_at(offset));
    });
  } else if (tensor.dtype() == kFloat64 && dtype == kFloat32 && view.is_contiguous()) {
    const double* const from = view.data_as<double>();
    float* const to = static_cast<float*>(data);
    for (std::int64_t i = 0, n = view.numel(); i < n; ++i) to[i] = static_cast<float>(from[i]);
  } else {
    view.for_each_offset([&](std::int64_t i, std::int64_t offset) { store(data, i, real, view.number_at(offset)); });
  }
  return out;
}

}  // namespace assay
