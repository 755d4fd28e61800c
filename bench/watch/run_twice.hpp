// The bound of the watch: every operator that it would check is run a second time on the same arguments, and nothing else.
#pragma once

#include <cstdint>

namespace assay::bench {

/// For the calling thread and its backward pass. forward, backward: which operators are run twice.
void run_twice(bool forward, bool backward);

/// Operators that were run twice since the last call.
std::uint64_t operators_run_twice();

}  // namespace assay::bench
