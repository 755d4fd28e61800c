// Work in streams. Nothing runs when it is launched: a stream runs its work when somebody waits for it, so that a caller that
// reads too early sees old data, and gets a report.
#pragma once

#include <chrono>
#include <optional>

#include "core/process.hpp"

namespace assay::emulator {

using Deadline = std::optional<std::chrono::steady_clock::time_point>;

/// `timeout_ms` of a waiting function as a deadline; negative: none.
Deadline deadline_in(std::int32_t timeout_ms);

void enqueue(Stream& stream, Task task);

/// Runs the oldest work of `stream`, which has some.
aclError run_one(Stream& stream);

/// Runs the work of `stream` up to `until`. Returns the first error of its work, or ACL_ERROR_RT_STREAM_SYNC_TIMEOUT.
aclError drain(Call& call, Stream& stream, std::uint64_t until, const Deadline& deadline);
inline aclError drain(Call& call, Stream& stream, const Deadline& deadline = {}) {
  return drain(call, stream, stream.enqueued, deadline);
}
/// Does what an injected fault says: breaks the runtime, waits, or dies. Returns the code to answer with.
aclError suffer(Call& call, const Fault& fault, const Deadline& deadline = {});

/// Drops pending work.
void abandon(Stream& stream);

/// The name of pending work that touches [begin, begin + size), if it conflicts: pending writes always, pending reads if we
/// are about to write (or to free).
std::optional<std::string> pending_on(const void* begin, std::size_t size, bool writing);

}  // namespace assay::emulator
