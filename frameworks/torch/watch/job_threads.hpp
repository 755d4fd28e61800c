// LibTorch's own threads, for plugins: beside those, others would only wait for the processor.
#pragma once

#include "assay/abi/parallel.h"

namespace assay::watch {

/// Static.
const assay_parallel* job_threads();

}  // namespace assay::watch
