// Events.
#include <chrono>

#include "core/report.hpp"
#include "core/work.hpp"

using namespace assay::emulator;

namespace {

/// A function of this name that works on that event.
template <class F>
aclError on_event(const char* name, aclrtEvent handle, const F& work) {
  Call call(name);
  auto* event = call.live<Event>(handle);
  return event == nullptr ? call.code() : work(call, *event);
}

std::uint64_t now_us() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now().time_since_epoch()).count());
}

bool passed(const Event& event) { return event.stream == nullptr || event.stream->done >= event.sequence; }

aclError new_event(Call& call, aclrtEvent* event) {
  if (const aclError error = call.on_thread()) {
    return error;
  }
  *event = process().add(new Event);
  return ACL_SUCCESS;
}

aclError wait_for(Call& call, aclrtEvent handle, std::int32_t timeout_ms) {
  if (const aclError error = call.on_thread()) {
    return error;
  }
  auto* event = call.live<Event>(handle);
  if (event == nullptr) {
    return call.code();
  }
  if (passed(*event)) {
    return ACL_SUCCESS;
  }
  const aclError error = drain(call, *event->stream, event->sequence, deadline_in(timeout_ms));
  return error == 0
             ? error
             : call.fail(error == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT ? static_cast<aclError>(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT) : error,
                         "the work before the event failed or timed out");
}

}  // namespace

ASSAY_EMULATOR_EXPORT aclError aclrtCreateEvent(aclrtEvent* event) {
  Call call("aclrtCreateEvent");
  return new_event(call, event);
}

ASSAY_EMULATOR_EXPORT aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t) {
  Call call("aclrtCreateEventWithFlag");
  return new_event(call, event);
}

ASSAY_EMULATOR_EXPORT aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t) {
  Call call("aclrtCreateEventExWithFlag");
  return new_event(call, event);
}

ASSAY_EMULATOR_EXPORT aclError aclrtDestroyEvent(aclrtEvent handle) {
  return on_event("aclrtDestroyEvent", handle, [&](Call&, Event& event) -> aclError {
    process().remove(&event);
    return ACL_SUCCESS;
  });
}

ASSAY_EMULATOR_EXPORT aclError aclrtRecordEvent(aclrtEvent handle, aclrtStream stream_handle) {
  Call call("aclrtRecordEvent");
  if (const aclError error = call.on_thread()) {
    return error;
  }
  Stream* stream = call.stream(stream_handle);
  auto* event = call.live<Event>(handle);
  if (stream == nullptr || event == nullptr) {
    return call.code();
  }
  event->stream = stream;
  event->sequence = stream->enqueued;
  event->time_us = now_us();
  return ACL_SUCCESS;
}

ASSAY_EMULATOR_EXPORT aclError aclrtResetEvent(aclrtEvent handle, aclrtStream) {
  return on_event("aclrtResetEvent", handle, [&](Call&, Event& event) -> aclError {
    event.stream = nullptr;
    return ACL_SUCCESS;
  });
}

ASSAY_EMULATOR_EXPORT aclError aclrtQueryEventStatus(aclrtEvent handle, aclrtEventRecordedStatus* status) {
  return on_event("aclrtQueryEventStatus", handle, [&](Call& call, Event& event) -> aclError {
    *status = passed(event) ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
    if (!passed(event) && !event.stream->tasks.front().hangs) {
      drain(call, *event.stream, event.stream->done + 1, {});
    }
    return ACL_SUCCESS;
  });
}

ASSAY_EMULATOR_EXPORT aclError aclrtSynchronizeEvent(aclrtEvent event) {
  Call call("aclrtSynchronizeEvent");
  return wait_for(call, event, -1);
}

ASSAY_EMULATOR_EXPORT aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout_ms) {
  Call call("aclrtSynchronizeEventWithTimeout");
  return wait_for(call, event, timeout_ms);
}

ASSAY_EMULATOR_EXPORT aclError aclrtEventElapsedTime(float* ms, aclrtEvent start, aclrtEvent end) {
  Call call("aclrtEventElapsedTime");
  auto* first = call.live<Event>(start);
  auto* last = call.live<Event>(end);
  if (first == nullptr || last == nullptr) {
    return call.code();
  }
  if (!passed(*first) || !passed(*last)) {
    return call.misuse("read-before-synchronize", ACL_ERROR_RT_PARAM_INVALID, "an event has not happened yet");
  }
  *ms = static_cast<float>(static_cast<double>(last->time_us - first->time_us) / 1000.0);
  return ACL_SUCCESS;
}

ASSAY_EMULATOR_EXPORT aclError aclrtEventGetTimestamp(aclrtEvent handle, uint64_t* timestamp) {
  return on_event("aclrtEventGetTimestamp", handle, [&](Call&, Event& event) -> aclError {
    *timestamp = event.time_us;
    return ACL_SUCCESS;
  });
}

ASSAY_EMULATOR_EXPORT aclError aclrtStreamWaitEvent(aclrtStream handle, aclrtEvent event_handle) {
  Call call("aclrtStreamWaitEvent");
  if (const aclError error = call.on_thread()) {
    return error;
  }
  Stream* stream = call.stream(handle);
  auto* event = call.live<Event>(event_handle);
  if (stream == nullptr || event == nullptr) {
    return call.code();
  }
  if (!passed(*event) && event->stream != stream) {
    Task task;
    task.name = "aclrtStreamWaitEvent";
    task.holds = {event->stream};
    task.run = [other = event->stream, until = event->sequence]() -> aclError {
      while (other->done < until && !other->tasks.empty()) {
        if (const aclError error = run_one(*other)) {
          return error;
        }
      }
      return ACL_SUCCESS;
    };
    enqueue(*stream, std::move(task));
  }
  return ACL_SUCCESS;
}
