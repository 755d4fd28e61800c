// The values that a dump recorded, read from their files.
#pragma once

#include <vector>

#include "dump/dump.hpp"

namespace assay {

/// errors  kInput: a tensor file is missing or faulty; kUnsupported: an element was not recorded
Result<std::vector<Value>> recorded_values(const Dump& dump, const std::vector<Element>& elements);

/// Whether any of them is more than None.
bool anything_recorded(const std::vector<Value>& values);

}  // namespace assay
