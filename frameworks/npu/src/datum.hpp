// One value while a call is worked out: what a recorded argument, a rule or an operator gave.
#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "device_tensor.hpp"

namespace assay::npu {

struct Datum;
using DatumList = std::vector<Datum>;

struct Nothing {};

struct Datum {
  std::variant<Nothing, bool, std::int64_t, double, std::complex<double>, std::string, assay_dtype, DeviceTensor, DatumList> data;

  Datum() = default;
  template <class T, class = std::enable_if_t<!std::is_same_v<std::decay_t<T>, Datum> && !std::is_same_v<std::decay_t<T>, Dims>>>
  Datum(T&& value) : data(std::forward<T>(value)) {}
  Datum(const Dims& dims) : data(DatumList(dims.begin(), dims.end())) {}

  template <class T>
  [[nodiscard]] bool is() const {
    return std::holds_alternative<T>(data);
  }
  template <class T>
  [[nodiscard]] const T* get_if() const {
    return std::get_if<T>(&data);
  }
  [[nodiscard]] bool none() const { return is<Nothing>(); }
  [[nodiscard]] bool number() const { return is<bool>() || is<std::int64_t>() || is<double>() || is<std::complex<double>>(); }
};

/// "a tensor", "a number", ...: for messages.
const char* kind_name(const Datum& datum);

// Readings of a datum; they throw Error(ASSAY_INVALID_ARGUMENT) that names `what` where it is of another kind.
const DeviceTensor& as_tensor(const Datum& datum, const char* what);
std::int64_t as_integer(const Datum& datum, const char* what);
double as_real(const Datum& datum, const char* what);
bool as_flag(const Datum& datum, const char* what);
assay_dtype as_dtype(const Datum& datum, const char* what);
const std::string& as_text(const Datum& datum, const char* what);
const DatumList& as_list(const Datum& datum, const char* what);
/// A list of integers, or one integer as a list of one.
Dims as_dims(const Datum& datum, const char* what);

}  // namespace assay::npu
