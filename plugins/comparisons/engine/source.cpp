#include "source.hpp"

#include <cstring>
#include <limits>
#include <string>

#include "format.hpp"

namespace assay::engine {
namespace {

template <std::size_t kSize>
void copy_run(const std::byte* from, std::int64_t stride, std::int64_t n, std::byte* out) {
  for (std::int64_t i = 0; i < n; ++i) std::memcpy(out + i * static_cast<std::int64_t>(kSize), from + i * stride, kSize);
}

void copy_run(std::size_t element_size, const std::byte* from, std::int64_t stride, std::int64_t n, std::byte* out) {
  if (stride == static_cast<std::int64_t>(element_size)) {
    std::memcpy(out, from, static_cast<std::size_t>(n) * element_size);
    return;
  }
  switch (element_size) {
    case 1: return copy_run<1>(from, stride, n, out);
    case 2: return copy_run<2>(from, stride, n, out);
    case 4: return copy_run<4>(from, stride, n, out);
    case 8: return copy_run<8>(from, stride, n, out);
    default: return copy_run<16>(from, stride, n, out);
  }
}

}  // namespace

Source::Source(const assay_tensor& tensor, const char* role) : dtype_(tensor.dl.dtype), element_size_(dtype_size(tensor.dl.dtype)) {
  const assay_dltensor& dl = tensor.dl;
  if (!is_supported(dtype_)) {
    throw Error(ASSAY_UNSUPPORTED, std::string(role) + " has dtype code " + std::to_string(dtype_.code) + " with " +
                                       std::to_string(dtype_.bits) + " bits and " + std::to_string(dtype_.lanes) +
                                       " lanes, which has no metrics");
  }
  if (dl.device.type != ASSAY_DEVICE_CPU) {
    throw Error(ASSAY_UNSUPPORTED,
                std::string(role) + " lies on device type " + std::to_string(dl.device.type) + "; copy it to the cpu first");
  }
  if (dl.ndim < 0) throw Error(ASSAY_INVALID_ARGUMENT, std::string(role) + " has a negative number of dimensions");
  bool empty = false;
  for (std::int32_t d = 0; d < dl.ndim; ++d) {
    if (dl.shape[d] < 0) throw Error(ASSAY_INVALID_ARGUMENT, std::string(role) + " has a negative size in its shape");
    empty = empty || dl.shape[d] == 0;
  }
  const std::int64_t limit = std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(element_size_);
  for (std::int32_t d = 0; d < dl.ndim && !empty; ++d) {
    if (numel_ > limit / dl.shape[d]) throw Error(ASSAY_INVALID_ARGUMENT, std::string(role) + " has a shape that is too large");
    numel_ *= dl.shape[d];
  }
  if (empty) {
    numel_ = 0;
    return;
  }
  if (dl.data == nullptr) throw Error(ASSAY_INVALID_ARGUMENT, std::string(role) + " has elements but no data");
  data_ = static_cast<const std::byte*>(dl.data) + dl.byte_offset;

  if (TensorView(tensor).is_contiguous()) return;
  for (std::int32_t d = 0; d < dl.ndim; ++d) {
    const Dim dim{dl.shape[d], dl.strides[d] * static_cast<std::int64_t>(element_size_)};
    if (dim.size == 1) continue;
    if (!dims_.empty() && dims_.back().stride == dim.size * dim.stride) {
      dims_.back() = {dims_.back().size * dim.size, dim.stride};
    } else {
      dims_.push_back(dim);
    }
  }
}

void Source::gather(std::int64_t begin, std::int64_t n, std::byte* out) const {
  while (n > 0) {
    const std::byte* from = data_;
    std::int64_t rest = begin;
    for (std::size_t d = dims_.size(); d-- > 0;) {
      from += rest % dims_[d].size * dims_[d].stride;
      rest /= dims_[d].size;
    }
    const Dim& inner = dims_.back();
    const std::int64_t left_in_row = inner.size - begin % inner.size;
    const std::int64_t run = n < left_in_row ? n : left_in_row;
    copy_run(element_size_, from, inner.stride, run, out);
    out += run * static_cast<std::int64_t>(element_size_);
    begin += run;
    n -= run;
  }
}

}  // namespace assay::engine
