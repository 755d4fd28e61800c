// What the host offers to plugins: the assay_host table that every init and create is given.
#pragma once

#include "assay/abi/host.h"

namespace assay {

/// Static; its log goes to base/log.hpp under the component's id.
const assay_host* host_table();

}  // namespace assay
