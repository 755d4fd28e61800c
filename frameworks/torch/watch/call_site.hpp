// Where the job's own code is: what the caller of the watch tells, else the innermost function of the C++ stack outside of
// LibTorch.
#pragma once

#include <string>

#include "assay/watch.h"

namespace assay::watch {

void set_call_site_source(assay_watch_call_site source);
std::string current_call_site();

}  // namespace assay::watch
