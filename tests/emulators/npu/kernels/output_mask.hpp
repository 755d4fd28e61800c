// Backward operators that give only the gradients that 'outputMask' asks for.
#pragma once

#include <initializer_list>

#include "core/kernel.hpp"

namespace assay::emulator {

/// Refuses a mask that has not one element for each of these outputs, and an output that it asks for and that is null.
void check_output_mask(const Args& args, std::initializer_list<const char*> outputs);

/// Whether the mask asks for the output of that place.
bool wanted(const Args& args, std::size_t index);

}  // namespace assay::emulator
