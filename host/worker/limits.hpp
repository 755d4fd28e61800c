// What the supervisor's side asks of the process that a worker runs in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.hpp"

namespace assay {

/// Ties this process to its supervisor: killed when that dies, the first to go when the machine runs out of memory, its crashes
/// reported. For the start of a worker, before plugins are loaded.
void enter_worker();

/// Lets the system end this process first when the machine runs out of memory.
void yield_memory_first();

/// From now on this process may have `bytes` more memory of its own than it has (mapped files don't count; stacks of threads have
/// some room besides). What asks for more is told that there is none.
/// errors  kInternal: the system refuses
Status limit_memory(std::uint64_t bytes);

/// "512M", "4G", "1.5GiB", "1000000". errors  kInput: not a size
Result<std::uint64_t> parse_size(const std::string& text);

/// The memory that processes here can have at all: the machine's, or what the control group allows.
std::uint64_t memory_available();

}  // namespace assay
