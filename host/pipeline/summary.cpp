#include "pipeline/summary.hpp"

#include <cmath>

#include "judge/scalars.hpp"

namespace assay {

namespace {

std::string kind_name(const Value& value) {
  struct Namer {
    std::string operator()(const None&) const { return "None"; }
    std::string operator()(bool) const { return "bool"; }
    std::string operator()(std::int64_t) const { return "int"; }
    std::string operator()(double) const { return "float"; }
    std::string operator()(const std::complex<double>&) const { return "complex"; }
    std::string operator()(const std::string&) const { return "str"; }
    std::string operator()(const assay_dtype&) const { return "dtype"; }
    std::string operator()(const assay_device&) const { return "device"; }
    std::string operator()(const assay_slice&) const { return "slice"; }
    std::string operator()(const Ellipsis&) const { return "ellipsis"; }
    std::string operator()(const MemoryFormat&) const { return "memory_format"; }
    std::string operator()(const Tensor& t) const { return std::string(dtype_name(t.dtype())); }
    std::string operator()(const List&) const { return "list"; }
    std::string operator()(const Tuple&) const { return "tuple"; }
    std::string operator()(const Dict&) const { return "dict"; }
  };
  return std::visit(Namer{}, value.data);
}

void add_statistics(const Tensor& tensor, ValueSummary& out) {
  double sum = 0;
  double squares = 0;
  const TensorView view = tensor.view();
  view.for_each_offset([&](std::int64_t, std::int64_t offset) {
    const double real = view.number_at(offset);
    const double imaginary = view.imaginary_at(offset);
    // Complex numbers are summarised by their absolute values, as dumps do.
    const double x = is_complex(view.dtype()) ? std::hypot(real, imaginary) : real;
    if (!std::isfinite(x)) return;
    out.min = out.finite_count == 0 ? x : std::min(out.min, x);
    out.max = out.finite_count == 0 ? x : std::max(out.max, x);
    sum += x;
    squares += x * x;
    ++out.finite_count;
  });
  out.mean = out.finite_count == 0 ? 0 : sum / static_cast<double>(out.finite_count);
  out.norm = std::sqrt(squares);
}

}  // namespace

ValueSummary summarise(const Value* value, bool statistics) {
  ValueSummary out;
  if (value == nullptr) return out;
  out.dtype = kind_name(*value);
  if (const auto* tensor = value->get_if<Tensor>()) {
    out.is_tensor = true;
    out.shape = tensor->shape();
    if (statistics) add_statistics(*tensor, out);
  } else {
    out.text = value_text(*value);
  }
  return out;
}

}  // namespace assay
