// Ctrl-C and SIGTERM as a flag: a run ends after the API it is at, and what was done is written.
#pragma once

#include <atomic>

namespace assay {

/// Installs the handlers and gives the flag that they set; a second signal ends the process at once.
const std::atomic<bool>& stop_on_interrupt();

}  // namespace assay
