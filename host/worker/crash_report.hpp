// The stack of a worker that crashes, on its way to the row.
#pragma once

#include <string>
#include <string_view>

namespace assay {

/// From now on a fatal signal sends a kBacktrace frame to `fd` before it ends this process.
void report_crashes_to(int fd);

/// What a kBacktrace frame says, on one line and without addresses, which differ from run to run:
/// "adapter.so(run_kernel) < adapter.so(+0x1f2a)". Ends where the executable's own frames begin.
std::string backtrace_text(std::string_view frames);

}  // namespace assay
