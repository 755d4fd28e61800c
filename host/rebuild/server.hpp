// Shows a run's page to browsers of this machine.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "rebuild/live_run.hpp"

namespace assay {

/// Serves `run` on 127.0.0.1 until `stop`: "/" is the page, "/state" what the page asks for news. Requests that name another host
/// are refused, so that a web site can't reach it through a name of its own. port    0: any free one ready   called with the URL
/// once it can be opened errors  kInput: the port is taken
Status serve_run(LiveRun& run, std::uint16_t port, const std::function<void(const std::string& url)>& ready,
                 const std::atomic<bool>& stop);

}  // namespace assay
