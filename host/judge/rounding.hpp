// Brings a wider reference to the type of the tensor under test, rounding each number once.
#pragma once

#include <optional>

#include "assay/sdk/tensor.hpp"

namespace assay {

/// Whether every number of `narrow` is a number of `wide` (both real floating, or both complex; the types themselves included).
bool widens(assay_dtype narrow, assay_dtype wide);

/// The tensor in `dtype`: itself where the types agree, a rounded copy where its type is wider, nothing where the types don't
/// match. Throws Error(ASSAY_OUT_OF_MEMORY).
std::optional<Tensor> round_to(const Tensor& tensor, assay_dtype dtype);

}  // namespace assay
