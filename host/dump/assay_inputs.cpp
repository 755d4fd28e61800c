#include "dump/assay_inputs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "base/text.hpp"
#include "dump/float_fill.hpp"

namespace assay {

namespace {

constexpr double kTwoPi = 6.283185307179586;

/// FNV-1a: the same on every machine, unlike std::hash.
std::uint64_t hash_text(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

/// Element i's 64 random bits under a key: the i-th output of SplitMix64 started there.
class Counter {
 public:
  Counter(std::uint64_t seed, const std::string& place) : key_(mix(mix(seed) ^ hash_text(place))) {}

  [[nodiscard]] std::uint64_t bits(std::uint64_t i) const { return mix(key_ + (i + 1) * 0x9e3779b97f4a7c15u); }
  /// In [0, 1].
  [[nodiscard]] double unit(std::uint64_t i) const { return static_cast<double>(bits(i) >> 11) / 9007199254740991.0; }

 private:
  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::uint64_t key_;
};

double largest(assay_dtype dtype) {
  switch (dtype.code) {
    case ASSAY_DTYPE_BFLOAT: return bfloat16_to_double(0x7f7f);
    case ASSAY_DTYPE_FLOAT8_E4M3FN: return 448.0;
    case ASSAY_DTYPE_FLOAT8_E5M2: return 57344.0;
    default: break;
  }
  const int bits = is_complex(dtype) ? dtype.bits / 2 : dtype.bits;
  if (bits == 16) return 65504.0;
  return bits == 32 ? static_cast<double>(std::numeric_limits<float>::max()) : std::numeric_limits<double>::max();
}

/// Between the bounds without forming their difference, which can overflow.
double between(double low, double high, double unit) { return std::clamp(low * (1 - unit) + high * unit, low, high); }

template <class T>
void fill_integers(Tensor& tensor, const TensorElement& element, double low, double high, const Counter& counter) {
  using Limits = std::numeric_limits<T>;
  const auto clip = [](double bound) {
    // The largest 64-bit integers have no double of their own.
    if (bound >= static_cast<double>(Limits::max())) return Limits::max();
    return bound <= static_cast<double>(Limits::min()) ? Limits::min() : static_cast<T>(bound);
  };
  T from = clip(std::ceil(low));
  T to = clip(std::floor(high));
  if constexpr (std::is_signed_v<T> && sizeof(T) == 8) {
    if (element.bounds_are_integers) {
      from = std::min(element.min_integer, element.max_integer);
      to = std::max(element.min_integer, element.max_integer);
    }
  }
  if (from > to) to = from;
  const std::uint64_t range = static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from) + 1;
  T* const data = tensor.data_as<T>();
  const std::int64_t count = tensor.numel();
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t bits = counter.bits(static_cast<std::uint64_t>(i));
    const std::uint64_t step = range == 0 ? bits : bits % range;
    data[i] = static_cast<T>(static_cast<std::uint64_t>(from) + step);
  }
}

void fill_integers(Tensor& tensor, const TensorElement& element, double low, double high, const Counter& counter) {
  const bool is_signed = tensor.dtype().code == ASSAY_DTYPE_INT;
  switch (tensor.dtype().bits) {
    case 8:
      return is_signed ? fill_integers<std::int8_t>(tensor, element, low, high, counter)
                       : fill_integers<std::uint8_t>(tensor, element, low, high, counter);
    case 16:
      return is_signed ? fill_integers<std::int16_t>(tensor, element, low, high, counter)
                       : fill_integers<std::uint16_t>(tensor, element, low, high, counter);
    case 32:
      return is_signed ? fill_integers<std::int32_t>(tensor, element, low, high, counter)
                       : fill_integers<std::uint32_t>(tensor, element, low, high, counter);
    default:
      return is_signed ? fill_integers<std::int64_t>(tensor, element, low, high, counter)
                       : fill_integers<std::uint64_t>(tensor, element, low, high, counter);
  }
}

/// All of one value where Max and Min agree, a mixture where they differ or were not recorded.
void fill_booleans(Tensor& tensor, const TensorElement& element, const Counter& counter) {
  const bool same = element.max && element.min && (*element.max != 0) == (*element.min != 0);
  auto* const data = tensor.data_as<std::uint8_t>();
  const std::int64_t count = tensor.numel();
  for (std::int64_t i = 0; i < count; ++i) {
    const bool random = (counter.bits(static_cast<std::uint64_t>(i)) >> 63) != 0;
    data[i] = (same ? *element.max != 0 : random) ? 1 : 0;
  }
}

Tensor complex_numbers(const TensorElement& element, double low, double high, const Counter& counter) {
  std::vector<std::int64_t> parts = element.shape;
  parts.push_back(2);
  auto plane = std::make_shared<Tensor>(Tensor::allocate(make_dtype(ASSAY_DTYPE_FLOAT, element.dtype->bits / 2), parts));
  double imaginary = 0;
  fill_floats(*plane, [&](std::int64_t i) {
    const auto index = static_cast<std::uint64_t>(i);
    if (i % 2 != 0) return imaginary;
    const double magnitude = between(low, high, counter.unit(index));
    const double angle = kTwoPi * counter.unit(index + 1);
    imaginary = magnitude * std::sin(angle);
    return magnitude * std::cos(angle);
  });
  void* const memory = plane->data_as<void>();
  return Tensor::wrap(memory, *element.dtype, element.shape, {}, std::move(plane), false);
}

}  // namespace

Result<Tensor> make_assay_tensor(const TensorElement& element, std::uint64_t seed, const std::string& place) {
  const assay_dtype dtype = *element.dtype;
  const Counter counter(seed, place);
  if (dtype == kBool) {
    Tensor tensor = Tensor::allocate(dtype, element.shape);
    fill_booleans(tensor, element, counter);
    return tensor;
  }
  const Statistic recorded_low = element.min_finite ? element.min_finite : element.min;
  const Statistic recorded_high = element.max_finite ? element.max_finite : element.max;
  if (!recorded_low || !recorded_high) return unsupported("Max or Min was not recorded");
  if (std::isnan(*recorded_low) || std::isnan(*recorded_high)) return unsupported("Max or Min is NaN");
  const double bound = is_integer(dtype) ? std::numeric_limits<double>::infinity() : largest(dtype);
  const double low = std::clamp(std::min(*recorded_low, *recorded_high), -bound, bound);
  const double high = std::clamp(std::max(*recorded_low, *recorded_high), -bound, bound);
  if (is_complex(dtype)) return complex_numbers(element, std::max(low, 0.0), std::max(high, 0.0), counter);
  Tensor tensor = Tensor::allocate(dtype, element.shape);
  if (is_integer(dtype)) {
    fill_integers(tensor, element, low, high, counter);
  } else {
    fill_floats(tensor, [&](std::int64_t i) { return between(low, high, counter.unit(static_cast<std::uint64_t>(i))); });
  }
  return tensor;
}

}  // namespace assay
