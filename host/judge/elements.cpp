#include "judge/elements.hpp"

#include <charconv>
#include <cmath>
#include <cstring>

#include "base/text.hpp"

namespace assay {

namespace {

std::string float_text(double value, int bits) {
  if (bits >= 64 || !std::isfinite(value)) return format_number(value);
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, static_cast<float>(value)).ptr;
  std::string text(buffer, end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string integer_text(const TensorView& tensor, std::int64_t offset) {
  const auto bytes = static_cast<std::ptrdiff_t>(dtype_size(tensor.dtype()));
  const char* at = static_cast<const char*>(tensor.data()) + offset * bytes;
  if (tensor.dtype().bits < 64) return std::to_string(static_cast<std::int64_t>(tensor.number_at(offset)));
  std::int64_t value = 0;
  std::memcpy(&value, at, sizeof value);
  return tensor.dtype().code == ASSAY_DTYPE_UINT ? std::to_string(static_cast<std::uint64_t>(value)) : std::to_string(value);
}

/// The position of a number among all numbers of its type, by its bits.
std::int64_t ordered(const TensorView& tensor, std::int64_t offset) {
  const std::size_t bytes = dtype_size(tensor.dtype());
  std::uint64_t bits = 0;
  std::memcpy(&bits, static_cast<const char*>(tensor.data()) + offset * static_cast<std::ptrdiff_t>(bytes), bytes);
  const std::uint64_t sign = std::uint64_t{1} << (8 * bytes - 1);
  const auto magnitude = static_cast<std::int64_t>(bits & (sign - 1));
  return (bits & sign) != 0 ? -magnitude : magnitude;
}

}  // namespace

std::string element_text(const TensorView& tensor, std::int64_t index) {
  const std::int64_t offset = tensor.offset_of(index);
  const assay_dtype dtype = tensor.dtype();
  if (dtype == kBool) return tensor.number_at(offset) != 0 ? "True" : "False";
  if (is_integer(dtype)) return integer_text(tensor, offset);
  if (!is_complex(dtype)) return float_text(tensor.number_at(offset), dtype.bits);
  const double imaginary = tensor.imaginary_at(offset);
  const std::string text = float_text(imaginary, dtype.bits / 2);
  return "(" + float_text(tensor.number_at(offset), dtype.bits / 2) + (text.front() == '-' ? "" : "+") + text + "j)";
}

std::optional<double> ulp_distance(const TensorView& actual, const TensorView& expected, std::int64_t index) {
  if (!is_floating(actual.dtype()) || actual.dtype() != expected.dtype()) return std::nullopt;
  const std::int64_t a = actual.offset_of(index);
  const std::int64_t e = expected.offset_of(index);
  if (std::isnan(actual.number_at(a)) || std::isnan(expected.number_at(e))) return std::nullopt;
  // Two opposite 64-bit magnitudes are further apart than an integer can hold.
  return std::fabs(
      static_cast<double>(static_cast<long double>(ordered(actual, a)) - static_cast<long double>(ordered(expected, e))));
}

std::vector<std::int64_t> unravel(std::int64_t index, const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> out(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    out[d] = index % shape[d];
    index /= shape[d];
  }
  return out;
}

WorstElement worst_element(const TensorView& actual, const TensorView& expected, std::int64_t index) {
  return {unravel(index, actual.shape()), element_text(actual, index), element_text(expected, index),
          ulp_distance(actual, expected, index)};
}

}  // namespace assay
