// A row in a process of its own.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace assay::bench {

/// Runs this program again with other arguments and waits for it.
/// errors  kInternal: how it ended, if not with exit code 0
Status run_self(const std::vector<std::string>& arguments);

}  // namespace assay::bench
