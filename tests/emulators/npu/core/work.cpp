#include "core/work.hpp"

#include <csignal>
#include <thread>

namespace assay::emulator {
namespace {

void drop(Stream& stream, Task& task) {
  for (Object* held : task.holds) {
    --held->users;
  }
  task.holds.clear();
  ++stream.done;
}

// Waits as a stuck kernel makes one wait. Others may call in the meantime.
bool wait_on_hang(Call& call, const Deadline& deadline) {
  for (;;) {
    if (deadline && std::chrono::steady_clock::now() >= *deadline) {
      return false;
    }
    call.lock().unlock();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    call.lock().lock();
  }
}

}  // namespace

Deadline deadline_in(std::int32_t timeout_ms) {
  if (timeout_ms < 0) {
    return std::nullopt;
  }
  return std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
}

void enqueue(Stream& stream, Task task) {
  for (Object* held : task.holds) {
    ++held->users;
  }
  stream.tasks.push_back(std::move(task));
  ++stream.enqueued;
}

aclError run_one(Stream& stream) {
  // Out of the queue first: a wait for an event runs other streams, which may come back to this one.
  Task task = std::move(stream.tasks.front());
  stream.tasks.pop_front();
  aclError& broken = process().broken;
  number_modes().saturate = stream.saturate;
  number_modes().shuffle = false;
  const aclError error = broken != 0 ? broken : task.run();
  if (error != 0) {
    broken = error;
    stream.error = stream.error != 0 ? stream.error : error;
  }
  drop(stream, task);
  return error;
}

aclError drain(Call& call, Stream& stream, std::uint64_t until, const Deadline& deadline) {
  while (stream.done < until && !stream.tasks.empty()) {
    if (stream.tasks.front().hangs && !wait_on_hang(call, deadline)) {
      return ACL_ERROR_RT_STREAM_SYNC_TIMEOUT;
    }
    run_one(stream);
  }
  return stream.error;
}

aclError suffer(Call& call, const Fault& fault, const Deadline& deadline) {
  switch (fault.action) {
    case Action::kHang: wait_on_hang(call, deadline); return call.fail(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "timed out");
    case Action::kCrash: std::raise(SIGSEGV); return ACL_ERROR_INTERNAL_ERROR;
    case Action::kDeviceLost:
      process().lost = true;
      process().broken = ACL_ERROR_RT_LOST_HEARTBEAT;
      return call.fail(ACL_ERROR_RT_LOST_HEARTBEAT, "the device is lost");
    default: return call.fail(fault.error, "failed (injected)");
  }
}

void abandon(Stream& stream) {
  for (Task& task : stream.tasks) {
    drop(stream, task);
  }
  stream.tasks.clear();
}

std::optional<std::string> pending_on(const void* begin, std::size_t size, bool writing) {
  const auto* first = static_cast<const std::byte*>(begin);
  const auto* last = first + size;
  std::optional<std::string> found;
  process().each(ObjectKind::kStream, [&](Object& object) {
    for (const Task& task : static_cast<Stream&>(object).tasks) {
      for (const Range& range : task.ranges) {
        if (range.begin < last && first < range.end && (writing || range.written)) {
          found = task.name;
        }
      }
    }
  });
  return found;
}

}  // namespace assay::emulator
