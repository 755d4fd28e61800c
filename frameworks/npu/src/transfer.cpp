#include "transfer.hpp"

#include <algorithm>
#include <cstring>

#include "dtypes.hpp"

namespace assay::npu {

namespace {

constexpr int kDeepest = 8;  // lists in lists

bool is_half(assay_dtype dtype) { return is_floating(dtype) && dtype.bits <= 16; }

/// The elements in row-major order, bool as 0 and 1; `scratch` holds them where they don't lie so already.
const void* compact_elements(const TensorView& view, assay_dtype dtype, std::vector<unsigned char>& scratch) {
  const std::size_t size = dtype_size(dtype);
  const bool as_it_is = view.dtype() == dtype && dtype != kBool;
  if (as_it_is && view.is_contiguous()) return view.data();
  scratch.resize(static_cast<std::size_t>(view.numel()) * size);
  const auto* const data = static_cast<const unsigned char*>(view.data());
  view.for_each_offset([&](std::int64_t index, std::int64_t offset) {
    unsigned char* const to = scratch.data() + static_cast<std::size_t>(index) * size;
    if (as_it_is) {
      std::memcpy(to, data + static_cast<std::size_t>(offset) * size, size);
    } else if (dtype == kBool) {
      *to = data[offset] != 0 ? 1 : 0;
    } else {
      const auto wide = static_cast<float>(view.number_at(offset));
      std::memcpy(to, &wide, sizeof wide);
    }
  });
  return scratch.data();
}

DeviceTensor upload_tensor(Runner& runner, const assay_tensor& tensor, const UploadOptions& options) {
  const TensorView view(tensor);
  if (!view.on_cpu()) throw Error(ASSAY_UNSUPPORTED, "a tensor is not in the host's memory");
  const assay_dtype dtype = options.widen && is_half(view.dtype()) ? kFloat32 : view.dtype();
  acl_dtype(dtype);  // or it can't go there at all
  DeviceTensor out = runner.make(dtype, view.shape());
  std::vector<unsigned char> scratch;
  const void* const elements = compact_elements(view, dtype, scratch);
  runner.device().copy_to_device(out.memory.get(), elements, static_cast<std::size_t>(out.elements) * dtype_size(dtype));
  return out;
}

Datum upload_value(Runner& runner, const assay_value& value, const UploadOptions& options, int depth) {
  switch (value.kind) {
    case ASSAY_VALUE_NONE: return {};
    case ASSAY_VALUE_BOOL: return value.as.boolean != 0;
    case ASSAY_VALUE_INT: return value.as.integer;
    case ASSAY_VALUE_FLOAT: return value.as.real;
    case ASSAY_VALUE_COMPLEX: return std::complex<double>(value.as.complex.real, value.as.complex.imag);
    case ASSAY_VALUE_STRING:
    case ASSAY_VALUE_MEMORY_FORMAT: return std::string(value.as.string.data, value.as.string.size);
    case ASSAY_VALUE_DTYPE: return value.as.dtype;
    case ASSAY_VALUE_DEVICE: return {};
    case ASSAY_VALUE_TENSOR: return upload_tensor(runner, *value.as.tensor, options);
    case ASSAY_VALUE_LIST:
    case ASSAY_VALUE_TUPLE: {
      if (depth >= kDeepest) throw Error(ASSAY_UNSUPPORTED, "lists are nested too deep");
      DatumList list;
      for (std::uint64_t i = 0; i < value.as.sequence.size; ++i)
        list.push_back(upload_value(runner, value.as.sequence.items[i], options, depth + 1));
      return list;
    }
    default: throw Error(ASSAY_UNSUPPORTED, "an argument is of a kind that no aclnn operator takes (a slice, an ellipsis, a dict)");
  }
}

Value download_tensor(Device& device, const DeviceTensor& tensor) {
  Tensor out = Tensor::allocate(tensor.dtype, tensor.shape);
  const std::size_t size = dtype_size(tensor.dtype);
  const auto* const memory = static_cast<const unsigned char*>(tensor.memory.get());
  device.copy_to_host(out.data_as<unsigned char>(), memory + static_cast<std::size_t>(tensor.offset) * size, out.nbytes());
  return out;
}

}  // namespace

Datum upload(Runner& runner, const assay_value& value, const UploadOptions& options) {
  return upload_value(runner, value, options, 0);
}

Value download(Device& device, const Datum& datum) {
  if (const auto* tensor = datum.get_if<DeviceTensor>()) return download_tensor(device, *tensor);
  if (const auto* list = datum.get_if<DatumList>()) {
    List items;
    for (const Datum& item : *list) items.items.push_back(download(device, item));
    return items;
  }
  if (const auto* flag = datum.get_if<bool>()) return *flag;
  if (const auto* integer = datum.get_if<std::int64_t>()) return *integer;
  if (const auto* real = datum.get_if<double>()) return *real;
  if (const auto* dtype = datum.get_if<assay_dtype>()) return *dtype;
  if (const auto* text = datum.get_if<std::string>()) return *text;
  return {};
}

}  // namespace assay::npu
