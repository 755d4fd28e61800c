// A Python value as the adapter works with it: what a recorded argument means once its tensors are LibTorch's.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/MemoryFormat.h>
#include <c10/core/ScalarType.h>
#include <c10/util/complex.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace assay::torch_adapter {

struct PythonValue;

struct Slice {
  std::optional<std::int64_t> start, stop, step;
};
struct EllipsisMark {};
/// A list or a tuple.
struct Sequence {
  std::vector<PythonValue> items;
};
struct Dictionary {
  std::vector<std::pair<std::string, PythonValue>> items;
};

struct PythonValue {
  std::variant<std::monostate, bool, std::int64_t, double, c10::complex<double>, std::string, at::ScalarType, c10::Device,
               c10::MemoryFormat, Slice, EllipsisMark, at::Tensor, Sequence, Dictionary>
      data;

  template <class T>
  [[nodiscard]] bool is() const {
    return std::holds_alternative<T>(data);
  }
  template <class T>
  [[nodiscard]] const T* get_if() const {
    return std::get_if<T>(&data);
  }
  [[nodiscard]] bool is_none() const { return is<std::monostate>(); }
};

/// The arguments of one call.
struct Arguments {
  std::vector<PythonValue> positional;
  std::vector<std::pair<std::string, PythonValue>> keyword;

  /// The keyword's value; null if it was not given.
  [[nodiscard]] const PythonValue* find(const std::string& name) const {
    for (const auto& [key, value] : keyword) {
      if (key == name) return &value;
    }
    return nullptr;
  }
};

}  // namespace assay::torch_adapter
