// Outputs that are no tensors: Python numbers, strings, None, dtypes, sizes.
#pragma once

#include <optional>
#include <string>

#include "judge/standard_model.hpp"

namespace assay {

/// "tensor", "None", "bool", "int", "float", ...
std::string_view value_kind(const Value& value);

/// The value as a row shows it.
std::string value_text(const Value& value);

bool is_number(const Value& value);

/// A real or complex number as a 0-d tensor, so that the rules for tensors judge it. Types: `real` for floats, its complex partner
/// for complex numbers.
std::optional<Tensor> number_as_tensor(const Value& value, assay_dtype real);

/// Equality of two values that are no tensors and of one kind; NaN equals NaN.
bool equal_values(const Value& actual, const Value& expected);

}  // namespace assay
