#include "judge/call_shape.hpp"

#include <algorithm>
#include <cmath>

#include "judge/pairing.hpp"

namespace assay {

namespace {

double numel(const Tensor& tensor) { return static_cast<double>(tensor.numel()); }

bool has_numbers(const Tensor& tensor) {
  return (is_floating(tensor.dtype()) || is_complex(tensor.dtype())) && tensor.view().on_cpu();
}

}  // namespace

double rms(const TensorView& tensor) {
  double sum = 0;
  double count = 0;
  tensor.for_each_offset([&](std::int64_t, std::int64_t offset) {
    const double square = std::pow(tensor.number_at(offset), 2) + std::pow(tensor.imaginary_at(offset), 2);
    if (!std::isfinite(square)) return;
    sum += square;
    count += 1;
  });
  return count > 0 ? std::sqrt(sum / count) : 0;
}

CallShape::CallShape(const Judgement& judgement) {
  if (judgement.args != nullptr) {
    for (const Value& value : *judgement.args) collect_tensors(value, tensors_);
  }
  if (judgement.kwargs != nullptr) {
    for (const auto& [name, value] : *judgement.kwargs) collect_tensors(value, tensors_);
  }
  if (judgement.grad_outputs != nullptr) {
    for (const Value& value : *judgement.grad_outputs) collect_tensors(value, tensors_);
  }
  tensors_.erase(std::remove_if(tensors_.begin(), tensors_.end(), [](const Tensor* t) { return !has_numbers(*t); }),
                 tensors_.end());
}

double CallShape::length(LengthRule rule, const TensorView& output) const {
  const double out = std::max(1.0, static_cast<double>(output.numel()));
  double length = 1;
  switch (rule) {
    case LengthRule::kOne: break;
    case LengthRule::kReduced:
      for (const Tensor* t : tensors_) length = std::max(length, numel(*t) / out);
      break;
    case LengthRule::kContraction:
      // C[m,n] = sum over k of A[m,k] B[k,n]: numel(A) numel(B) / numel(C) = k^2. With a batch it is more than k, never less.
      for (std::size_t i = 0; i < tensors_.size(); ++i) {
        for (std::size_t j = i + 1; j < tensors_.size(); ++j) {
          length = std::max(length, std::sqrt(numel(*tensors_[i]) * numel(*tensors_[j]) / out));
        }
      }
      break;
    case LengthRule::kLastDim:
    case LengthRule::kLargestDim:
      for (const Tensor* t : tensors_) {
        const auto& shape = t->shape();
        if (shape.empty()) continue;
        const auto n = rule == LengthRule::kLastDim ? shape.back() : *std::max_element(shape.begin(), shape.end());
        length = std::max(length, static_cast<double>(n));
      }
      break;
    case LengthRule::kLargestInput:
      for (const Tensor* t : tensors_) length = std::max(length, numel(*t));
      break;
  }
  return length;
}

double CallShape::input_scale(ScaleRule rule, const TensorView& output, double length) const {
  if (rule == ScaleRule::kNone) return 0;
  double scale = 0;
  if (rule == ScaleRule::kProduct) {
    const double out = std::max(1.0, static_cast<double>(output.numel()));
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      for (std::size_t j = i + 1; j < tensors_.size(); ++j) {
        const double terms = std::max(1.0, std::sqrt(numel(*tensors_[i]) * numel(*tensors_[j]) / out));
        scale = std::max(scale, std::sqrt(terms) * rms(tensors_[i]->view()) * rms(tensors_[j]->view()));
      }
    }
    return scale;
  }
  for (const Tensor* t : tensors_) scale = std::max(scale, rms(t->view()));
  return rule == ScaleRule::kSum ? scale * std::sqrt(length) : scale;
}

assay_dtype CallShape::narrowest_type() const {
  assay_dtype narrowest = kFloat64;
  for (const Tensor* t : tensors_) {
    if (is_floating(t->dtype()) && dtype_epsilon(t->dtype()) > dtype_epsilon(narrowest)) narrowest = t->dtype();
  }
  return narrowest;
}

bool CallShape::inputs_have_nan() const {
  return std::any_of(tensors_.begin(), tensors_.end(), [](const Tensor* t) {
    const TensorView view = t->view();
    bool found = false;
    view.for_each_offset([&](std::int64_t, std::int64_t offset) {
      found = found || std::isnan(view.number_at(offset)) || std::isnan(view.imaginary_at(offset));
    });
    return found;
  });
}

}  // namespace assay
