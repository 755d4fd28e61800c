// Judges results that depend on a random generator: by what must hold for every seed.
#pragma once

#include <optional>

#include "judge/tensor_judge.hpp"

namespace assay {

/// kind  one of kDropout, kDistribution, kRange, kZeroCounts, whose conditions hold
/// returns  nothing: this call is not random after all (p is 0), judge it by value
std::optional<OutputVerdict> judge_random(const JudgeContext& context, const Kind& kind, const Tensor& actual,
                                          const Tensor& expected);

}  // namespace assay
