// What the host offers to plugins: the assay_host table that every init and create is given.
#pragma once

#include "assay/abi/host.h"
#include "assay/abi/parallel.h"

namespace assay {

/// Static; its log goes to base/log.hpp under the component's id.
const assay_host* host_table();

/// Has plugins and the host's own loops compute on these threads from now on. table: static
void offer_threads(const assay_parallel* table);

}  // namespace assay
