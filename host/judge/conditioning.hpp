// Whether an error is the input's conditioning: no larger than what one unit in the last place of the inputs does to the result.
#pragma once

#include "judge/tensor_judge.hpp"

namespace assay {

/// Turns the verdict into a pass where every element's error is covered by the movement of the nudged references at that element
/// (or the median movement) times the standard's factor, beside the limit that the rule gives anyway.
///
/// position  of the output among the flattened outputs
/// expected  as the reference computed it
void excuse_by_conditioning(const JudgeContext& context, std::size_t position, const Tensor& actual, const Tensor& expected,
                            OutputVerdict& verdict);

}  // namespace assay
