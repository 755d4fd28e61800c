// Judges indices: where several elements tie, any of them is right.
#pragma once

#include <optional>

#include "judge/tensor_judge.hpp"

namespace assay {

/// Indices that differ from the reference's but point at equal elements of the indexed tensor pass; others are errors.
///
/// returns  nothing: the indexed tensor is not among the arguments or doesn't fit, the plain rules stand
std::optional<OutputVerdict> judge_indices(const JudgeContext& context, const Kind& kind, const Tensor& actual,
                                           const Tensor& expected);

}  // namespace assay
