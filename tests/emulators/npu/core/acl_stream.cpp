// Streams and events.
#include <chrono>
#include <vector>

#include "core/device.hpp"
#include "core/report.hpp"
#include "core/work.hpp"

using namespace assay::emulator;

namespace {

constexpr std::size_t kStreams = 1984;

std::size_t streams_in_use() {
  std::size_t count = 0;
  process().each(ObjectKind::kStream, [&](Object&) { ++count; });
  return count;
}

aclError new_stream(Call& call, aclrtStream* stream) {
  if (const aclError error = call.on_thread()) {
    return error;
  }
  if (stream == nullptr) {
    return call.misuse("null-pointer", ACL_ERROR_INVALID_PARAM, "no place for the stream");
  }
  if (streams_in_use() >= kStreams) {
    return call.fail(ACL_ERROR_RT_NO_STREAM_RESOURCE, "all streams of the device are in use");
  }
  *stream = make_stream(call.context());
  return ACL_SUCCESS;
}

aclError end_stream(Call& call, aclrtStream handle, bool wait) {
  if (handle == nullptr) {
    return call.misuse("null-handle", ACL_ERROR_INVALID_PARAM, "the default stream can't be destroyed");
  }
  auto* stream = call.live<Stream>(handle);
  if (stream == nullptr) {
    return call.code();
  }
  if (stream->context->default_stream == stream) {
    return call.misuse("wrong-handle", ACL_ERROR_INVALID_PARAM, "the default stream can't be destroyed");
  }
  if (wait && process().broken == 0) {
    drain(call, *stream);
  }
  abandon(*stream);
  process().remove(stream);
  return ACL_SUCCESS;
}

aclError synchronize(Call& call, aclrtStream handle, std::int32_t timeout_ms) {
  if (const aclError error = call.on_thread()) {
    return error;
  }
  Stream* stream = call.stream(handle);
  if (stream == nullptr) {
    return call.code();
  }
  const Deadline deadline = deadline_in(timeout_ms);
  if (const Fault* fault = fault_at(Point::kSynchronize, "", nullptr)) {
    return suffer(call, *fault, deadline);
  }
  const aclError error = drain(call, *stream, deadline);
  return error == 0 ? error
                    : call.fail(error, error == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT ? "timed out" : "work of the stream failed");
}

aclError synchronize_device(Call& call, std::int32_t timeout_ms) {
  if (const aclError error = call.on_thread()) {
    return error;
  }
  if (const Fault* fault = fault_at(Point::kSynchronize, "", nullptr)) {
    return suffer(call, *fault, deadline_in(timeout_ms));
  }
  std::vector<Stream*> streams;
  process().each(ObjectKind::kStream, [&](Object& object) { streams.push_back(static_cast<Stream*>(&object)); });
  for (Stream* stream : streams) {
    if (stream->context->device == call.context().device) {
      if (const aclError error = drain(call, *stream, deadline_in(timeout_ms))) {
        return call.fail(error, "work of a stream failed");
      }
    }
  }
  return ACL_SUCCESS;
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

ASSAY_EMULATOR_EXPORT aclError aclrtCreateStream(aclrtStream* stream) {
  Call call("aclrtCreateStream");
  return new_stream(call, stream);
}

ASSAY_EMULATOR_EXPORT aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t, uint32_t) {
  Call call("aclrtCreateStreamWithConfig");
  return new_stream(call, stream);
}

ASSAY_EMULATOR_EXPORT aclError aclrtDestroyStream(aclrtStream stream) {
  Call call("aclrtDestroyStream");
  return end_stream(call, stream, true);
}

ASSAY_EMULATOR_EXPORT aclError aclrtDestroyStreamForce(aclrtStream stream) {
  Call call("aclrtDestroyStreamForce");
  return end_stream(call, stream, false);
}

ASSAY_EMULATOR_EXPORT aclError aclrtSynchronizeStream(aclrtStream stream) {
  Call call("aclrtSynchronizeStream");
  return synchronize(call, stream, -1);
}

ASSAY_EMULATOR_EXPORT aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout_ms) {
  Call call("aclrtSynchronizeStreamWithTimeout");
  return synchronize(call, stream, timeout_ms);
}

ASSAY_EMULATOR_EXPORT aclError aclrtSynchronizeDevice() {
  Call call("aclrtSynchronizeDevice");
  return synchronize_device(call, -1);
}

ASSAY_EMULATOR_EXPORT aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout_ms) {
  Call call("aclrtSynchronizeDeviceWithTimeout");
  return synchronize_device(call, timeout_ms);
}

ASSAY_EMULATOR_EXPORT aclError aclrtStreamQuery(aclrtStream handle, aclrtStreamStatus* status) {
  Call call("aclrtStreamQuery");
  if (const aclError error = call.on_thread()) {
    return error;
  }
  Stream* stream = call.stream(handle);
  if (stream == nullptr) {
    return call.code();
  }
  *status = stream->tasks.empty() ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
  // A caller that polls gets on: the work is done by the next time it asks.
  if (!stream->tasks.empty() && !stream->tasks.front().hangs) {
    drain(call, *stream, stream->done + 1, {});
  }
  return ACL_SUCCESS;
}

ASSAY_EMULATOR_EXPORT aclError aclrtStreamAbort(aclrtStream handle) {
  Call call("aclrtStreamAbort");
  auto* stream = call.live<Stream>(handle);
  if (stream == nullptr) {
    return call.code();
  }
  abandon(*stream);
  return ACL_SUCCESS;
}

ASSAY_EMULATOR_EXPORT aclError aclrtDeviceTaskAbort(int32_t device, uint32_t) {
  Call call("aclrtDeviceTaskAbort");
  process().each(ObjectKind::kStream, [&](Object& object) {
    auto& stream = static_cast<Stream&>(object);
    if (stream.context->device == device) {
      abandon(stream);
    }
  });
  return call.ready();
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

ASSAY_EMULATOR_EXPORT aclError aclrtSetStreamFailureMode(aclrtStream handle, uint64_t mode) {
  Call call("aclrtSetStreamFailureMode");
  if (const aclError error = call.on_thread()) {
    return error;
  }
  Stream* stream = call.stream(handle);
  if (stream == nullptr) {
    return call.code();
  }
  if (mode > 1) {
    return call.misuse("bad-value", ACL_ERROR_INVALID_PARAM, "no such failure mode");
  }
  stream->failure_mode = mode;
  return ACL_SUCCESS;
}

ASSAY_EMULATOR_EXPORT aclError aclrtSetStreamOverflowSwitch(aclrtStream handle, uint32_t flag) {
  Call call("aclrtSetStreamOverflowSwitch");
  if (const aclError error = call.on_thread()) {
    return error;
  }
  Stream* stream = call.stream(handle);
  if (stream == nullptr) {
    return call.code();
  }
  stream->overflow_switch = flag;
  return ACL_SUCCESS;
}

ASSAY_EMULATOR_EXPORT aclError aclrtGetStreamOverflowSwitch(aclrtStream handle, uint32_t* flag) {
  Call call("aclrtGetStreamOverflowSwitch");
  if (const aclError error = call.on_thread()) {
    return error;
  }
  Stream* stream = call.stream(handle);
  if (stream == nullptr) {
    return call.code();
  }
  *flag = stream->overflow_switch;
  return ACL_SUCCESS;
}

ASSAY_EMULATOR_EXPORT aclError aclrtStreamGetId(aclrtStream handle, int32_t* id) {
  Call call("aclrtStreamGetId");
  if (const aclError error = call.on_thread()) {
    return error;
  }
  Stream* stream = call.stream(handle);
  if (stream == nullptr) {
    return call.code();
  }
  *id = stream->id;
  return ACL_SUCCESS;
}

ASSAY_EMULATOR_EXPORT aclError aclrtGetStreamAvailableNum(uint32_t* count) {
  Call call("aclrtGetStreamAvailableNum");
  *count = static_cast<uint32_t>(kStreams - streams_in_use());
  return call.ready();
}

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
  Call call("aclrtDestroyEvent");
  auto* event = call.live<Event>(handle);
  if (event == nullptr) {
    return call.code();
  }
  process().remove(event);
  return ACL_SUCCESS;
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
  Call call("aclrtResetEvent");
  auto* event = call.live<Event>(handle);
  if (event == nullptr) {
    return call.code();
  }
  event->stream = nullptr;
  return ACL_SUCCESS;
}

ASSAY_EMULATOR_EXPORT aclError aclrtQueryEventStatus(aclrtEvent handle, aclrtEventRecordedStatus* status) {
  Call call("aclrtQueryEventStatus");
  auto* event = call.live<Event>(handle);
  if (event == nullptr) {
    return call.code();
  }
  *status = passed(*event) ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
  if (!passed(*event) && !event->stream->tasks.front().hangs) {
    drain(call, *event->stream, event->stream->done + 1, {});
  }
  return ACL_SUCCESS;
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
  Call call("aclrtEventGetTimestamp");
  auto* event = call.live<Event>(handle);
  if (event == nullptr) {
    return call.code();
  }
  *timestamp = event->time_us;
  return ACL_SUCCESS;
}
