#include "perturb/number_blocks.hpp"

#include "assay/sdk/float_format.hpp"

namespace assay {

namespace {

template <class Format>
void widen_block(const void* data, std::size_t first, std::size_t count, double* out) {
  const auto* const in = static_cast<const typename Format::Storage*>(data) + first;
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<double>(Format::widen(in[i]));
}

}  // namespace

NumberReader::NumberReader(const TensorView& tensor)
    : tensor_(tensor), components_(static_cast<std::size_t>(components_of(tensor.dtype()))) {
  const bool floating = is_floating(tensor.dtype()) || is_complex(tensor.dtype());
  const bool aligned = reinterpret_cast<std::uintptr_t>(tensor.data()) % (dtype_size(tensor.dtype()) / components_) == 0;
  if (!floating || !aligned || !tensor.is_contiguous()) return;
  visit_format(tensor.dtype(), [&](auto format) { read_ = widen_block<decltype(format)>; });
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
