#include "datum.hpp"

namespace assay::npu {

namespace {

[[noreturn]] void refuse(const Datum& datum, const char* what, const char* wanted) {
  throw Error(ASSAY_INVALID_ARGUMENT, std::string(what) + " is " + kind_name(datum) + ", expected " + wanted);
}

}  // namespace

const char* kind_name(const Datum& datum) {
  constexpr const char* kNames[] = {"none",     "a bool",  "an integer", "a number", "a complex number",
                                    "a string", "a dtype", "a tensor",   "a list"};
  return kNames[datum.data.index()];
}

const DeviceTensor& as_tensor(const Datum& datum, const char* what) {
  const auto* tensor = datum.get_if<DeviceTensor>();
  if (tensor == nullptr) refuse(datum, what, "a tensor");
  return *tensor;
}

std::int64_t as_integer(const Datum& datum, const char* what) {
  if (const auto* integer = datum.get_if<std::int64_t>()) return *integer;
  if (const auto* flag = datum.get_if<bool>()) return *flag ? 1 : 0;
  if (const auto* real = datum.get_if<double>()) {
    constexpr double kBeyond = 9.2e18;
    if (*real > -kBeyond && *real < kBeyond && static_cast<double>(static_cast<std::int64_t>(*real)) == *real)
      return static_cast<std::int64_t>(*real);
  }
  refuse(datum, what, "an integer");
}

double as_real(const Datum& datum, const char* what) {
  if (const auto* real = datum.get_if<double>()) return *real;
  if (const auto* integer = datum.get_if<std::int64_t>()) return static_cast<double>(*integer);
  if (const auto* flag = datum.get_if<bool>()) return *flag ? 1.0 : 0.0;
  refuse(datum, what, "a number");
}

bool as_flag(const Datum& datum, const char* what) {
  if (const auto* flag = datum.get_if<bool>()) return *flag;
  if (const auto* integer = datum.get_if<std::int64_t>()) return *integer != 0;
  if (datum.none()) return false;
  refuse(datum, what, "a bool");
}

assay_dtype as_dtype(const Datum& datum, const char* what) {
  const auto* dtype = datum.get_if<assay_dtype>();
  if (dtype == nullptr) refuse(datum, what, "a dtype");
  return *dtype;
}

const std::string& as_text(const Datum& datum, const char* what) {
  const auto* text = datum.get_if<std::string>();
  if (text == nullptr) refuse(datum, what, "a string");
  return *text;
}

const DatumList& as_list(const Datum& datum, const char* what) {
  const auto* list = datum.get_if<DatumList>();
  if (list == nullptr) refuse(datum, what, "a list");
  return *list;
}

Dims as_dims(const Datum& datum, const char* what) {
  const auto* list = datum.get_if<DatumList>();
  if (list == nullptr) return {as_integer(datum, what)};
  Dims dims;
  dims.reserve(list->size());
  for (const Datum& item : *list) dims.push_back(as_integer(item, what));
  return dims;
}

}  // namespace assay::npu
