// What a pipeline's overrides ask for single APIs: a tolerance of its own, rows that count.
#pragma once

#include <optional>

#include "judge/tensor_judge.hpp"

namespace assay {

/// |actual - expected| <= atol + rtol * |expected| for every element; nan equals nan, an infinity equals itself.
/// Nothing: the tolerance holds.
std::optional<OutputVerdict> exceeds_tolerance(const Tensor& actual, const Tensor& expected, double rtol, double atol);

/// The part of a tensor that the region names; nothing: the region doesn't fit the shape.
std::optional<Tensor> cut(const Tensor& tensor, const Override::Region& region);

/// An error where an element outside the region differs from the reference's. Nothing: all agree.
std::optional<OutputVerdict> differs_outside(const Tensor& actual, const Tensor& expected, const Override::Region& region);

}  // namespace assay
