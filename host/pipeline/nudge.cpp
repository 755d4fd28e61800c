#include "pipeline/nudge.hpp"

#include <cstring>

namespace assay {

namespace {

/// SplitMix64's mixing step: one well-spread bit pattern for each (seed, index).
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

/// Neighbours of IEEE-like formats are neighbours as sign-and-magnitude integers.
template <class Bits>
void nudge_elements(Bits* data, std::int64_t count, Bits magnitude_mask, Bits first_non_finite, std::uint64_t seed) {
  for (std::int64_t i = 0; i < count; ++i) {
    const auto magnitude = static_cast<Bits>(data[i] & magnitude_mask);
    if (magnitude == 0 || magnitude >= first_non_finite) continue;
    const bool up = (mix(seed ^ static_cast<std::uint64_t>(i)) & 1u) != 0;
    if (up && magnitude + 1 < first_non_finite) {
      data[i] = static_cast<Bits>(data[i] + 1);
    } else {
      data[i] = static_cast<Bits>(data[i] - 1);
    }
  }
}

class Nudger {
 public:
  explicit Nudger(std::uint64_t seed) : seed_(seed) {}

  Value apply(const Value& value) {
    if (const auto* tensor = value.get_if<Tensor>()) return apply_tensor(*tensor);
    if (const auto* list = value.get_if<List>()) return List{apply_all(list->items)};
    if (const auto* tuple = value.get_if<Tuple>()) return Tuple{apply_all(tuple->items)};
    return value;
  }

  std::vector<Value> apply_all(const std::vector<Value>& values) {
    std::vector<Value> out;
    for (const Value& value : values) out.push_back(apply(value));
    return out;
  }

 private:
  Tensor apply_tensor(const Tensor& tensor) {
    ++ordinal_;
    const assay_dtype dtype = tensor.dtype();
    const int bits = is_complex(dtype) ? dtype.bits / 2 : dtype.bits;
    if ((!is_floating(dtype) && !is_complex(dtype)) || bits < 16) return tensor;
    Tensor copy = Tensor::allocate(dtype, tensor.shape());
    const std::size_t size = dtype_size(dtype);
    const auto* source = static_cast<const char*>(tensor.view().data());
    auto* target = copy.data_as<char>();
    tensor.view().for_each_offset([&](std::int64_t index, std::int64_t offset) {
      std::memcpy(target + index * static_cast<std::int64_t>(size), source + offset * static_cast<std::int64_t>(size), size);
    });
    const std::int64_t count = copy.numel() * (is_complex(dtype) ? 2 : 1);
    const std::uint64_t seed = mix(seed_ + ordinal_);
    if (bits == 64) {
      nudge_elements<std::uint64_t>(copy.data_as<std::uint64_t>(), count, 0x7fffffffffffffffull, 0x7ff0000000000000ull, seed);
    } else if (bits == 32) {
      nudge_elements<std::uint32_t>(copy.data_as<std::uint32_t>(), count, 0x7fffffffu, 0x7f800000u, seed);
    } else {
      const std::uint16_t infinity = dtype.code == ASSAY_DTYPE_BFLOAT ? 0x7f80 : 0x7c00;
      nudge_elements<std::uint16_t>(copy.data_as<std::uint16_t>(), count, 0x7fff, infinity, seed);
    }
    return copy;
  }

  std::uint64_t seed_;
  std::uint64_t ordinal_ = 0;
};

}  // namespace

CallInputs nudge(const CallInputs& inputs, std::uint64_t seed) {
  Nudger nudger(seed);
  CallInputs out;
  out.args = nudger.apply_all(inputs.args);
  for (const auto& [name, value] : inputs.kwargs) out.kwargs.emplace_back(name, nudger.apply(value));
  out.grad_outputs = nudger.apply_all(inputs.grad_outputs);
  return out;
}

}  // namespace assay
