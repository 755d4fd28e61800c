#include "perturb/number_blocks.hpp"

#include "assay/sdk/float_format.hpp"

namespace assay {

namespace {

template <class Format, class Out>
ASSAY_ALWAYS_INLINE void widen_loop(const void* data, std::size_t first, std::size_t count, Out* ASSAY_RESTRICT out) {
  const auto* const in = static_cast<const typename Format::Storage*>(data) + first;
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<Out>(Format::widen(in[i]));
}

#define ASSAY_WIDEN(F, Out)                                                                            \
  ASSAY_MULTIVERSION void widen(F, const void* data, std::size_t first, std::size_t count, Out* out) { \
    widen_loop<F>(data, first, count, out);                                                            \
  }
ASSAY_WIDEN(Float16, float)
ASSAY_WIDEN(Float16, double)
ASSAY_WIDEN(BFloat16, float)
ASSAY_WIDEN(BFloat16, double)
ASSAY_WIDEN(Float8E4M3FN, float)
ASSAY_WIDEN(Float8E4M3FN, double)
ASSAY_WIDEN(Float8E5M2, float)
ASSAY_WIDEN(Float8E5M2, double)
ASSAY_WIDEN(Float32, double)
ASSAY_WIDEN(Float64, double)
#undef ASSAY_WIDEN

template <class Format>
void read_doubles(const void* data, std::size_t first, std::size_t count, double* out) {
  widen(Format{}, data, first, count, out);
}

template <class Format>
const float* read_floats(const void* data, std::size_t first, std::size_t count, float* buffer) {
  if constexpr (std::is_same_v<Format, Float32>) {
    return static_cast<const float*>(data) + first;
  } else {
    widen(Format{}, data, first, count, buffer);
    return buffer;
  }
}

}  // namespace

NumberReader::NumberReader(const TensorView& tensor)
    : tensor_(tensor), components_(static_cast<std::size_t>(components_of(tensor.dtype()))) {
  const bool floating = is_floating(tensor.dtype()) || is_complex(tensor.dtype());
  const bool aligned = reinterpret_cast<std::uintptr_t>(tensor.data()) % (dtype_size(tensor.dtype()) / components_) == 0;
  if (!floating || !aligned || !tensor.is_contiguous()) return;
  visit_format(tensor.dtype(), [&](auto format) {
    using Format = decltype(format);
    read_ = read_doubles<Format>;
    if constexpr (!std::is_same_v<Format, Float64>) read_floats_ = read_floats<Format>;
  });
}

void NumberReader::read(std::size_t first, std::size_t count, double* out) const {
  if (read_ != nullptr) return read_(tensor_.data(), first, count, out);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = first + i;
    const std::int64_t offset = tensor_.offset_of(static_cast<std::int64_t>(at / components_));
    out[i] = at % components_ == 0 ? tensor_.number_at(offset) : tensor_.imaginary_at(offset);
  }
}

}  // namespace assay
