// What the groups of rules share, and the groups themselves.
#pragma once

#include <vector>

#include "expression.hpp"
#include "runner.hpp"
#include "views.hpp"

namespace assay::npu {

/// Parts that a tensor is taken apart into; a tensor without elements may claim any number of them.
inline constexpr std::int64_t kMostParts = 65536;

const std::vector<Rule>& shape_rules();        ///< shapes, sizes, dims
const std::vector<Rule>& type_rules();         ///< dtypes, questions about values
const std::vector<Rule>& view_rules();         ///< views of tensors
const std::vector<Rule>& window_rules();       ///< of convolutions and pooling
const std::vector<Rule>& composition_rules();  ///< small compositions of operators, for gradients

/// The shape of a tensor, of a number (0-d), or a list taken as a shape.
Dims shape_of(const Datum& datum);
/// The type in which operands meet, by PyTorch's rules: tensors with dims before 0-d tensors before numbers of the same kind.
assay_dtype common_dtype(const DatumList& operands);
/// The same memory where it lies compactly, else a compact copy.
DeviceTensor compacted(Runner& runner, const DeviceTensor& tensor);
DeviceTensor cast(Runner& runner, const DeviceTensor& tensor, assay_dtype dtype);
/// The sum over the axes that broadcasting added or stretched.
DeviceTensor summed_to(Runner& runner, const DeviceTensor& tensor, const Dims& shape);

}  // namespace assay::npu
