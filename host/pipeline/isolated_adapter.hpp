// An adapter in a process of its own, as an instance like any other: two builds of one framework don't bear each other in one
// process.
#pragma once

#include <cstdint>

#include "loader/registry.hpp"
#include "pipeline/engine.hpp"

namespace assay {

/// The command of this executable that starts such a process; not for people.
inline constexpr const char* kAdapterServerCommand = "serve-adapter";

/// Starts a process that finds and loads what the spec names as this one would.
/// memory_limit  of what the calls may take beside what is loaded; 0: none
/// errors        as Registry::create; kPlugin: the process can't be started, or ended
Result<Instance> isolate_adapter(const Registry& registry, const EngineSpec& spec, std::uint64_t memory_limit);

}  // namespace assay
