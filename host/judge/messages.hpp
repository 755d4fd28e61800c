// The one-line messages of rows.
#pragma once

#include <string>

#include "judge/metric_set.hpp"
#include "judge/rules.hpp"

namespace assay {

/// Four significant digits, without trailing zeros: for limits and metrics in a sentence.
std::string short_number(double value);

/// "max_scaled_error 7.1e-05 is above 9.5e-07; rtol 6.6e-05 would pass; 3 of 12 elements differ; worst at (0, 3): actual 1.0, ...".
std::string rule_message(const RuleOutcome& outcome, const Measured& metrics, const std::optional<WorstElement>& worst);

/// "2 nan and 1 inf on both sides"; empty when every element is finite.
std::string non_finite_note(const Measured& metrics);

}  // namespace assay
