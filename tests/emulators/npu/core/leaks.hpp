// What is left over when a caller says it is done.
#pragma once

#include <string_view>

namespace assay::emulator {

/// Reports live objects, memory and devices, each as the misuse "leak", and forgets them.
void report_leaks(std::string_view call);

}  // namespace assay::emulator
