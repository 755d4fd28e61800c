// A process that has one adapter and does its calls for another process: two frameworks that don't bear each other run in two.
// The protocol is that of plugin_api/bridge; the settings of its first message are
//
//   {"component": "assay.torch@1.13", "precision": "as-recorded", "config": {}, "plugin_path": ["/..."], "memory_limit": 0}
#pragma once

namespace assay {

/// What kAdapterServerCommand (pipeline/isolated_adapter.hpp) runs: serves until the client closes the conversation. Returns the
/// process's exit code.
int serve_adapter();

}  // namespace assay
