#include "pipeline/raise.hpp"

#include <limits>

namespace assay {

namespace {

constexpr std::uint64_t kMaxItems = std::uint64_t{1} << 32;
constexpr int kMaxDims = 64;

class Raiser {
 public:
  explicit Raiser(std::shared_ptr<assay_results> owner) : owner_(std::move(owner)) {}

  Value raise(const assay_value& value, int depth) const {
    if (depth > ASSAY_VALUE_MAX_DEPTH) throw Error(ASSAY_INTERNAL, "values nested deeper than 400");
    switch (value.kind) {
      case ASSAY_VALUE_NONE: return None{};
      case ASSAY_VALUE_BOOL: return value.as.boolean != 0;
      case ASSAY_VALUE_INT: return value.as.integer;
      case ASSAY_VALUE_FLOAT: return value.as.real;
      case ASSAY_VALUE_COMPLEX: return std::complex<double>(value.as.complex.real, value.as.complex.imag);
      case ASSAY_VALUE_STRING: return text(value.as.string);
      case ASSAY_VALUE_DTYPE: return value.as.dtype;
      case ASSAY_VALUE_DEVICE: return value.as.device;
      case ASSAY_VALUE_SLICE: return value.as.slice;
      case ASSAY_VALUE_ELLIPSIS: return Ellipsis{};
      case ASSAY_VALUE_MEMORY_FORMAT: return MemoryFormat{text(value.as.string)};
      case ASSAY_VALUE_TENSOR: return tensor(value.as.tensor);
      case ASSAY_VALUE_LIST: return List{items(value.as.sequence, depth)};
      case ASSAY_VALUE_TUPLE: return Tuple{items(value.as.sequence, depth)};
      case ASSAY_VALUE_DICT: {
        Dict dict;
        check_array(value.as.dict.items, value.as.dict.size);
        for (std::uint64_t i = 0; i < value.as.dict.size; ++i) {
          const assay_named_value& item = value.as.dict.items[i];
          if (item.name == nullptr) throw Error(ASSAY_INTERNAL, "a dict item without a name");
          dict.items.emplace_back(item.name, raise(item.value, depth + 1));
        }
        return dict;
      }
      default: throw Error(ASSAY_INTERNAL, "a value of unknown kind " + std::to_string(value.kind));
    }
  }

  static void check_array(const void* data, std::uint64_t size) {
    if (size > kMaxItems || (size != 0 && data == nullptr)) {
      throw Error(ASSAY_INTERNAL, "a list of " + std::to_string(size) + " items without memory");
    }
  }

 private:
  static std::string text(const assay_string& s) {
    check_array(s.data, s.size);
    return s.size == 0 ? std::string() : std::string(s.data, s.size);
  }

  std::vector<Value> items(const assay_sequence& sequence, int depth) const {
    check_array(sequence.items, sequence.size);
    std::vector<Value> out;
    for (std::uint64_t i = 0; i < sequence.size; ++i) out.push_back(raise(sequence.items[i], depth + 1));
    return out;
  }

  Value tensor(const assay_tensor* t) const {
    if (t == nullptr || t->struct_size < sizeof(assay_tensor)) throw Error(ASSAY_INTERNAL, "a tensor without a description");
    const assay_dltensor& dl = t->dl;
    if (dl.ndim < 0 || dl.ndim > kMaxDims || (dl.ndim != 0 && dl.shape == nullptr)) {
      throw Error(ASSAY_INTERNAL, "a tensor of " + std::to_string(dl.ndim) + " dimensions");
    }
    if (dl.device.type != ASSAY_DEVICE_CPU) throw Error(ASSAY_INTERNAL, "a tensor that is not in CPU memory");
    if (dtype_name(dl.dtype) == "unknown")
      throw Error(ASSAY_INTERNAL, "a tensor of unknown dtype code " + std::to_string(dl.dtype.code));
    std::vector<std::int64_t> shape(dl.shape, dl.shape + dl.ndim);
    std::int64_t count = static_cast<std::int64_t>(dtype_size(dl.dtype));
    for (const std::int64_t n : shape) {
      if (n < 0 || (n != 0 && count > std::numeric_limits<std::int64_t>::max() / n)) {
        throw Error(ASSAY_INTERNAL, "a tensor whose shape is negative or overflows");
      }
      count *= n;
    }
    if (count != 0 && dl.data == nullptr) throw Error(ASSAY_INTERNAL, "a tensor without memory");
    std::vector<std::int64_t> strides;
    if (dl.strides != nullptr) strides.assign(dl.strides, dl.strides + dl.ndim);
    void* data = dl.data == nullptr ? nullptr : static_cast<char*>(dl.data) + dl.byte_offset;
    return Tensor::wrap(data, dl.dtype, std::move(shape), std::move(strides), owner_, true);
  }

  std::shared_ptr<assay_results> owner_;
};

}  // namespace

Result<Results> raise_results(const std::shared_ptr<assay_results>& raw) {
  const Raiser raiser(raw);
  Results results;
  try {
    Raiser::check_array(raw->outputs, raw->output_count);
    for (std::uint64_t i = 0; i < raw->output_count; ++i) results.outputs.push_back(raiser.raise(raw->outputs[i], 0));
    const auto paths = [&](const assay_path_value* items, std::uint64_t count, std::vector<NamedValue>& out) {
      Raiser::check_array(items, count);
      for (std::uint64_t i = 0; i < count; ++i) {
        if (items[i].path == nullptr) throw Error(ASSAY_INTERNAL, "a gradient without a path");
        out.emplace_back(items[i].path, raiser.raise(items[i].value, 0));
      }
    };
    paths(raw->gradients, raw->gradient_count, results.gradients);
    paths(raw->mutated, raw->mutated_count, results.mutated);
    Raiser::check_array(raw->notes, raw->note_count);
    for (std::uint64_t i = 0; i < raw->note_count; ++i) {
      if (raw->notes[i] != nullptr) results.notes.emplace_back(raw->notes[i]);
    }
  } catch (const Error& error) {
    return plugin_failure(error.what());
  }
  return results;
}

}  // namespace assay
