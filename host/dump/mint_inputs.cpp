#include "dump/mint_inputs.hpp"

#include <cmath>
#include <limits>
#include <random>

#include "dump/float_fill.hpp"

namespace assay {

namespace {

constexpr std::uint32_t kSeed = 42;

/// Uniform in [0, 1) from two words, as NumPy's legacy generator makes a double.
double next_unit(std::mt19937& words) {
  const auto high = words() >> 5;
  const auto low = words() >> 6;
  return (static_cast<double>(high) * 67108864.0 + static_cast<double>(low)) / 9007199254740992.0;
}

/// Toward zero; beyond the type's range the nearest bound.
template <class T>
T truncate(double value) {
  if (value >= static_cast<double>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
  if (value <= static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
  return static_cast<T>(value);
}

template <class T, class F>
Tensor fill(const TensorElement& element, F&& next) {
  Tensor tensor = Tensor::allocate(*element.dtype, element.shape);
  T* const data = tensor.data_as<T>();
  const std::int64_t count = tensor.numel();
  for (std::int64_t i = 0; i < count; ++i) data[i] = next();
  return tensor;
}

double finite_or_limit(double bound) {
  return std::isinf(bound) ? std::copysign(std::numeric_limits<double>::max(), bound) : bound;
}

}  // namespace

Result<Tensor> make_mint_tensor(const TensorElement& element) {
  if (!element.max || !element.min) return unsupported("Max or Min was not recorded");
  std::mt19937 words(kSeed);
  if (*element.dtype == kBool) {
    return fill<std::uint8_t>(element, [&] { return static_cast<std::uint8_t>(next_unit(words) > 0.5 ? 1 : 0); });
  }
  const double low = finite_or_limit(*element.min);
  const double range = finite_or_limit(*element.max) - low;
  if (!std::isfinite(range)) return unsupported("values from Min to Max can't be drawn: the range is not finite");
  const auto draw = [&] { return low + range * next_unit(words); };
  const auto integers = [&](auto sample) {
    using T = decltype(sample);
    return fill<T>(element, [&] { return truncate<T>(draw()); });
  };
  const assay_dtype dtype = *element.dtype;
  if (dtype.code == ASSAY_DTYPE_FLOAT || dtype == kBFloat16) {
    Tensor tensor = Tensor::allocate(dtype, element.shape);
    // The framework makes bfloat16 by way of float32.
    fill_floats(tensor, [&](std::int64_t) {
      const double value = draw();
      return dtype == kBFloat16 ? static_cast<double>(static_cast<float>(value)) : value;
    });
    return tensor;
  }
  if (dtype == kInt8) return integers(std::int8_t{});
  if (dtype == kInt16) return integers(std::int16_t{});
  if (dtype == kInt32) return integers(std::int32_t{});
  if (dtype == kInt64) return integers(std::int64_t{});
  if (dtype == kUInt8) return integers(std::uint8_t{});
  if (dtype == kUInt16) return integers(std::uint16_t{});
  if (dtype == kUInt32) return integers(std::uint32_t{});
  if (dtype == kUInt64) return integers(std::uint64_t{});
  return unsupported("MindStudio Probe draws no values of dtype '" + std::string(dtype_name(dtype)) + "'");
}

}  // namespace assay
