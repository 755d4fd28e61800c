// What a call's tensors say about the size of its rounding errors: terms added up for one output element, and their magnitude.
#pragma once

#include <vector>

#include "judge/standard_model.hpp"

namespace assay {

/// The floating and complex tensors of one judgement, and what is derived from them.
class CallShape {
 public:
  explicit CallShape(const Judgement& judgement);

  /// Terms that one element of an output adds up; at least 1.
  [[nodiscard]] double length(LengthRule rule, const TensorView& output) const;

  /// The size that the terms' sum has where they don't cancel; 0 where the rule or the inputs don't say.
  [[nodiscard]] double input_scale(ScaleRule rule, const TensorView& output, double length) const;

  /// The narrowest floating type among the inputs: how exact a Python number computed from them can be. float64 without any.
  [[nodiscard]] assay_dtype narrowest_type() const;

  /// Whether any floating input holds a NaN.
  [[nodiscard]] bool inputs_have_nan() const;

 private:
  std::vector<const Tensor*> tensors_;
};

/// Root of the mean square over the finite elements.
double rms(const TensorView& tensor);

}  // namespace assay
