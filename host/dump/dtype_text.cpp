#include "dump/dtype_text.hpp"

#include <array>
#include <charconv>
#include <string>
#include <utility>

namespace assay {

namespace {

/// Other names of a dtype, after prefix and case are gone.
constexpr std::array<std::pair<std::string_view, std::string_view>, 15> kAliases{{{"half", "float16"},
                                                                                  {"float", "float32"},
                                                                                  {"double", "float64"},
                                                                                  {"bfloat", "bfloat16"},
                                                                                  {"char", "int8"},
                                                                                  {"short", "int16"},
                                                                                  {"int", "int32"},
                                                                                  {"long", "int64"},
                                                                                  {"byte", "uint8"},
                                                                                  {"bool_", "bool"},
                                                                                  {"cfloat", "complex64"},
                                                                                  {"cdouble", "complex128"},
                                                                                  {"chalf", "complex32"},
                                                                                  {"float8e4m3fn", "float8_e4m3fn"},
                                                                                  {"float8e5m2", "float8_e5m2"}}};

constexpr std::array<std::string_view, 3> kPrefixes{"torch.", "mindspore.", "numpy."};

}  // namespace

std::optional<assay_dtype> parse_dtype(std::string_view text) {
  for (const std::string_view prefix : kPrefixes) {
    if (text.substr(0, prefix.size()) == prefix) {
      text.remove_prefix(prefix.size());
      break;
    }
  }
  if (text.size() > 32) return std::nullopt;
  std::string name;
  for (const char c : text) name += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  for (const auto& [alias, plain] : kAliases) {
    if (name == alias) return dtype_from_name(plain);
  }
  return dtype_from_name(name);
}

std::optional<assay_device> parse_device(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view type = text.substr(0, colon);
  assay_device device{};
  if (type == "cpu") {
    device.type = ASSAY_DEVICE_CPU;
  } else if (type == "cuda" || type == "gpu") {
    device.type = ASSAY_DEVICE_CUDA;
  } else if (type == "npu" || type == "ascend" || type == "Ascend" || type == "privateuseone") {
    device.type = ASSAY_DEVICE_EXTENSION;
  } else {
    return std::nullopt;
  }
  if (colon == std::string_view::npos || text.substr(colon + 1) == "None") return device;
  const std::string_view number = text.substr(colon + 1);
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), device.id);
  if (error != std::errc() || end != number.data() + number.size() || device.id < 0) return std::nullopt;
  if (device.type == ASSAY_DEVICE_CPU) device.id = 0;
  return device;
}

}  // namespace assay
