#include "pipeline/value_difference.hpp"

#include <cmath>
#include <complex>
#include <vector>

#include "base/text.hpp"
#include "judge/elements.hpp"
#include "judge/rounding.hpp"
#include "judge/scalars.hpp"

namespace assay {

namespace {

bool same(double before, double after) { return before == after || (std::isnan(before) && std::isnan(after)); }

std::vector<std::complex<double>> numbers(const TensorView& view) {
  std::vector<std::complex<double>> out;
  out.reserve(static_cast<std::size_t>(view.numel()));
  view.for_each_offset(
      [&](std::int64_t, std::int64_t offset) { out.emplace_back(view.number_at(offset), view.imaginary_at(offset)); });
  return out;
}

std::string tensor_difference(const Tensor& given_before, const Tensor& given_after) {
  const Tensor before = round_to(given_before, given_after.view().dtype()).value_or(given_before);
  const Tensor after = round_to(given_after, before.view().dtype()).value_or(given_after);
  const std::vector<std::int64_t> shape = before.view().shape();
  if (shape != after.view().shape()) return "the shape " + format_shape(shape) + " became " + format_shape(after.view().shape());
  const auto was = numbers(before.view());
  const auto is = numbers(after.view());
  std::size_t count = 0;
  std::size_t first = 0;
  double largest = 0;
  for (std::size_t i = was.size(); i-- > 0;) {
    if (same(was[i].real(), is[i].real()) && same(was[i].imag(), is[i].imag())) continue;
    ++count;
    first = i;
    largest = std::fmax(largest, std::abs(is[i] - was[i]));
  }
  if (count == 0) return {};
  return std::to_string(count) + "/" + std::to_string(was.size()) + " elements differ by up to " + format_number(largest) +
         ", the first at " + format_shape(unravel(static_cast<std::int64_t>(first), shape)) + ": " +
         format_number(was[first].real()) + " became " + format_number(is[first].real());
}

std::string sequence_difference(const std::vector<Value>& before, const std::vector<Value>& after) {
  if (before.size() != after.size()) return std::to_string(before.size()) + " items became " + std::to_string(after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    const std::string how = difference(before[i], after[i]);
    if (!how.empty()) return "item " + std::to_string(i) + ": " + how;
  }
  return {};
}

const std::vector<Value>* items_of(const Value& value) {
  if (const auto* list = value.get_if<List>()) return &list->items;
  if (const auto* tuple = value.get_if<Tuple>()) return &tuple->items;
  return nullptr;
}

}  // namespace

std::string difference(const Value& before, const Value& after) {
  if (before.is<Tensor>() && after.is<Tensor>()) return tensor_difference(before.as<Tensor>(), after.as<Tensor>());
  // Recordings don't tell lists and tuples apart.
  const auto* const was = items_of(before);
  const auto* const is = items_of(after);
  if (was != nullptr && is != nullptr) return sequence_difference(*was, *is);
  const auto text = [](const Value& value) { return value.is<Tensor>() ? "a tensor" : value_text(value); };
  return text(before) == text(after) ? "" : text(before) + " became " + text(after);
}

}  // namespace assay
