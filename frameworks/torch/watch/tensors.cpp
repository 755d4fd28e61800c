#include "tensors.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>

#include <algorithm>
#include <numeric>

#include "assay/sdk/dtype.hpp"

namespace assay::watch {

namespace {

struct TypePair {
  assay_dtype ours;
  at::ScalarType theirs;
};

constexpr TypePair kTypes[] = {{kFloat32, at::kFloat},
                               {kBFloat16, at::kBFloat16},
                               {kFloat16, at::kHalf},
                               {kFloat64, at::kDouble},
                               {kInt64, at::kLong},
                               {kBool, at::kBool},
                               {kInt32, at::kInt},
                               {kInt16, at::kShort},
                               {kInt8, at::kChar},
                               {kUInt8, at::kByte},
                               {kComplex64, at::kComplexFloat},
                               {kComplex128, at::kComplexDouble}};

/// Whether the elements lie apart from each other without gaps, in some order of the dimensions.
bool is_dense(const at::Tensor& tensor) { return tensor.is_non_overlapping_and_dense(); }

/// The memory that same strides need, in elements; 0 where strides or gaps make that unreasonable.
std::int64_t reasonable_extent(const at::Tensor& tensor) {
  std::int64_t extent = 1;
  std::int64_t distinct = 1;
  for (std::int64_t d = 0; d < tensor.dim(); ++d) {
    if (tensor.size(d) == 0) return 0;
    if (tensor.stride(d) == 0 && tensor.size(d) > 1) return 0;
    extent += (tensor.size(d) - 1) * tensor.stride(d);
    distinct *= tensor.size(d);
  }
  return extent >= distinct && extent <= 4 * distinct ? extent : 0;
}

}  // namespace

const char* refusal_of(const at::Tensor& tensor) {
  constexpr c10::DispatchKeySet kWrapped({c10::DispatchKey::Python, c10::DispatchKey::FuncTorchBatched,
                                          c10::DispatchKey::FuncTorchGradWrapper, c10::DispatchKey::Functionalize});
  constexpr c10::DispatchKeySet kLazy({c10::DispatchKey::ZeroTensor, c10::DispatchKey::Conjugate, c10::DispatchKey::Negative});
  const c10::DispatchKeySet keys = tensor.key_set();
  if (keys.has_any(kWrapped)) return "a tensor subclass or a transformed tensor";
  if (tensor.is_nested()) return "a nested tensor";
  if (tensor.layout() != at::kStrided) return "a tensor that isn't strided";
  if (tensor.is_quantized()) return "a quantised tensor";
  if (tensor.is_meta()) return "a tensor without data";
  if (!tensor.device().is_cpu()) return "a tensor on a device";
  if (keys.has_any(kLazy)) return "a lazily conjugated, negated or zero tensor";
  if (!tensor.has_storage()) return "a tensor without storage";
  if (!boundary_dtype(tensor.scalar_type())) return "a dtype that the comparisons don't have";
  return nullptr;
}

std::optional<assay_dtype> boundary_dtype(at::ScalarType type) {
  for (const TypePair& pair : kTypes) {
    if (pair.theirs == type) return pair.ours;
  }
  return std::nullopt;
}

std::optional<at::ScalarType> torch_dtype(assay_dtype type) {
  for (const TypePair& pair : kTypes) {
    if (pair.ours == type) return pair.theirs;
  }
  return std::nullopt;
}

Borrowed::Borrowed(const at::Tensor& tensor, bool read_only) {
  tensor_.struct_size = sizeof tensor_;
  tensor_.flags = read_only ? static_cast<std::uint32_t>(ASSAY_TENSOR_READ_ONLY) : 0u;
  tensor_.dl.data = tensor.data_ptr();
  tensor_.dl.device = {ASSAY_DEVICE_CPU, 0};
  tensor_.dl.ndim = static_cast<std::int32_t>(tensor.dim());
  tensor_.dl.dtype = *boundary_dtype(tensor.scalar_type());
  tensor_.dl.shape = const_cast<std::int64_t*>(tensor.sizes().data());
  tensor_.dl.strides = const_cast<std::int64_t*>(tensor.strides().data());
}

at::Tensor empty_of_layout(const at::Tensor& tensor, at::ScalarType type) {
  const auto options = at::TensorOptions().dtype(type).device(tensor.device());
  if (is_dense(tensor) || reasonable_extent(tensor) != 0) return at::empty_strided(tensor.sizes(), tensor.strides(), options);
  return at::empty(tensor.sizes(), options);
}

at::Tensor copy_of_layout(const at::Tensor& tensor) {
  at::Tensor copy = empty_of_layout(tensor, tensor.scalar_type());
  copy.copy_(tensor);
  return copy;
}

std::pair<at::Tensor, at::Tensor> in_memory_order(const at::Tensor& left, const at::Tensor& right) {
  if (left.is_contiguous() || !is_dense(left) || left.strides() != right.strides() || left.sizes() != right.sizes())
    return {left, right};
  std::vector<std::int64_t> order(static_cast<std::size_t>(left.dim()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return left.stride(a) > left.stride(b); });
  return {left.permute(order), right.permute(order)};
}

at::Tensor without_expansion(const at::Tensor& tensor) {
  at::Tensor out = tensor;
  for (std::int64_t d = 0; d < tensor.dim(); ++d) {
    if (tensor.stride(d) == 0 && tensor.size(d) > 1) out = out.narrow(d, 0, 1);
  }
  return out;
}

}  // namespace assay::watch
