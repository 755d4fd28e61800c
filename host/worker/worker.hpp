// The worker's side: judges the calls that the supervisor names, until its pipe ends.
#pragma once

#include "pipeline/check.hpp"

namespace assay {

/// Prepares the run, reports, and serves. Returns the process's exit code.
int run_worker(Registry& registry, const CheckRequest& request);

}  // namespace assay
