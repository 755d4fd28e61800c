// The tolerance that a pipeline's overrides set for single APIs.
#pragma once

#include <optional>

#include "judge/selection.hpp"

namespace assay {

/// |actual - expected| <= atol + rtol * |expected| for every element that counts; nan equals nan, an infinity equals itself.
/// Nothing: the tolerance holds.
std::optional<OutputVerdict> exceeds_tolerance(const Selection& selection, double rtol, double atol);

/// An error where an element that doesn't count differs from the reference's. Nothing: all agree.
std::optional<OutputVerdict> differs_elsewhere(const Selection& selection);

}  // namespace assay
