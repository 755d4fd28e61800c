// Single elements: as text, and how far two of them are apart.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assay/sdk/tensor.hpp"
#include "judge/judge.hpp"

namespace assay {

/// The shortest text that reads back as the same number of the tensor's type; complex numbers as "(1.0+2.0j)".
std::string element_text(const TensorView& tensor, std::int64_t index);

/// Representable numbers between two elements of one real floating type; nothing for other types and for NaN.
std::optional<double> ulp_distance(const TensorView& actual, const TensorView& expected, std::int64_t index);

/// Row-major element index as a position in every dimension.
std::vector<std::int64_t> unravel(std::int64_t index, const std::vector<std::int64_t>& shape);

WorstElement worst_element(const TensorView& actual, const TensorView& expected, std::int64_t index);

}  // namespace assay
