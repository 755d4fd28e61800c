#include "judge/scalars.hpp"

#include <array>
#include <cmath>

#include "base/text.hpp"
#include "judge/rounding.hpp"

namespace assay {

namespace {

constexpr std::array<std::string_view, 15> kKinds{"None",          "bool",   "int",    "float", "complex",
                                                  "str",           "dtype",  "device", "slice", "ellipsis",
                                                  "memory_format", "tensor", "list",   "tuple", "dict"};
static_assert(std::variant_size_v<Value::Storage> == kKinds.size());

bool equal_numbers(double actual, double expected) { return actual == expected || (std::isnan(actual) && std::isnan(expected)); }

struct Equal {
  bool operator()(None, None) const { return true; }
  bool operator()(Ellipsis, Ellipsis) const { return true; }
  bool operator()(bool a, bool e) const { return a == e; }
  bool operator()(std::int64_t a, std::int64_t e) const { return a == e; }
  bool operator()(double a, double e) const { return equal_numbers(a, e); }
  bool operator()(const std::complex<double>& a, const std::complex<double>& e) const {
    return equal_numbers(a.real(), e.real()) && equal_numbers(a.imag(), e.imag());
  }
  bool operator()(const std::string& a, const std::string& e) const { return a == e; }
  bool operator()(const MemoryFormat& a, const MemoryFormat& e) const { return a.name == e.name; }
  bool operator()(assay_dtype a, assay_dtype e) const { return a == e; }
  bool operator()(assay_device a, assay_device e) const { return a.type == e.type && a.id == e.id; }
  bool operator()(const assay_slice& a, const assay_slice& e) const {
    return a.present == e.present && a.start == e.start && a.stop == e.stop && a.step == e.step;
  }
  template <class A, class E>
  bool operator()(const A&, const E&) const {
    return false;
  }
};

}  // namespace

std::string_view value_kind(const Value& value) { return kKinds[value.data.index()]; }

std::string value_text(const Value& value) {
  if (const auto* b = value.get_if<bool>()) return *b ? "True" : "False";
  if (const auto* i = value.get_if<std::int64_t>()) return std::to_string(*i);
  if (const auto* d = value.get_if<double>()) return format_number(*d);
  if (const auto* c = value.get_if<std::complex<double>>()) {
    return "(" + format_number(c->real()) + (std::signbit(c->imag()) ? "" : "+") + format_number(c->imag()) + "j)";
  }
  if (const auto* s = value.get_if<std::string>()) return "'" + escape_control(s->substr(0, 200)) + "'";
  if (const auto* d = value.get_if<assay_dtype>()) return std::string(dtype_name(*d));
  if (const auto* t = value.get_if<Tensor>()) return std::string(dtype_name(t->dtype())) + " tensor " + format_shape(t->shape());
  return std::string(value_kind(value));
}

bool is_number(const Value& value) { return value.is<double>() || value.is<std::complex<double>>(); }

std::optional<Tensor> number_as_tensor(const Value& value, assay_dtype real) {
  if (const auto* number = value.get_if<double>()) {
    Tensor wide = Tensor::allocate(kFloat64, {});
    *wide.data_as<double>() = *number;
    return round_to(wide, real);
  }
  if (const auto* number = value.get_if<std::complex<double>>()) {
    Tensor wide = Tensor::allocate(kComplex128, {});
    wide.data_as<double>()[0] = number->real();
    wide.data_as<double>()[1] = number->imag();
    return round_to(wide, real == kFloat64 ? kComplex128 : kComplex64);
  }
  return std::nullopt;
}

bool equal_values(const Value& actual, const Value& expected) { return std::visit(Equal{}, actual.data, expected.data); }

}  // namespace assay
