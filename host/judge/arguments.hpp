// Arguments of the judged call, by position or keyword.
#pragma once

#include <optional>

#include "judge/standard_model.hpp"

namespace assay {

/// A number, or a bool as 0 or 1; the spec's fallback where the call leaves the argument out. Nothing: None, or no number.
std::optional<double> number_argument(const Judgement& judgement, const ArgumentSpec& spec);

/// The tensor at a position; null: there is none.
const Tensor* tensor_argument(const Judgement& judgement, std::size_t position);

/// The tensor in an argument; null: there is none.
const Tensor* tensor_argument(const Judgement& judgement, const ArgumentSpec& spec);

/// The sum of an integer tensor or of a list of integers, or an integer itself. Nothing: the argument is none of these.
std::optional<double> sum_argument(const Judgement& judgement, const ArgumentSpec& spec);

/// Whether the kind's conditions on the arguments hold for an output; null: for the outputs as a whole.
bool applies(const Kind& kind, const Judgement& judgement, const Tensor* output);

}  // namespace assay
