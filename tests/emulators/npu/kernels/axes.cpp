#include "kernels/axes.hpp"

namespace assay::emulator {

Reduction::Reduction(const View& view, const Shape& axes) : view_(view) {
  std::vector<bool> reduced(view.rank(), axes.empty());
  for (const std::int64_t axis : axes) {
    const std::size_t index = axis_of(view, axis);
    if (view.rank() == 0) {
      continue;
    }
    if (reduced[index]) {
      refuse("axis " + std::to_string(axis) + " comes twice");
    }
    reduced[index] = true;
  }
  view_.shape.clear();
  view_.strides.clear();
  for (const bool last : {false, true}) {
    for (std::size_t i = 0; i < view.rank(); ++i) {
      if (reduced[i] == last) {
        view_.shape.push_back(view.shape[i]);
        view_.strides.push_back(view.strides[i]);
        (last ? length_ : rows_) *= view.shape[i];
      }
    }
  }
  for (std::size_t i = 0; i < view.rank(); ++i) {
    with_ones_.push_back(reduced[i] ? 1 : view.shape[i]);
    if (!reduced[i]) {
      kept_.push_back(view.shape[i]);
    }
  }
}

Shape Reduction::result_shape(bool keep) const { return keep ? with_ones_ : kept_; }

View axis_last(const View& view, std::size_t axis) {
  View result = view;
  if (view.rank() > 0) {
    const auto at = static_cast<std::ptrdiff_t>(axis);
    result.shape.erase(result.shape.begin() + at);
    result.strides.erase(result.strides.begin() + at);
    result.shape.push_back(view.shape[axis]);
    result.strides.push_back(view.strides[axis]);
  }
  return result;
}

Rows rows_along(const View& view, std::size_t axis) {
  if (view.rank() == 0) {
    return {1, 1};
  }
  const std::int64_t length = view.shape[axis];
  return {length == 0 ? 0 : view.count() / length, length};
}

}  // namespace assay::emulator
