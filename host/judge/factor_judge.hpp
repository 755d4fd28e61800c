// Judges decompositions, whose factors are not unique (sign, phase, basis, order): by the matrix they rebuild.
#pragma once

#include "judge/pairing.hpp"
#include "judge/tensor_judge.hpp"

namespace assay {

/// Outputs that failed by value pass where the rebuilt matrices agree (and factors that must be orthonormal are); else they keep an
/// error that says how far the rebuilt matrices are apart. Factors that are unique keep their own verdict.
///
/// rows  one for each pair, already judged by value
void judge_factors(const JudgeContext& context, const Kind& kind, const std::vector<LeafPair>& pairs,
                   std::vector<JudgedOutput>& rows);

}  // namespace assay
